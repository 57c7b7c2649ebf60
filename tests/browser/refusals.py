"""What a call that is refused gives back, and whether its accelerator works after it."""

import numpy as np
import pytest

from ipfs_accelerate import AccelerateError
from ipfs_accelerate.errors import CLASS_OF_CODE

X = {"x": np.array([1, 2], np.float32)}


def refusal(call) -> AccelerateError:
    """The error that a call ends with, which says what to do."""
    with pytest.raises(AccelerateError) as caught:
        call()
    error = caught.value
    assert type(error) is CLASS_OF_CODE[error.code]
    assert error.hint
    assert str(error) == f"{error.message} {error.hint}"
    return error


def assert_works(accelerator, adding):
    assert accelerator.run(adding, X, remember=False).output.tolist() == [2, 3]
