"""The dtypes, in one table: what the wire, NumPy and ONNX each call them.

Pure, and without NumPy, so that the names can be had before anything is computed.
"""

from __future__ import annotations

from dataclasses import dataclass

from ipfs_accelerate.errors import TensorError


@dataclass(frozen=True, slots=True)
class DType:
    """A dtype that a frame can carry."""

    wire: str
    """its safetensors name"""
    numpy: str
    """its NumPy name; those NumPy lacks are ml_dtypes' names"""
    onnx: str
    """its name as onnxruntime-web prints it"""
    number: int
    """its TensorProto.DataType"""
    size: int
    """bytes of one item"""


DTYPES: tuple[DType, ...] = (
    DType("F64", "float64", "float64", 11, 8),
    DType("I64", "int64", "int64", 7, 8),
    DType("U64", "uint64", "uint64", 13, 8),
    DType("F32", "float32", "float32", 1, 4),
    DType("I32", "int32", "int32", 6, 4),
    DType("U32", "uint32", "uint32", 12, 4),
    DType("F16", "float16", "float16", 10, 2),
    DType("BF16", "bfloat16", "bfloat16", 16, 2),
    DType("I16", "int16", "int16", 5, 2),
    DType("U16", "uint16", "uint16", 4, 2),
    DType("I8", "int8", "int8", 3, 1),
    DType("U8", "uint8", "uint8", 2, 1),
    DType("BOOL", "bool", "bool", 9, 1),
    DType("F8_E4M3", "float8_e4m3fn", "float8e4m3fn", 17, 1),
    DType("F8_E5M2", "float8_e5m2", "float8e5m2", 19, 1),
)

ML_DTYPES = frozenset({"bfloat16", "float8_e4m3fn", "float8_e5m2"})
"""The NumPy names that the package ml_dtypes brings."""

NOT_CARRIED: dict[int, tuple[str, int]] = {
    8: ("string", 0),
    14: ("complex64", 64),
    15: ("complex128", 128),
    18: ("float8e4m3fnuz", 8),
    20: ("float8e5m2fnuz", 8),
    21: ("uint4", 4),
    22: ("int4", 4),
    23: ("float4e2m1", 4),
    24: ("float8e8m0", 8),
    25: ("uint2", 2),
    26: ("int2", 2),
}
"""By TensorProto.DataType, the name and the bits of one item (0: no fixed size) of what a graph
may hold inside, but a frame does not carry."""

_BY_WIRE = {dtype.wire: dtype for dtype in DTYPES}
_BY_NUMPY = {dtype.numpy: dtype for dtype in DTYPES}
_BY_ONNX = {dtype.onnx: dtype for dtype in DTYPES}
_INSIDE = {**NOT_CARRIED, **{dtype.number: (dtype.onnx, 8 * dtype.size) for dtype in DTYPES}}


def by_wire(name: str) -> DType:
    """Find the dtype with this safetensors name."""
    return _find(_BY_WIRE, name)


def by_numpy(name: str) -> DType:
    """Find the dtype with this NumPy name."""
    return _find(_BY_NUMPY, name)


def by_onnx(name: str) -> DType:
    """Find the dtype with this ONNX name."""
    return _find(_BY_ONNX, name)


def onnx_name(number: int) -> str:
    """Give the ONNX name of any TensorProto.DataType, carried or not."""
    return _INSIDE[number][0] if number in _INSIDE else f"type {number}"


def packed_bytes(number: int, items: int) -> int | None:
    """Give the bytes that so many items of a TensorProto.DataType take; None if not fixed."""
    _, bits = _INSIDE.get(number, ("", 0))
    return -(-items * bits // 8) if bits else None


def _find(table: dict[str, DType], name: str) -> DType:
    try:
        return table[name]
    except KeyError:
        raise TensorError(
            f"A tensor of dtype {name!r} cannot be carried.",
            code="tensor_dtype",
            hint=f"Convert it to one of {', '.join(table)}.",
            details={"dtype": name},
        ) from None
