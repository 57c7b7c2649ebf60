from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.safetensors_file import Entry, SafetensorsFile


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "w.safetensors"
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.array(7, np.int64)
    save_file({"a": a, "b": b}, path, metadata={"format": "pt"})
    return path


def framed(header) -> bytes:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw


def test_it_reads_what_the_official_package_wrote(path):
    with SafetensorsFile(path) as file:
        assert sorted(file.entries) == ["a", "b"]
        entry, view = file.view("a")
        assert (entry.dtype, entry.shape) == ("F32", (2, 3))
        assert np.frombuffer(view, "<f4").tolist() == [0, 1, 2, 3, 4, 5]
        assert file.view("b")[0].shape == ()


def test_a_view_outlives_the_file(path):
    with SafetensorsFile(path) as file:
        _, view = file.view("a")
    assert len(view) == 24


def test_a_missing_tensor_is_said(path):
    with SafetensorsFile(path) as file, pytest.raises(ModelError, match="no tensor 'c'"):
        file.view("c")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 8,
        b"\xff" * 100,
        framed(b"{"),
        framed([]),
        framed({"a": 1}),
        framed({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}),
        framed({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 3]}}) + bytes(4),
        framed({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}) + bytes(4),
        framed({"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}) + bytes(4),
        framed({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0]}}) + bytes(4),
        framed({"a": {"dtype": "X", "shape": [1], "data_offsets": [0, 4]}}) + bytes(4),
        framed({"a": {"dtype": [], "shape": [1], "data_offsets": [0, 4]}}) + bytes(4),
        framed({"a": {"dtype": "F32", "shape": ["1"], "data_offsets": [0, 4]}}) + bytes(4),
        framed({"a": {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4.0]}}) + bytes(4),
        framed(b"[" * 100_000),
    ],
)
def test_bytes_that_are_no_such_file_are_refused(tmp_path, data):
    path = tmp_path / "w"
    path.write_bytes(data)
    with pytest.raises(ModelError, match="cannot be read as safetensors") as caught:
        SafetensorsFile(path)
    assert caught.value.code == "model_invalid"


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ModelError, match="cannot be read as safetensors"):
        SafetensorsFile(tmp_path / "none")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 150), value=st.integers(0, 255))
def test_a_damaged_byte_gives_a_file_or_a_model_error(path, place, value):
    data = bytearray(path.read_bytes())
    data[place % len(data)] = value
    damaged = path.with_name("damaged")
    damaged.write_bytes(data)
    try:
        with SafetensorsFile(damaged) as file:
            for name in file.entries:
                entry, view = file.view(name)
                assert isinstance(entry, Entry)
                assert len(view) == entry.end - entry.begin
    except ModelError:
        pass
