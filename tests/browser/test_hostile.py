"""Hostile files that the host takes, in a real engine: a result or an error, and on it goes."""

import math
import random
from collections import Counter

import pytest
from tests.browser import graphs
from tests.browser.refusals import assert_works
from tests.endurance import nothing_hangs
from tests.unit.models.hostile import example, lay_out

from ipfs_accelerate.errors import AccelerateError, ModelError
from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.validate.samples import random_inputs

SMALL = 40
FULL = 500
TIMES_S = 10.0
"""for a load and for a run, each of which takes milliseconds"""
HANGS_S = 90
"""for a file: a load and a run that pass their time, and a fresh engine after each"""
MOST_ITEMS = 1_000_000


@pytest.fixture
def path(tmp_path):
    return lay_out(tmp_path)


@pytest.fixture
def adding(tmp_path):
    return graphs.save(graphs.adding(), tmp_path / "adding.onnx")


def hostile_files(path, store, count, seed):
    """So many that the host takes; each lies at `path` when its manifest comes."""
    dice = random.Random(seed)  # noqa: S311 - the same files each time, and no secret
    while count:
        path.unlink(missing_ok=True)
        path.write_bytes(example(dice).data)
        try:
            manifest = resolve(path, store)
        except ModelError:
            continue
        yield manifest
        count -= 1


def items_of(port):
    return math.prod(one for one in port.shape or () if isinstance(one, int))


def code_of(error):
    assert error.hint
    return error.code


def came_to(accelerator, path, manifest):
    """The code of the error that a file ends with, or `right`; no other error passes."""
    try:
        accelerator.load(path)
        if any(items_of(port) > MOST_ITEMS for port in manifest.inputs):
            return "not run: its inputs are too large"
        accelerator.run(path, random_inputs(manifest.inputs, 2))
        accelerator.unload(path)
    except AccelerateError as error:
        return code_of(error)
    return "right"


def fuzz(accelerator, path, adding, count, seed):
    found: Counter[str] = Counter()
    with nothing_hangs(HANGS_S) as step:
        for manifest in hostile_files(path, BlockStore(path.parents[1] / "store"), count, seed):
            step()
            found[came_to(accelerator, path, manifest)] += 1
            assert_works(accelerator, adding)
    return found


def test_hostile_files(make, path, adding):
    accelerator = make(platform="wasm", load_timeout_s=TIMES_S, inference_timeout_s=TIMES_S)
    found = fuzz(accelerator, path, adding, SMALL, seed=1)
    assert found["right"]
    assert found["model_invalid"]


@pytest.mark.soak
def test_hostile_files_in_full(make, path, adding):
    accelerator = make(platform="wasm", load_timeout_s=TIMES_S, inference_timeout_s=TIMES_S)
    found = fuzz(accelerator, path, adding, FULL, seed=2)
    print(f"{FULL} hostile files that the host takes: {dict(found)}")  # noqa: T201 - soak writes its figures down
    assert found["right"] > FULL / 10
    assert found["model_invalid"] > FULL / 10
