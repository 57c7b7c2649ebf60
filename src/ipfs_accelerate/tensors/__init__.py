"""Tensors on the host: their dtypes, and the way between NumPy arrays and the wire."""
