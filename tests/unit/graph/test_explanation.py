import json

from ipfs_accelerate.graph.explanation import Difference, Explanation, Shared, Total

TOTALS = {"a": Total(2_000_000, 3_000_000_000, 5), "b": Total(0, 0, 1)}
SHARES = {"a": 0.5, "b": 0.0}
SHARED = Shared(("a", "b"), 1_000_000, 500_000, 7, 500_000, SHARES, SHARES, SHARES)
DIFFERENCES = (
    Difference(("a", "b"), "other weights", "MatMul", 4, weights=tuple("wxyz")),
    Difference(("a", "b"), "another operator", "Relu", 1, instead=("Abs",)),
    Difference(("b", "a"), "other attributes", "Softmax", 1),
)


def test_as_json():
    value = json.loads(Explanation(TOTALS, (SHARED,), DIFFERENCES).to_json())
    assert value["estimated"] is True
    assert value["models"]["a"]["weight_bytes"] == 2_000_000
    assert value["sets"][0]["models"] == ["a", "b"]
    assert value["differences"][1]["instead"] == ["Abs"]


def test_as_lines():
    lines = Explanation(TOTALS, (SHARED,), DIFFERENCES).lines()
    text = "\n".join(lines)
    assert all("\n" not in line for line in lines)
    assert "a: 2.00 MB of weights, 5 operators, ~3 GMAC" in lines
    assert "1.00 MB  50.0 % of a, 0.0 % of b" in text
    assert "graphs differ: 0.50 MB" in text
    assert "  4 x MatMul: other weights (w, x, y, ...)" in lines
    assert "  1 x Relu: another operator (Abs)" in lines
    assert "  1 x Softmax: other attributes" in lines
    assert text.count("leaves what it has in common") == 2
