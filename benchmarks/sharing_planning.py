"""What finding out costs: reading a graph and planning its cuts, beside loading the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto, helper, load_from_string, numpy_helper

from benchmarks.call import text_of
from benchmarks.report import Comparison, Figure, Group, Sample
from benchmarks.sharing_sides import OFF, options_of
from benchmarks.statistics import Target
from benchmarks.stopwatch import Stopwatch
from ipfs_accelerate import Accelerator
from ipfs_accelerate.graph import partition, read_dag
from ipfs_accelerate.models import DEFAULT, BlockStore, resolve
from ipfs_accelerate.models.dags import dag_of, turned

if TYPE_CHECKING:
    from collections.abc import Callable

    from onnx import ModelProto, NodeProto

    from benchmarks.setting import Setting
    from benchmarks.sharing_models import Scenario

ROUNDS = 20
QUICK = 3
LARGE_ROUNDS = 5
LARGE_QUICK = 3
NODES = 10_000
WIDTH = 8
A_TENTH = Target("at most", 0.1)
TWO_SECONDS = Target("at most", 2000)
NEW, KNOWN, LOADED = "read and planned", "known, and planned", "loaded"


def beside_loading(setting: Setting, text: Scenario, platform: str) -> list[Comparison]:
    """Plan MiniLM with a head on it, then load MiniLM, again and again."""
    rounds = setting.long_pairs(ROUNDS, quick=QUICK)
    watch = Stopwatch()
    plan_new, plan_known = _plans(setting, text)
    with Accelerator(**options_of(setting, platform, OFF)) as accelerator:
        accelerator.embed(text_of(0))
        for number in range(rounds):
            for name, plan in ((NEW, plan_new), (KNOWN, plan_known)):
                with watch.of(name):
                    plan()
            accelerator.unload(DEFAULT)
            loaded = accelerator.embed(text_of(number + 1)).performance_metrics["load_ms"]
            watch.taken[LOADED].append(loaded)
            setting.on_step(f"sharing, {platform}, planning", number + 1, rounds)
    return [
        Comparison(
            label=f"{platform}, planning MiniLM with a head: {name}",
            ours=Sample(name, "ms", watch.taken[name]),
            other=Sample(LOADED, "ms", watch.taken[LOADED]),
            by="share",
            target=A_TENTH,
        )
        for name in (NEW, KNOWN)
    ]


def _plans(setting: Setting, text: Scenario) -> tuple[Callable[[], object], Callable[[], object]]:
    store = BlockStore(setting.folder / "cache")
    base, head = resolve(DEFAULT, store), resolve(text.models[0], store)
    beside = dag_of(head, store)
    dag_of(base, store)

    def new() -> object:
        model = load_from_string(store.get(base.graph.cid))
        return partition({"base": read_dag(model, turned(store, keep=True)), "head": beside})

    def known() -> object:
        return partition({"base": dag_of(base, store), "head": beside})

    return new, known


def large(setting: Setting) -> Group:
    """Read a graph of many nodes, and plan it with another that ends differently."""
    rounds = setting.long_pairs(LARGE_ROUNDS, quick=LARGE_QUICK)
    watch = Stopwatch()
    one, other = _chain("Relu"), read_dag(_chain("Tanh"))
    for _ in range(rounds):
        with watch.of("read_dag"):
            dag = read_dag(one)
        with watch.of("partition with another"):
            partition({"one": dag, "other": other})
    both = [sum(pair) for pair in zip(*watch.taken.values(), strict=True)]
    return Group(
        f"a graph of {NODES:,} nodes",
        [
            *(Figure(Sample(name, "ms", times)) for name, times in watch.taken.items()),
            Figure(Sample("both", "ms", both), TWO_SECONDS),
        ],
    )


def _chain(last: str) -> ModelProto:
    """Layers of two branches that meet again, as most nodes of a real graph do."""
    rng = np.random.default_rng(1)
    nodes: list[NodeProto] = []
    weights, at = [], "x"
    while len(nodes) < NODES - 1:
        name = f"n{len(nodes)}"
        drawn = rng.standard_normal((WIDTH, WIDTH), np.float32)
        weights.append(numpy_helper.from_array(drawn, f"{name}.w"))
        nodes += [
            helper.make_node("MatMul", [at, f"{name}.w"], [f"{name}.m"]),
            helper.make_node("Tanh", [f"{name}.m"], [f"{name}.t"]),
            helper.make_node("Add", [f"{name}.t", at], [name]),
        ]
        at = name
    nodes.append(helper.make_node(last, [at], ["y"]))
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", WIDTH])
        for name in ("x", "y")
    ]
    graph = helper.make_graph(nodes, "large", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
