"""The nodes and weights of a graph while it is being built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.external import SMALLEST, keep_inside, move_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ipfs_accelerate.models.blocks import BlockStore
    from ipfs_accelerate.models.manifest import Weight
    from ipfs_accelerate.models.safetensors_file import SafetensorsFile


class Nodes:
    """Collects nodes; each is named as its one output is, and each weight comes in once."""

    def __init__(self, source: SafetensorsFile, store: BlockStore) -> None:
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []
        self.weights: list[Weight] = []
        self._source = source
        self._store = store
        self._names: set[str] = set()

    def add(self, operator: str, *inputs: str, name: str, **attributes: Any) -> str:
        """Add a node; its output's name comes back."""
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def weight(self, name: str) -> str:
        """Take the source's weight as it is."""
        return self._take(name, turn=False)

    def turned(self, name: str) -> str:
        """Take the source's weight [out, in] as MatMul wants it, [in, out], under its name."""
        return self._take(name, turn=True)

    def ints(self, name: str, values: list[int]) -> str:
        """Add a small constant of int64."""
        return self._constant(name, np.array(values, "<i8"))

    def index(self, name: str, value: int) -> str:
        """Add a constant of int64 without dimensions."""
        return self._constant(name, np.array(value, "<i8"))

    def scalar(self, name: str, value: float) -> str:
        """Add a constant of float32 without dimensions."""
        return self._constant(name, np.array(value, "<f4"))

    def _constant(self, name: str, array: NDArray[Any]) -> str:
        if name not in self._names:
            self._names.add(name)
            self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def _take(self, name: str, *, turn: bool) -> str:
        if name not in self._names:
            self._names.add(name)
            array = self._read(name)
            self._keep(name, np.ascontiguousarray(array.T) if turn else array)
        return name

    def _read(self, name: str) -> NDArray[np.float32]:
        entry, view = self._source.view(name)
        if entry.dtype != "F32":
            raise ModelError(
                f"{self._source.path} holds {name!r} as {entry.dtype}; the graph is built of F32.",
                code="model_invalid",
                hint="Export the model to ONNX, and give the path of that file.",
            )
        return np.frombuffer(view, "<f4").reshape(entry.shape)

    def _keep(self, name: str, array: NDArray[np.float32]) -> None:
        tensor = TensorProto(name=name, dims=array.shape, data_type=TensorProto.FLOAT)
        if array.nbytes < SMALLEST:
            keep_inside(tensor, array.tobytes())
        else:
            self.weights.append(move_out(tensor, array.data.cast("B"), self._store))
        self.initializers.append(tensor)
