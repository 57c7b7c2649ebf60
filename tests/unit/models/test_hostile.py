"""Files that nobody would send: errors of the tree alone come of them, no hang and no growth."""

import random
from collections import Counter

import pytest
from onnx import TensorProto
from tests.endurance import grown_mb, nothing_hangs
from tests.unit.models.hostile import CHANGES, example, lay_out
from tests.unit.models.valid import SEEDS, multiplying, outside

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.source import resolve

SMALL = 500
FULL = 10_000
HANGS_S = 10
"""for one file, which takes milliseconds"""
MOST_GROWN_MB = 8
"""What the second half may add. A thousandth of what is read of each file would be more."""


@pytest.fixture
def path(tmp_path):
    return lay_out(tmp_path)


def says_what_to_do(error):
    assert error.code == "model_invalid"
    assert error.hint


def taken(path, store, data):
    """Whether the file is a model; anything but an error of models fails the test."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    try:
        manifest = resolve(path, store)
    except ModelError as error:
        says_what_to_do(error)
        return False
    assert all(store.holds(block) for block in manifest.blocks())
    return True


def fuzz(path, store, count, seed):
    """How many were taken or not, by how they were changed; and how the second half grew us."""
    found: Counter[tuple[str, bool]] = Counter()
    with nothing_hangs(HANGS_S) as step:

        def half(number):
            dice = random.Random(seed + number)  # noqa: S311 - the same files each time, and no secret
            for _ in range(count // 2):
                step()
                hostile = example(dice)
                found[hostile.how.split(", ")[1], taken(path, store, hostile.data)] += 1

        grown = grown_mb(half)
    return found, grown


def good(found):
    return sum(count for (_, is_taken), count in found.items() if is_taken)


@pytest.mark.parametrize("name", SEEDS)
def test_what_they_are_made_of_is_valid(path, store, name):
    assert taken(path, store, SEEDS[name])


def test_hostile_files(path, store):
    found, grown = fuzz(path, store, SMALL, seed=1)
    assert {how for how, _ in found} == {one.__name__ for one in CHANGES}
    # Were all refused for one reason, nothing else would be tested.
    assert SMALL / 10 < good(found) < SMALL * 9 / 10
    assert grown < MOST_GROWN_MB


@pytest.mark.soak
def test_hostile_files_in_full(path, store):
    found, grown = fuzz(path, store, FULL, seed=2)
    print(f"{FULL} hostile files: {good(found)} taken; the second half grew us by {grown:.1f} MB")  # noqa: T201 - soak writes its figures down
    assert FULL / 10 < good(found) < FULL * 9 / 10
    assert grown < MOST_GROWN_MB


def refuse(path, store, model, match):
    path.write_bytes(model.SerializeToString())
    with nothing_hangs(HANGS_S) as step:
        step()
        with pytest.raises(ModelError, match=match) as caught:
            resolve(path, store)
    says_what_to_do(caught.value)


def elsewhere(location):
    model = outside()
    model.graph.initializer[0].external_data[0].value = location
    return model


@pytest.mark.parametrize("location", ["loop", "folder", "pipe"])
def test_what_is_no_file_holds_no_weights(path, store, location):
    refuse(path, store, elsewhere(location), "data of its weight 'W' cannot be read")


@pytest.mark.parametrize(("size", "rank"), [(2**62, 1_000_000), (-(2**63), 300), (2**40, 2)])
def test_dimensions_whose_product_nothing_holds_are_refused_at_once(path, store, size, rank):
    model = multiplying()
    model.graph.initializer[0].dims[:] = [size] * rank
    refuse(path, store, model, "has 4096 bytes where its shape takes")


def test_one_dimension_of_none_makes_nothing_of_the_largest(path, store):
    model = multiplying()
    tensor = model.graph.initializer[0]
    tensor.CopyFrom(TensorProto(name="W", data_type=TensorProto.FLOAT, dims=[2**62] * 9 + [0]))
    tensor.raw_data = b""
    assert taken(path, store, model.SerializeToString())
