"""A model's parts, taken out and run one after another, compute what the whole model computes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tests.unit.graph.overlapping import Blocks, fed, overlapping

from ipfs_accelerate.graph import Costs, extract, partition

ANYTHING = Costs(least_bytes=1, least_work_share=0)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def compare(overlap):
    with tempfile.TemporaryDirectory() as folder:
        blocks = Blocks(Path(folder))
        models = overlap.stored(blocks)
        dags = overlap.dags(blocks)
        plan = partition(dags, ANYTHING)
        files: dict[str, bytes] = {}
        for key, parts in plan.models.items():
            feeds = fed(models[key], overlap.feeds)
            for part in parts:
                data = extract(models[key], dags[key], part).SerializeToString(deterministic=True)
                assert files.setdefault(part.digest, data) == data
            for optimised in (False, True):
                right = blocks.run(models[key], feeds, optimised=optimised)
                found = blocks.run_parts(models[key], dags[key], parts, feeds, optimised=optimised)
                assert found.keys() == right.keys()
                for name, value in right.items():
                    if optimised:
                        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-5)
                    else:
                        np.testing.assert_array_equal(found[name], value)


@settings(max_examples=25, deadline=None, suppress_health_check=SLOW)
@given(overlapping())
def test_the_parts_compute_what_the_whole_does(overlap):
    compare(overlap)


@pytest.mark.soak
@settings(max_examples=500, deadline=None, suppress_health_check=SLOW)
@given(overlapping(most_models=5, most_steps=16))
def test_so_do_many_more(overlap):
    compare(overlap)
