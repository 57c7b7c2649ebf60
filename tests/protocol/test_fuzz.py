"""Bytes that nobody would send: only ProtocolError may come of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.endurance import grown_mb, nothing_hangs

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.codec import Frame, decode, encode
from ipfs_accelerate.protocol.messages import VERSION, Hello, Limits, Ping
from ipfs_accelerate.protocol.session import Session

VECTORS = Path(__file__).parents[2] / "spec" / "vectors" / "frames"
SEEDS = [file.read_bytes() for file in sorted(VECTORS.glob("*.safetensors"))]
SMALL = 2_000
FULL = 1_000_000
STEP = 1_000
"""frames"""
HANGS_S = 60
"""for a step, which takes a tenth of a second"""
MOST_GROWN_MB = 8
"""What the second half may add. A kilobyte kept of each example would be 500."""
ODD: list[Any] = [
    *(None, True, -1, 0, 1, 8, 2**31, 2**53 - 1, 2**53, 2**64, 0.5, 1e300, float("nan")),
    *("", "U8", "I64", "__metadata__", "type", "part", "\ud800", "é", "1", [], {}, [[]]),
    *([0, 0], [0, 1], [1, 0], {"message": "{}"}, {"type": "ping", "id": 1}),
]


def limits(size: int) -> Hello:
    return Hello(VERSION, "engine", "fuzz", Limits(size, size))


def open_session() -> Session:
    session = Session(limits(1 << 20))
    session.start()
    session.receive(encode(Frame(limits(1 << 20))))
    for _ in range(3):
        session.request(Ping())
    session.cancel(2)
    return session


def near(dice: random.Random, value: Any) -> Any:
    """Another value of the same kind, which may well be taken."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return dice.choice([value + 1, value - 1, dice.randint(1, 4), dice.random()])
    return dice.choice(["idle", "m", "run_failed", "ping", "part"])


def change_value(dice: random.Random, value: Any) -> Any:
    """Change one place, at any depth."""
    if isinstance(value, dict) and value and dice.random() < 0.8:
        key = dice.choice(list(value))
        changed = dict(value)
        if dice.random() < 0.1:
            changed[str(dice.choice(ODD))] = changed.pop(key)
        else:
            changed[key] = change_value(dice, value[key])
        return changed
    if isinstance(value, list) and value and dice.random() < 0.8:
        index = dice.randrange(len(value))
        return [*value[:index], change_value(dice, value[index]), *value[index + 1 :]]
    return dice.choice(ODD) if dice.random() < 0.4 else near(dice, value)


def change_header(dice: random.Random, data: bytes) -> bytes:
    length = int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8 : 8 + length])
        if dice.random() < 0.6:
            message = change_value(dice, json.loads(header["__metadata__"]["message"]))
            header["__metadata__"]["message"] = json.dumps(message)
        else:
            header = change_value(dice, header)
    except (ValueError, RecursionError, KeyError, TypeError):
        return change_bytes(dice, data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


def change_bytes(dice: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        place = dice.randint(0, len(changed))
        match dice.randrange(4):
            case 0:
                changed[place : place + 1] = dice.randbytes(1)
            case 1:
                del changed[place : place + dice.randint(1, 16)]
            case 2:
                changed[place:place] = dice.choice(SEEDS)[: dice.randint(1, 32)]
            case _:
                changed[:8] = dice.randrange(2**16).to_bytes(8, "little")
    return bytes(changed)


def example(dice: random.Random) -> bytes:
    data = dice.choice(SEEDS)
    kind = dice.random()
    if kind < 0.6:
        return change_header(dice, data)
    if kind < 0.9:
        return change_bytes(dice, data)
    return dice.randbytes(dice.randint(0, 200))


def give(session: Session, data: bytes) -> bool:
    """Whether the bytes were taken; anything but ProtocolError fails the test."""
    try:
        session.receive(data)
    except ProtocolError:
        assert session.state == "closed"
        assert session.receive(data) == []
        return False
    return True


def fuzz(count: int, seed: int) -> tuple[int, int]:
    dice = random.Random(seed)  # noqa: S311 - the same examples each time, and no secret
    session = open_session()
    decoded = taken = 0
    for _ in range(count):
        data = example(dice)
        try:
            frame = decode(data)
        except ProtocolError:
            pass
        else:
            decoded += 1
            assert decode(encode(frame)) == frame
        if give(session, data):
            taken += 1
        if session.state == "closed":
            session.lost()
            session = open_session()
    return decoded, taken


def fuzz_in_halves(count: int, seed: int) -> tuple[int, int, float]:
    """How many were decoded and taken, and by how many megabytes the second half grew us."""
    found = []
    with nothing_hangs(HANGS_S) as step:

        def half(number: int) -> None:
            for at in range(0, count // 2, STEP):
                step()
                found.append(fuzz(min(STEP, count // 2 - at), seed=seed + number * FULL + at))

        grown = grown_mb(half)
    decoded, taken = map(sum, zip(*found, strict=True))
    return decoded, taken, grown


def test_mutated_frames():
    decoded, taken, grown = fuzz_in_halves(SMALL, seed=1)
    # Were all refused for one reason, nothing else would be tested.
    assert 0 < taken <= decoded < SMALL
    assert grown < MOST_GROWN_MB


@pytest.mark.soak
def test_mutated_frames_in_full():
    decoded, taken, grown = fuzz_in_halves(FULL, seed=2)
    print(  # noqa: T201 - soak writes its figures down
        f"{FULL} mutated frames: {decoded} decoded, {taken} taken by a session; "
        f"the second half grew the process by {grown:.1f} MB"
    )
    assert 0 < taken <= decoded < FULL
    assert grown < MOST_GROWN_MB


@given(st.binary(max_size=300))
def test_random_bytes(data):
    with pytest.raises(ProtocolError):
        decode(data)


@given(st.binary(max_size=200))
def test_random_headers(text):
    padded = text + b" " * (-len(text) % 8)
    with pytest.raises(ProtocolError):
        decode(len(padded).to_bytes(8, "little") + padded)
