"""Every kind of bad input is a clear error, nothing hangs, and the accelerator is usable after."""

import re

import numpy as np
import pytest
from onnx import TensorProto
from tests.browser import graphs
from tests.browser.broken import BROKEN
from tests.browser.graphs import floats, node, port
from tests.browser.refusals import X, assert_works, refusal

from ipfs_accelerate import InferenceError, ModelError, RemoteTensor, TensorError

pytestmark = pytest.mark.usefixtures("nothing_hangs")


@pytest.fixture
def adding(tmp_path):
    return graphs.save(graphs.adding(), tmp_path / "adding.onnx")


@pytest.fixture
def multiplying(tmp_path):
    made = graphs.model(
        [node("MatMul", "left right", "out")],
        [floats("left", ["n", 3]), floats("right", [3, 2])],
        [floats("out", ["n", 2])],
    )
    return graphs.save(made, tmp_path / "multiplying.onnx")


@pytest.fixture
def refused(accelerator, adding):
    """Makes a call that is refused, and shows that the same accelerator works after it."""

    def of(call, code, message, hint=""):
        error = refusal(lambda: call(accelerator))
        assert error.code == code
        assert re.search(message, error.message), error.message
        assert re.search(hint, error.hint or ""), error.hint
        assert_works(accelerator, adding)
        return error

    return of


@pytest.mark.parametrize("model", ["all-MiniLM-L6-v3", "minilm2", "no/such/file.onnx", "", "a\0b"])
def test_an_unknown_model_names_the_nearest(refused, model):
    error = refused(lambda made: made.embed("x", model), "model_not_found", "There is no model")
    assert isinstance(error, ModelError)
    assert "nearest name is 'all-MiniLM-L6-v2'" in str(error)


@pytest.mark.parametrize("model", [None, 5, b"all-MiniLM-L6-v2"])
def test_what_is_no_models_name_is_said_to_be_none(refused, model):
    what = f"of type {type(model).__name__}"
    for call in (lambda made: made.run(model, X), lambda made: made.unload(model)):
        refused(call, "model_not_found", what)


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_no_model(refused, tmp_path, name):
    write, message = BROKEN[name]
    path = tmp_path / "broken.onnx"
    write(path)
    for _ in range(2):  # what failed once is not remembered as built
        refused(lambda made: made.load(path), "model_invalid", message)


def test_a_file_that_was_broken_and_is_mended_works(refused, accelerator, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not yet")
    refused(lambda made: made.load(path), "model_invalid", "not an ONNX protobuf")
    graphs.save(graphs.adding(), path)
    assert_works(accelerator, path)


LEFT, RIGHT = np.ones((4, 3), np.float32), np.ones((3, 2), np.float32)


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        (
            {"left": np.ones((4, 5), np.float32), "right": RIGHT},
            (
                "input_mismatch",
                r"'left' does not fit: expected float32\[n, 3\], got float32\[4, 5\]",
                "Make its dimension 1 3 long",
            ),
        ),
        (
            {"left": np.ones(3, np.float32), "right": RIGHT},
            (
                "input_mismatch",
                r"'left' does not fit: expected float32\[n, 3\], got float32\[3\]",
                "an array of 2 dimensions",
            ),
        ),
        (
            {"left": LEFT, "right": np.ones((3, 2))},
            (
                "input_mismatch",
                r"'right' does not fit: expected float32\[3, 2\], got float64\[3, 2\]",
                r"right\.astype\('float32'\)",
            ),
        ),
        (
            {"left": LEFT, "right": [["a", "b"]] * 3},
            (
                "input_mismatch",
                r"'right' does not fit: expected float32\[3, 2\], got <U1\[3, 2\]",
                "numbers",
            ),
        ),
        (
            {"left": LEFT, "right": [[1], [1, 2]]},
            ("input_mismatch", r"'right' .* rows that are not of one length", "numbers"),
        ),
        (
            {"left": LEFT, "right": None},
            ("input_mismatch", r"'right' .* no plain numbers", "numbers"),
        ),
        (
            {"left": LEFT},
            (
                "input_missing",
                r"'right' is missing: expected float32\[3, 2\], got nothing",
                "under the name 'right'",
            ),
        ),
        ({}, ("input_missing", r"'left' is missing: expected float32\[n, 3\]", "'left'")),
        (
            {"left": LEFT, "right": RIGHT, "rihgt": RIGHT},
            (
                "input_unknown",
                "no input 'rihgt'",
                r"nearest is 'right'.* left float32\[n, 3\], right float32\[3, 2\]",
            ),
        ),
        ("a text", ("input_mismatch", "named tensors, and was given str", "left, right")),
        (None, ("input_mismatch", "named tensors, and was given NoneType", "left, right")),
    ],
)
def test_inputs_that_do_not_fit(refused, multiplying, inputs, says):
    error = refused(lambda made: made.run(multiplying, inputs), *says)
    assert isinstance(error, InferenceError)
    assert not error.retryable


def test_one_bad_input_of_a_batch_fails_the_batch(refused, adding):
    batch = [X, {"y": X["x"]}, X]
    refused(lambda made: made.run_batch_inference(adding, batch), "input_unknown", "no input 'y'")


def test_inputs_that_only_the_graph_refuses(refused, tmp_path):
    reshaping = graphs.model(
        [node("Reshape", "x shape", "out")],
        [floats("x", ["n"]), port("shape", TensorProto.INT64, [1])],
        [floats("out", ["m"])],
    )
    path = graphs.save(reshaping, tmp_path / "reshaping.onnx")
    inputs = {**X, "shape": np.array([5])}
    refused(lambda made: made.run(path, inputs), "run_failed", "cannot be reshaped", "shape")


def test_a_dtype_that_no_frame_carries(refused, tmp_path):
    of_texts = port("x", TensorProto.STRING, ["n"])
    out = port("out", TensorProto.STRING, ["n"])
    path = graphs.save(
        graphs.model([node("Identity", "x", "out")], [of_texts], [out]), tmp_path / "texts.onnx"
    )
    refused(lambda made: made.run(path, {"x": ["a"]}), "tensor_dtype", "'string'", "float32")


@pytest.mark.parametrize(
    ("texts", "message", "hint"),
    [
        ("half \ud83d of a smile", r"'half \\ud83d of a smile' cannot be encoded", "surrogate"),
        (["whole", "\udc80"], r"'\\udc80' cannot be encoded", "surrogate"),
        ([], "an empty list of texts", "at least one"),
        (["a", 5], "Item 1 of the texts is of type int; expected str", "text"),
        (5, "can't take a int", "a list of texts"),
        (None, "can't take a NoneType", "a list of texts"),
        (b"bytes", "of type int", "text"),
    ],
)
def test_texts_that_are_none(refused, texts, message, hint):
    refused(lambda made: made.embed(texts), "input_mismatch", message, hint)


def test_a_tensor_that_was_dropped_is_not_found(refused, accelerator, adding):
    gone = accelerator.put(X["x"])
    accelerator.drop(gone)
    for call in (lambda made: made.get(gone), lambda made: made.run(adding, {"x": gone})):
        error = refused(call, "tensor_not_found", f"handle {gone.handle}", "Put the tensor again")
        assert isinstance(error, TensorError)


def test_a_tensor_of_a_worker_that_is_not_there(refused, accelerator, adding):
    gone = RemoteTensor(worker=99, handle=1, dtype="float32", shape=(2,))
    for call in (lambda made: made.get(gone), lambda made: made.run(adding, {"x": gone})):
        refused(call, "tensor_not_found", "Worker 99 has ended", "Put them again")
    here = accelerator.put(X["x"])
    assert accelerator.drop(gone, here) == 1


def test_a_tensor_of_another_accelerator_is_not_taken_for_ones_own(refused, accelerator, make):
    theirs = make().put(np.array([7, 8], np.float32))
    mine = accelerator.put(X["x"])
    assert theirs.worker == mine.worker
    refused(lambda made: made.get(theirs), "tensor_not_found", f"handle {theirs.handle}")
    assert accelerator.get(mine).tolist() == [1, 2]
    accelerator.drop(mine)


@pytest.mark.parametrize("values", ["a text", None, [object()], np.ones(2, np.complex64)])
def test_what_is_no_array_of_numbers_is_not_put(refused, values):
    refused(lambda made: made.put(values), "tensor_dtype", "cannot be carried", "float32")


def test_rows_of_several_lengths_are_not_put(refused):
    refused(lambda made: made.put([[1], [1, 2]]), "tensor_dtype", "A list .* inhomogeneous")


@pytest.mark.parametrize("call", ["get", "drop"])
def test_what_is_no_remote_tensor_is_refused(refused, call):
    refused(lambda made: getattr(made, call)(X["x"]), "tensor_not_found", "A ndarray is no tensor")


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda made, adding: made.run_batch_inference(adding, [X], -1), "batch_size=-1"),
        (lambda made, adding: made.run_batch_inference(adding, [X], 0), "batch_size=0"),
        (lambda made, adding: made.run_batch_inference(adding, [X], "two"), "batch_size='two'"),
        (lambda made, adding: made.accelerate_model(adding, platform="webgp"), "platform='webgp'"),
        (lambda made, adding: made.accelerate_model(adding, "vision"), "not 'vision'"),
        (lambda made, adding: made.accelerate_model(adding, quantization=4), "quantization=4"),
        (lambda made, adding: made.run_inference(adding, X, store_results=True), "store_results"),
        (lambda made, adding: made.get_performance_report("xml"), "'xml'"),
    ],
)
def test_an_argument_that_does_not_fit(refused, adding, call, what):
    refused(lambda made: call(made, adding), "bad_option", re.escape(what))


def test_an_option_of_a_call_that_is_not_there_is_refused(refused, adding):
    what = "There is no option 'nonsense'"
    refused(lambda made: made.run_inference(adding, X, nonsense=1), "unknown_option", what)


def test_a_block_that_is_gone_is_made_anew_by_the_next_call(make, tmp_path):
    path = graphs.save(graphs.adding(), tmp_path / "adding.onnx")
    accelerator = make(platform="wasm", remember=False, cache_dir=tmp_path / "cache")
    x = np.zeros(2, np.float32)
    accelerator.run(path, {"x": x})
    accelerator.unload(path)
    for block in (tmp_path / "cache" / "blocks").iterdir():
        block.unlink()
    with pytest.raises(ModelError) as caught:
        accelerator.run(path, {"x": x})
    assert caught.value.code == "block_unavailable"
    assert np.array_equal(accelerator.run(path, {"x": x}).output, x + 1)


def test_a_file_that_has_changed_is_read_again(make, tmp_path):
    path = graphs.save(graphs.adding(), tmp_path / "model.onnx")
    accelerator, x = make(platform="wasm"), np.ones(2, np.float32)
    assert np.array_equal(accelerator.run(path, {"x": x}).output, x + 1)
    graphs.save(graphs.scaling(), path)
    assert np.array_equal(accelerator.run(path, {"x": x}).output, x * 2)
