import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def benchmarks(*arguments):
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_help_lists_every_benchmark():
    told = benchmarks("--help").stdout
    names = ("call", "roundtrip", "transfer", "start", "platforms")
    assert all(f"\n  {name} " in told for name in names)
    assert "memory" in told


def test_an_unknown_name_is_an_error_that_lists_the_known():
    done = benchmarks("nothing")
    assert done.returncode == 2
    assert "'nothing' is not measured here; there is call, roundtrip" in done.stderr


def test_a_cheap_one_runs_and_keeps_its_samples(tmp_path):
    kept = tmp_path / "samples.json"
    done = benchmarks("roundtrip", "--quick", "--pairs", "3", "--json", str(kept))
    assert done.returncode == 0, done.stderr
    assert "3 interleaved pairs" in done.stdout
    assert " times " in done.stdout
    told = json.loads(kept.read_text("utf-8"))
    assert told["machine"]["python"]
    [report] = told["reports"]
    assert [len(one["ours"]["values"]) for one in report["comparisons"]] == [3, 3]
    assert all(value > 0 for one in report["comparisons"] for value in one["other"]["values"])
