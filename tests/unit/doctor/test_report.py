import json

from tests.unit.doctor import made

from ipfs_accelerate.doctor.report import report

NAMES = {
    "format",
    "works",
    "system",
    "signs",
    "network",
    "cache",
    "sandbox",
    "models",
    "browsers",
    "missing",
    "measured",
    "trouble",
    "findings",
}


def test_it_is_json_with_names_that_stay():
    told = json.loads(json.dumps(report(made.facts(made.browser(made.launch(made.GPU))))))
    assert set(told) == NAMES
    assert (told["format"], told["works"]) == (1, True)
    assert told["network"]["ports"] == {"8765": True, "8766": False}
    (launch,) = told["browsers"][0]["launches"]
    assert set(launch) == {"rung", "about", "flags", "headless", "abilities", "error"}
    assert launch["abilities"][0] == {
        "platform": "webgpu",
        "device": "gpu",
        "about": "nvidia ampere",
        "f16": True,
        "gflops": 1234.5,
        "copy_mb_s": 2100.4,
        "details": {},
    }
    assert told["findings"][0]["level"] == "good"
