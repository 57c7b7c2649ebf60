"""The guides' code blocks are acceptance tests: each runs as written, or is listed as pending.

What a block takes for granted (an accelerator, some inputs) is given to it; names of models that
can't be had here are replaced by one that can.
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from fixed_web_platform.resource_pool_integration import create_ipfs_web_accelerator

HERE = Path(__file__).parent
GUIDES = ("javascript", "tensor_sharing", "resource_pool")
MODELS = {"bert-base-uncased": "all-MiniLM-L6-v2"}
PENDING = set((HERE / "pending.txt").read_text().split())


class Block(NamedTuple):
    name: str
    language: str
    code: str


def blocks() -> list[Block]:
    found = []
    for guide in GUIDES:
        text = (HERE / f"{guide}.md").read_text()
        for number, (language, code) in enumerate(
            re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE), 1
        ):
            found.append(Block(f"{guide}-{number:02}", language, code))
    return found


BUILT = [block for block in blocks() if block.name not in PENDING]


@pytest.fixture(scope="module")
def accelerator(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    made = create_ipfs_web_accelerator(cache_dir=folder, websocket_port=0)
    made.embed("what the reports are about")
    yield made
    made.close()


@pytest.mark.parametrize("block", BUILT, ids=[block.name for block in BUILT])
def test_a_block_runs_as_written(block, accelerator, monkeypatch, tmp_path, capsys):
    assert block.language == "python"
    monkeypatch.chdir(tmp_path)
    inputs = {
        f"input{number}": {
            "input_ids": [101, 2023, 2003, 1037, 3230 + number, 102],
            "attention_mask": [1] * 6,
        }
        for number in range(1, 5)
    }
    given = {"accelerator": accelerator, **inputs}
    code = block.code
    for theirs, ours in MODELS.items():
        code = code.replace(f'"{theirs}"', f'"{ours}"')
    exec(compile(code, block.name, "exec"), given)  # noqa: S102 - the guides' own code
    CHECKS[block.name](given, capsys.readouterr().out)


def batch(given, _printed):
    assert [result.output.shape for result in given["results"]] == [(1, 384)] * 4


def report(_given, printed):
    assert "all-MiniLM-L6-v2" in Path("performance_report.md").read_text()
    assert "all-MiniLM-L6-v2" in printed


def monitoring(_given, printed):
    assert "Platform distribution: {'wasm': 1}" in printed
    assert "'browsers': ['chromium']" in printed or "'browsers': ['chrome']" in printed


CHECKS = {
    "resource_pool-08": batch,
    "resource_pool-09": report,
    "resource_pool-10": monitoring,
}


def test_what_is_pending_is_a_block_and_what_is_built_is_checked():
    names = {block.name for block in blocks()}
    assert names >= PENDING
    assert names - PENDING == set(CHECKS)
