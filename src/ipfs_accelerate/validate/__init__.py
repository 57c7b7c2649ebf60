"""Are a browser's numbers right? Models and single operators, held against a reference.

The reference of a model is native onnxruntime; that of an operator is what the `onnx` package says
its node test cases give. Nothing here is imported before it is asked for.
"""
