"""Sets of models that overlap at random, kept as the store keeps them, and how to run their parts.

A set is drawn as programs: a trunk of steps, of which each model has so many, and steps of its
own. The same step is written differently in different models, in the ways that are unified.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]  # it ships no types
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from ipfs_accelerate.graph import extract, inner_blocks, read_dag
from ipfs_accelerate.graph.digests import cid_of

if TYPE_CHECKING:
    from pathlib import Path

WIDTH = 32
ROWS = 64
SMALLEST = 4096
STEPS = ("add", "matmul", "norm", "written_norm", "gelu", "mask", "split", "branch", "relu", "conv")


@dataclass
class Blocks:
    """A folder of blocks, as a store keeps them."""

    folder: Path
    turns: int = 0

    def put(self, data):
        cid = cid_of(data)
        (self.folder / cid).write_bytes(data)
        return cid

    def turned(self, cid, shape, dtype):
        """Keep the turned content of a block too."""
        self.turns += 1
        items = np.frombuffer((self.folder / cid).read_bytes(), dtype).reshape(shape)
        return self.put(np.ascontiguousarray(items.T).tobytes())

    def stored(self, model):
        """The model with its large initializers moved out."""
        kept = type(model)()
        kept.CopyFrom(model)
        for tensor in kept.graph.initializer:
            data = numpy_helper.to_array(tensor).tobytes()
            if len(data) >= SMALLEST and tensor.data_type != TensorProto.STRING:
                for name in ("raw_data", "float_data", "int32_data", "int64_data"):
                    tensor.ClearField(name)
                tensor.data_location = TensorProto.EXTERNAL
                place = {"location": self.put(data), "offset": "0", "length": str(len(data))}
                for key, value in place.items():
                    tensor.external_data.add(key=key, value=value)
        return kept

    def run(self, model, feeds, *, optimised=False):
        """Run a model by native onnxruntime; its outputs by name."""
        path = self.folder / "model.onnx"
        path.write_bytes(model.SerializeToString(deterministic=True))
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        options.graph_optimization_level = (
            ort.GraphOptimizationLevel.ORT_ENABLE_ALL
            if optimised
            else ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        )
        session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        names = [one.name for one in session.get_outputs()]
        wanted = {one.name: feeds[one.name] for one in session.get_inputs()}
        return dict(zip(names, session.run(names, wanted), strict=True))

    def run_parts(self, model, dag, parts, feeds, *, optimised=False):
        """Run a model's parts one after another; its outputs by its own names."""
        made: list[dict[str, Any]] = []
        outputs: dict[str, Any] = {}
        for part in parts:
            for cid, data in inner_blocks(model, dag, part):
                assert self.put(data) == cid
            given = {}
            for source in part.inputs:
                place = feeds if source.part is None else made[source.part]
                value = place[source.input or source.output]
                given[source.name] = value.astype(source.dtype)
            made.append(self.run(extract(model, dag, part), given, optimised=optimised))
            for result in part.outputs:
                assert str(made[-1][result.name].dtype) == result.dtype
                outputs |= dict.fromkeys(result.outputs, made[-1][result.name])
        return outputs


@dataclass
class Overlap:
    """Models that overlap, before they are stored, and feeds that suit each of them."""

    models: dict[str, Any]
    feeds: dict[str, Any]

    def stored(self, blocks):
        return {key: blocks.stored(model) for key, model in self.models.items()}

    def dags(self, blocks, *, turning=True):
        turned = blocks.turned if turning else None
        return {key: read_dag(one, turned) for key, one in self.stored(blocks).items()}


@dataclass
class Writer:
    """Writes one model's program as ONNX, in forms that its own choices decide."""

    key: str
    choices: np.random.Generator
    ids: int
    nodes: list[Any] = field(default_factory=list)
    initializers: dict[str, Any] = field(default_factory=dict)

    def name(self, what):
        return f"{self.key}.{what}.{len(self.nodes)}"

    def node(self, operator, *inputs, count=1, **attributes):
        names = [f"{self.name(operator)}.{at}" for at in range(count)]
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        if count > 1:
            return names
        if self.choices.random() < 0.1:
            self.nodes.append(helper.make_node("Identity", names, [names[0] + ".again"]))
            return names[0] + ".again"
        return names[0]

    def constant(self, array):
        array = np.asarray(array)
        name = f"{self.key}.c{len(self.initializers)}.{len(self.nodes)}"
        tensor = numpy_helper.from_array(array, name)
        form = self.choices.integers(4)
        if form == 0:
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        elif form == 1 and array.dtype == np.float32:
            self.initializers[name] = helper.make_tensor(
                name, TensorProto.FLOAT, array.shape, array.ravel().tolist()
            )
        elif form == 2 and array.ndim == 2:
            turned = name + ".turned"
            items = np.ascontiguousarray(array.T)
            self.initializers[turned] = numpy_helper.from_array(items, turned)
            self.nodes.append(helper.make_node("Transpose", [turned], [name], perm=[1, 0]))
        else:
            self.initializers[name] = tensor
        return name

    def step(self, kind, before, seed):
        random = np.random.default_rng(seed)
        weight = random.standard_normal((WIDTH, WIDTH), np.float32) / 8
        row = random.standard_normal(WIDTH, np.float32)
        return getattr(self, kind)(before, weight, row)

    def add(self, before, weight, row):
        return self.node("Add", before[-1], before[int(abs(row[0]) * 7) % len(before)])

    def matmul(self, before, weight, row):
        product = self.node("MatMul", before[-1], self.constant(weight))
        return self.node("Add", product, self.constant(row))

    def norm(self, before, weight, row):
        scale, shift = self.constant(row), self.constant(weight[0])
        extra = {"axis": -1} if self.choices.random() < 0.5 else {}
        return self.node("LayerNormalization", before[-1], scale, shift, **extra)

    def written_norm(self, before, weight, row):
        last = self.constant(np.array([-1]))
        mean = self.node("ReduceMean", before[-1], last)
        apart = self.node("Sub", before[-1], mean)
        square = self.node("Pow", apart, self.constant(np.float32(2)))
        spread = self.node("ReduceMean", square, last)
        some = self.node("Add", spread, self.constant(np.float32(1e-5)))
        level = self.node("Div", apart, self.node("Sqrt", some))
        scaled = self.node("Mul", level, self.constant(row))
        return self.node("Add", scaled, self.constant(weight[1]))

    def gelu(self, before, weight, row):
        part = self.node("Div", before[-1], self.constant(np.float32(2**0.5)))
        more = self.node("Add", self.node("Erf", part), self.constant(np.float32(1)))
        both = self.node("Mul", before[-1], more)
        return self.node("Mul", both, self.constant(np.float32(0.5)))

    def mask(self, before, weight, row):
        there = self.node("Cast", "mask", to=TensorProto.FLOAT)
        wide = self.node("Unsqueeze", there, self.constant(np.array([2])))
        return self.node("Mul", before[-1], wide)

    def split(self, before, weight, row):
        left, right = self.node("Split", before[-1], axis=-1, num_outputs=2, count=2)
        return self.node("Concat", right, left, axis=-1)

    def relu(self, before, weight, row):
        return self.node("Relu", before[-1])

    def conv(self, before, weight, row):
        turned = self.node("Transpose", before[-1], perm=[0, 2, 1])
        kernel = self.constant(np.stack([weight, weight[::-1]], -1))
        far = self.node("Conv", turned, kernel, self.constant(row), kernel_shape=[2], pads=[0, 1])
        return self.node("Transpose", self.node("Relu", far), perm=[0, 2, 1])

    def branch(self, before, weight, row):
        some = self.node("ReduceSum", "mask", keepdims=0)
        more = self.node("Greater", some, self.constant(np.array(row[0] > 0, np.int64)))
        name = self.name("if")
        branches = {
            f"{side}_branch": helper.make_graph(
                [
                    helper.make_node("Constant", [], [f"{name}.{side}.c"], value_float=factor),
                    helper.make_node("Mul", [before[-1], f"{name}.{side}.c"], [f"{name}.{side}"]),
                ],
                f"{name}.{side}",
                [],
                [helper.make_tensor_value_info(f"{name}.{side}", TensorProto.FLOAT, None)],
            )
            for side, factor in (("then", 1.5), ("else", 0.5))
        }
        return self.node("If", more, **branches)

    def model(self, program, extra):
        table = np.random.default_rng(5).standard_normal((ROWS, WIDTH), np.float32)
        values = [self.node("Gather", self.constant(table), "ids")]
        for kind, seed in program:
            values.append(self.step(kind, values, seed))
        ends = dict.fromkeys([values[-1], values[extra % len(values)]])
        free = [self.key + "b", self.key + "s"]
        graph = helper.make_graph(
            self.nodes,
            self.key,
            [
                helper.make_tensor_value_info("ids", self.ids, free),
                helper.make_tensor_value_info("mask", TensorProto.INT64, free),
            ],
            [helper.make_tensor_value_info(one, TensorProto.FLOAT, None) for one in ends],
            list(self.initializers.values()),
        )
        opsets = [helper.make_opsetid("", int(self.choices.choice([18, 20, 21])))]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def written(programs, seed=0):
    """Models by name, of (program, which other value is an output)."""
    models = {}
    for at, (key, (program, extra)) in enumerate(programs.items()):
        choices = np.random.default_rng([seed, at])
        ids = TensorProto.INT32 if choices.random() < 0.5 else TensorProto.INT64
        models[key] = Writer(key, choices, ids).model(program, extra)
    random = np.random.default_rng(seed)
    feeds = {"ids": random.integers(0, ROWS, (2, 5)), "mask": random.integers(0, 2, (2, 5))}
    return Overlap(models, feeds)


def fed(model, feeds):
    """The feeds in the widths that the model declares."""
    widths = {one.name: one.type.tensor_type.elem_type for one in model.graph.input}
    return {
        name: value.astype(helper.tensor_dtype_to_np_dtype(widths[name]))
        for name, value in feeds.items()
    }


_steps = st.tuples(st.sampled_from(STEPS), st.integers(0, 3))


@st.composite
def overlapping(draw, most_models=3, most_steps=8):
    """Draw models whose programs begin alike for some length and then differ."""
    trunk = draw(st.lists(_steps, min_size=1, max_size=most_steps))
    programs = {}
    for key in "abcdefgh"[: draw(st.integers(1, most_models))]:
        length = draw(st.integers(0, len(trunk)))
        own = draw(st.lists(_steps, max_size=3))
        programs[key] = (trunk[:length] + own, draw(st.integers(0, most_steps)))
    return written(programs, draw(st.integers(0, 2**16)))
