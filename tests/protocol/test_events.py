from __future__ import annotations

from dataclasses import FrozenInstanceError, is_dataclass
from typing import get_args

import pytest

from ipfs_accelerate.protocol.events import Event, Progressed


def test_every_event_is_a_value():
    assert all(is_dataclass(one) for one in get_args(Event))
    one = Progressed(1, "fetch", 2, 3)
    assert one == Progressed(1, "fetch", 2, 3)
    with pytest.raises(FrozenInstanceError):
        setattr(one, "done", 4)  # noqa: B010 - mypy knows that it can't be assigned
