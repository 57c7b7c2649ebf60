"""Models that share: each weight held once, each part computed once, and the numbers as ever."""

import asyncio
import sys
from collections import Counter
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from onnx import TensorProto, helper, numpy_helper
from tests.browser import graphs, native
from tests.browser.test_numbers import TOLERANCE, text_of
from tests.models_at_hand import CLONEGUARD
from tests.unit.graph.overlapping import fed, overlapping

from ipfs_accelerate import Accelerator
from ipfs_accelerate.errors import ConfigError
from ipfs_accelerate.graph import Costs, explain, partition
from ipfs_accelerate.models import BlockStore, resolve
from ipfs_accelerate.models.catalog import DEFAULT
from ipfs_accelerate.models.components import components_of, held_bytes
from ipfs_accelerate.models.dags import dag_of
from ipfs_accelerate.pool.library import MOST_SHAPES

AS_UNSHARED = 1e-5
"""What sharing may change: a cut lies where no fusion crosses, so only how sums are ordered."""
CLASSES = (2, 5, 9)
WIDTH = 32
WORD_TABLE = 30522 * 384 * 4
PLATFORMS = ["wasm", "webnn"]
EVERYWHERE = [("portable", "wasm"), ("portable", "webnn"), ("chromium", "webgpu")]


@pytest.fixture(scope="module")
def accelerators(shared_cache):
    """Accelerators by browser, platform and options, each started once."""
    made: dict[object, Accelerator] = {}

    def of(browser, platform, **options):
        key = (browser, platform, *sorted(options.items()))
        if key not in made:
            where = {"browser": browser, "platform": platform, "threads": 1}
            made[key] = Accelerator(cache_dir=shared_cache, websocket_port=0, **(where | options))
        return made[key]

    yield of
    for one in made.values():
        one.close()


@pytest.fixture
def opened(accelerators):
    """Accelerators that hold nothing, before and after the test."""
    used = []

    def of(*arguments, **options):
        used.append(accelerators(*arguments, **options))
        return used[-1]

    yield of
    for one in used:
        empty(one)
        assert set(tally(one).values()) == {0}


def worker_of(accelerator):
    (worker,) = accelerator._core._pool._workers.values()
    return worker


def tally(accelerator):
    """What the engine says that it holds."""
    return accelerator._portal.call(worker_of(accelerator).tally)


def empty(accelerator):
    """Unload every model."""
    if accelerator._core._pool is None:
        return
    for loaded in list(worker_of(accelerator).library.models.values()):
        accelerator._core._memory.forget(loaded.needed.model.key)
        accelerator._portal.call(accelerator._core._pool.unload, loaded.needed.model)


def layouts(accelerator):
    """How its models are laid out, by their names."""
    models = worker_of(accelerator).library.models.values()
    return {one.needed.model.name: one.layout for one in models}


def head(path, classes):
    """logits = text_embedding W + b."""
    random = np.random.default_rng(classes)
    weight = random.standard_normal((384, classes)).astype(np.float32) / 10
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["text_embedding", "w", "b"], ["logits"])],
        "head",
        [helper.make_tensor_value_info("text_embedding", TensorProto.FLOAT, ["batch", 384])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])],
        [
            numpy_helper.from_array(weight, "w"),
            numpy_helper.from_array(np.zeros(classes, np.float32), "b"),
        ],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


@pytest.fixture(scope="module")
def heads(tmp_path_factory):
    """Three heads on MiniLM, as models."""
    folder = tmp_path_factory.mktemp("heads")
    return [f"{DEFAULT}+{head(folder / f'{n}.onnx', n)}" for n in CLASSES]


@pytest.fixture(scope="module")
def store(shared_cache):
    return BlockStore(shared_cache)


def dags_of(models, store):
    manifests = {str(one): resolve(one, store) for one in models}
    return {name: dag_of(one, store) for name, one in manifests.items()}


def parts_of(models, store):
    """Every part that these models are made of, once."""
    plan = partition(dags_of(models, store), Costs())
    return {part.digest: part for parts in plan.models.values() for part in parts}.values()


def worst(one, other):
    """By how much two results differ, over all their outputs."""
    names = one.output_tensors
    assert set(names) == set(other.output_tensors)
    return max(float(np.abs(names[name] - other.output_tensors[name]).max()) for name in names)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_three_heads_hold_their_encoder_once_and_compute_it_once(opened, heads, store, platform):
    accelerator, alone = opened("portable", platform), opened("portable", platform, share=False)
    for model in heads:
        accelerator.load(model)
    held = tally(accelerator)["weight_bytes"]
    assert held == held_bytes(components_of(layouts(accelerator).values()).values())
    assert held == sum(part.weight_bytes for part in parts_of(heads, store))
    said = explain(dags_of(heads, store)).sets[-1]
    own = [part for part in parts_of(heads, store) if part.macs < said.computed]
    assert held == said.held + sum(part.weight_bytes for part in own)
    text = text_of(6)
    results = [accelerator.run(model, text) for model in heads]
    assert [one.performance_metrics["reused"] for one in results] == [0, 1, 1]
    readbacks = {"wasm": 0, "webnn": 1}[platform]  # of each only the logits
    assert [one.performance_metrics["readbacks"] for one in results] == [readbacks] * 3
    assert not any(one.cached for one in results)
    ((encoder,), (again,)) = (one.shared_tensors_used for one in results[1:])
    assert encoder == again
    assert encoder.name.startswith(layouts(accelerator)["all-MiniLM-L6-v2+2"].keys[0])
    assert encoder.saved_ms > 0
    for model, result in zip(heads, results, strict=True):
        unshared = alone.run(model, text)
        assert worst(result, unshared) <= AS_UNSHARED
        assert unshared.shared_tensors_used == ()
    assert tally(alone)["weight_bytes"] == sum(
        layout.stages[0].component.weight_bytes for layout in layouts(alone).values()
    )
    assert tally(alone)["weight_bytes"] > 2.9 * held


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_model_that_comes_later_begins_with_what_is_there(opened, heads, store, platform):
    accelerator = opened("portable", platform)
    text = text_of(6)
    before = accelerator.embed(text, remember=False)
    first = accelerator.run(heads[0], text)
    assert first.shared_tensors_used == ()  # nobody had it in common with anything before
    assert worst(accelerator.embed(text, remember=False), before) <= AS_UNSHARED
    second = accelerator.run(heads[1], text)
    assert second.performance_metrics["reused"] == 1
    embedded = accelerator.embed(text)
    assert embedded.performance_metrics["reused"] >= 1
    assert worst(embedded, before) <= AS_UNSHARED
    models = [DEFAULT, *heads[:2]]
    assert tally(accelerator)["weight_bytes"] == sum(
        part.weight_bytes for part in parts_of(models, store)
    )
    accelerator.unload(heads[0])  # by whom it was cut first
    assert worst(accelerator.run(heads[1], text, remember=False), second) <= AS_UNSHARED
    assert worst(accelerator.embed(text, remember=False), before) <= AS_UNSHARED


def test_a_head_has_the_name_that_it_was_given(opened, heads):
    accelerator = opened("portable", "wasm")
    path = heads[0].removeprefix(f"{DEFAULT}+")
    model = accelerator.attach_head(DEFAULT, path, name="two classes")
    assert accelerator.run("two classes", "text").output.shape == (1, 2)
    assert model.name == "two classes"
    accelerator.embed("another text")
    result = accelerator.run("two classes", "another text")
    assert (result.model_name, result.performance_metrics["reused"]) == ("two classes", 1)
    assert model.get_performance_metrics()["runs"] == 1  # the other one ran in part
    with pytest.raises(ConfigError, match="is a model of its own"):
        accelerator.attach_head(DEFAULT, path, name="minilm")


ROWS = np.random.default_rng(3).standard_normal((4, WIDTH)).astype(np.float32)


def chained(path, steps):
    """A model of matrices and norms: models that begin with the same steps have them in common."""
    tensors: dict[str, Any] = {}
    nodes, last = [], "x"
    for number, step in enumerate(steps):
        random = np.random.default_rng(step)
        matrix = random.standard_normal((WIDTH, WIDTH)).astype(np.float32) / 8
        tensors |= {f"w{number}": matrix, f"s{number}": matrix[0]}
        nodes += [
            graphs.node("MatMul", f"{last} w{number}", f"p{number}"),
            graphs.node("LayerNormalization", f"p{number} s{number}", f"n{number}"),
        ]
        last = f"n{number}"
    nodes.append(graphs.node("Identity", last, "out"))
    ports = [graphs.floats(name, ["n", WIDTH]) for name in ("x", "out")]
    return graphs.save(graphs.model(nodes, ports[:1], ports[1:], tensors), path)


@pytest.fixture(scope="module")
def family(tmp_path_factory):
    """Models that have one, two or no steps in common, and what native onnxruntime says of each."""
    folder = tmp_path_factory.mktemp("family")
    steps = [(1, 2, 3), (1, 2, 4), (1, 5), (1, 2, 3, 6), (7, 8)]
    paths = [chained(folder / f"{number}.onnx", one) for number, one in enumerate(steps)]
    return {str(path): native.run(path, {"x": ROWS})["out"] for path in paths}


def rounds(accelerator, family, count):
    """Load, run and unload models in changing orders; how often something was shared."""
    order, shared = np.random.default_rng(count), 0
    for number in range(count):
        there: list[str] = []
        for path in order.permutation(list(family))[: 2 + number % 4]:
            there.append(path)
            for one in order.permutation(there):
                result = accelerator.run(one, {"x": ROWS}, remember=bool(number % 2))
                assert np.abs(result.output - family[one]).max() < TOLERANCE
                shared += bool(result.shared_tensors_used) and not result.cached
            if len(there) > 2 and order.random() < 0.3:
                accelerator.unload(there.pop(0))
        held = tally(accelerator)["weight_bytes"]
        assert held == held_bytes(components_of(layouts(accelerator).values()).values())
        for path in order.permutation(there):
            accelerator.unload(path)
        assert set(tally(accelerator).values()) == {0}
    return shared


@pytest.mark.usefixtures("all_is_worth_it")
@pytest.mark.parametrize(("browser", "platform"), EVERYWHERE)
def test_models_that_come_and_go_leave_nothing(opened, family, browser, platform):
    rounds(opened(browser, platform), family, 20)


@pytest.mark.soak
@pytest.mark.usefixtures("all_is_worth_it")
@pytest.mark.parametrize(("browser", "platform"), EVERYWHERE)
def test_many_that_come_and_go_leave_nothing(opened, family, browser, platform):
    shared = rounds(opened(browser, platform), family, 1000)
    sys.stdout.write(f"{platform}: 1000 rounds left nothing, {shared} runs took what was made\n")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_requests_go_on_while_models_are_laid_out_anew(opened, family, platform):
    accelerator = opened("portable", platform)._core
    portal = opened("portable", platform)._portal

    async def asking(path, until):
        ran = 0
        while not until.done() or ran < 3:
            result = await accelerator.run(path, {"x": ROWS}, remember=False)
            assert np.abs(result.output - family[path]).max() < TOLERANCE
            ran += 1

    async def scenario():
        first, *others = family
        await accelerator.load(first)

        async def arriving():
            for _ in range(3):
                for path in others:
                    await accelerator.run(path, {"x": ROWS}, remember=False)
                for path in others:
                    await accelerator.unload(path)

        come = asyncio.ensure_future(arriving())
        await asyncio.gather(come, *(asking(first, come) for _ in range(3)))

    portal.call(scenario)


@pytest.fixture
def all_is_worth_it(monkeypatch):
    """Have what is computed in no time remembered too."""
    monkeypatch.setattr("ipfs_accelerate.pool.recall.LEAST_MS", 0)


OVERLAPS = given(overlapping(most_models=3, most_steps=6))
SLOW = list(HealthCheck)


def compare(pair, overlap, folder, found):
    """Run models that overlap at random with sharing and without; note what was shared."""
    paths = {}
    for key, model in overlap.models.items():
        paths[key] = folder / f"{key}.onnx"
        onnx.save(model, paths[key])
    for one in pair:
        empty(one)
    tries = [(key, remember) for remember in (False, True) for key in paths]
    try:
        for key, remember in tries:  # as they come, and when all of them are there
            feeds = fed(overlap.models[key], overlap.feeds)
            options = {"allow_fallback": ["wasm"], "remember": remember}
            together, apart = (one.run(paths[key], feeds, **options) for one in pair)
            assert apart.shared_tensors_used == ()
            found["taken"] += len(together.shared_tensors_used)
            for name, value in apart.output_tensors.items():
                np.testing.assert_allclose(
                    together.output_tensors[name], value, rtol=AS_UNSHARED, atol=AS_UNSHARED
                )
        used = [set(one.keys) for one in layouts(pair[0]).values()]
        found["sharing"] += len(set().union(*used)) < sum(map(len, used))
        found["sets"] += 1
    finally:
        for one in pair:
            empty(one)
    assert set(tally(pair[0]).values()) == {0}


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.usefixtures("all_is_worth_it")
def test_models_that_overlap_at_random_compute_what_they_do_alone(accelerators, tmp_path, platform):
    pair = [accelerators("portable", platform, share=share) for share in (True, False)]
    found: Counter[str] = Counter()

    @settings(
        max_examples=12,
        deadline=None,
        suppress_health_check=SLOW,
        database=None,
        derandomize=True,  # so that it is known to share some
    )
    @OVERLAPS
    def few(overlap):
        compare(pair, overlap, tmp_path, found)

    few()
    assert found["sharing"] > 1  # else it shows nothing
    assert found["taken"] > 1


@pytest.mark.soak
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.usefixtures("all_is_worth_it")
def test_so_do_many_more(accelerators, tmp_path, platform):
    pair = [accelerators("portable", platform, share=share) for share in (True, False)]
    found: Counter[str] = Counter()

    @settings(max_examples=500, deadline=None, suppress_health_check=SLOW, database=None)
    @OVERLAPS
    def many(overlap):
        compare(pair, overlap, tmp_path, found)

    many()
    sys.stdout.write(f"{platform}: of random models {dict(found)}\n")


def test_a_load_of_several_parts_says_how_far_it_is_in_one_figure(make, heads):
    told: list[tuple[str, int, int]] = []
    accelerator = make(
        browser="portable", platform="wasm", on_progress=lambda *figures: told.append(figures)
    )
    accelerator.load(heads[0])
    told.clear()
    accelerator.load(heads[1])  # the encoder and both heads, each a file of its own
    (total,) = {total for _, _, total in told}
    parts = components_of(layouts(accelerator).values()).values()
    assert total == sum(one.graph.size + one.weight_bytes for one in parts)
    done = [one for _, one, _ in told]
    assert done == sorted(done)
    assert done[-1] == total


def test_more_shapes_at_once_than_are_held_are_all_served(opened, family):
    accelerator, path = opened("portable", "webnn"), next(iter(family))

    async def scenario():
        core = accelerator._core
        rows = [ROWS[np.arange(number) % len(ROWS)] for number in range(1, 2 * MOST_SHAPES + 2)]
        runs = [core.run(path, {"x": one}, remember=False) for one in [*rows, *rows]]
        for one, result in zip([*rows, *rows], await asyncio.gather(*runs), strict=True):
            right = family[path][np.arange(len(one)) % len(ROWS)]
            assert np.abs(result.output - right).max() < TOLERANCE

    accelerator._portal.call(scenario)


def tables(accelerator):
    """How often the word table is held."""
    held = components_of(layouts(accelerator).values()).values()
    sizes = [weight.size for component in held for weight in component.weights]
    return sizes.count(WORD_TABLE)


def ids(dtype):
    return np.arange(1000, 1016, dtype=dtype)[None]


needs_cloneguard = pytest.mark.skipif(
    CLONEGUARD is None, reason="cloneguard is not installed: `make setup`"
)


@needs_cloneguard
@pytest.mark.parametrize("platform", PLATFORMS)
def test_minilm_and_a_classifier_tuned_from_it_hold_the_word_table_once(opened, store, platform):
    accelerator, alone = opened("portable", platform), opened("portable", platform, share=False)
    minilm, wide = resolve(DEFAULT, store), {"attention_mask": np.ones((1, 16), np.int64)}
    # One names rows by int64, the other by int32: the part that they share takes int32.
    feeds = {
        DEFAULT: {"input_ids": ids(np.int32)},
        str(CLONEGUARD): {"input_ids": ids(np.int64), **wide},
    }
    for one in (accelerator, alone):
        for model, inputs in feeds.items():
            one.run(model, inputs, remember=False)
    assert tally(accelerator)["weight_bytes"] == sum(
        part.weight_bytes for part in parts_of(feeds, store)
    )
    assert (tables(accelerator), tables(alone)) == (1, 2)
    assert explain(dags_of(feeds, store)).sets[0].held == WORD_TABLE
    results = {model: accelerator.run(model, inputs) for model, inputs in feeds.items()}
    for model, inputs in feeds.items():
        assert worst(results[model], alone.run(model, inputs, remember=False)) <= AS_UNSHARED
    paths = {DEFAULT: store.path(minilm.graph.cid), str(CLONEGUARD): str(CLONEGUARD)}
    for model, inputs in feeds.items():
        names = [port.name for port in resolve(model, store).inputs]
        whole = {
            "attention_mask": np.ones((1, 16), np.int64),
            "token_type_ids": np.zeros((1, 16), np.int64),
        } | inputs
        dtypes = {port.name: port.dtype for port in resolve(model, store).inputs}
        natively = native.run(
            paths[model], {name: whole[name].astype(dtypes[name]) for name in names}
        )
        for name, value in natively.items():
            assert np.abs(results[model].output_tensors[name] - value).max() < TOLERANCE


@needs_cloneguard
@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_lies_on_the_worker_is_taken_whatever_width_a_part_takes(make, platform):
    accelerator = make(browser="portable", platform=platform, threads=1)
    values = {"input_ids": ids(np.int64), "attention_mask": np.ones((1, 16), np.int64)}
    right = accelerator.run(CLONEGUARD, values, remember=False)
    accelerator.run(DEFAULT, {"input_ids": ids(np.int32)}, remember=False)
    assert not layouts(accelerator)["mini_semantic"].is_whole
    there = {name: accelerator.put(value) for name, value in values.items()}
    for inputs in (there, {**values, "input_ids": there["input_ids"]}):
        result = accelerator.run(CLONEGUARD, inputs)
        assert worst(result, right) <= AS_UNSHARED
        assert not result.cached
        assert result.shared_tensors_used == ()
    assert accelerator.drop(*there.values()) == 2
