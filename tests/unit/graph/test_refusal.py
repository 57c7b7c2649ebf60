from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.graph.refusal import invalid


def test_it_says_why_and_what_to_do():
    error = invalid("it is a shoe")
    assert isinstance(error, ModelError)
    assert error.code == "model_invalid"
    assert "it is a shoe" in str(error)
    assert "onnx.checker" in str(error)
    assert invalid("no", hint="Do so.").hint == "Do so."
