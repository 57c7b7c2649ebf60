"""The bytes of an ONNX tensor, wherever the file keeps them, as ONNX's raw data lays them out."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

from onnx import TensorProto

from ipfs_accelerate.models import builds
from ipfs_accelerate.models.refusal import invalid
from ipfs_accelerate.tensors.dtypes import packed_bytes
from ipfs_accelerate.tensors.onnx_inside import bytes_inside, items_in

_TOGETHER = "Keep the model and its data files in one folder, as real files of that folder."


class Folder:
    """The folder that a model's external files must lie in, and the stamps of those it read."""

    def __init__(self, model: Path) -> None:
        self.model = model
        self.stamps: builds.Stamps = {}
        # A model that is a link (as in a hub's cache) may have its data beside what it links to.
        self._roots = {model.parent.resolve(), model.resolve().parent}

    def read(self, tensor: TensorProto) -> bytes:
        """Read the bytes of a tensor that lies in a file of its own."""
        place = {entry.key: entry.value for entry in tensor.external_data}
        try:
            path = self._confine(tensor, place.get("location", ""))
            if not path.is_file():  # a pipe, say, whose opening waits for whoever writes to it
                raise FileNotFoundError(f"{path.name} is not there, or is no file")
            self.stamps.update(builds.stamps_of([path]))
            begin = int(place.get("offset", "0"))
            end = begin + int(place["length"]) if "length" in place else path.stat().st_size
            return self._range(tensor, path, begin, end)
        except (OSError, RuntimeError, ValueError, TypeError) as error:
            raise invalid(
                self.model,
                f"the data of its weight {tensor.name!r} cannot be read: {error}",
                hint=_TOGETHER,
            ) from error

    def _range(self, tensor: TensorProto, path: Path, begin: int, end: int) -> bytes:
        size = path.stat().st_size
        if not 0 <= begin <= end <= size:
            raise invalid(
                self.model,
                f"its weight {tensor.name!r} is bytes {begin} to {end} of {path.name}, "
                f"which has {size}",
            )
        with path.open("rb") as file:
            file.seek(begin)
            return file.read(end - begin)

    def _confine(self, tensor: TensorProto, location: str) -> Path:
        path = (self.model.parent / location).resolve()
        parts = PureWindowsPath(location).parts
        absolute = PurePosixPath(location).is_absolute() or PureWindowsPath(location).anchor
        inside = any(path.is_relative_to(root) and path != root for root in self._roots)
        if not location or absolute or ".." in parts or not inside:
            raise invalid(
                self.model,
                f"its weight {tensor.name!r} points outside the model's folder, to {location!r}",
                hint=_TOGETHER,
            )
        return path


def data_of(tensor: TensorProto, folder: Folder) -> bytes | None:
    """Give the tensor's bytes; None for strings, which have no layout and stay inside."""
    if tensor.data_type == TensorProto.STRING:
        return None
    data = (
        folder.read(tensor)
        if tensor.data_location == TensorProto.EXTERNAL
        else bytes_inside(tensor)
    )
    wanted = packed_bytes(tensor.data_type, items_in(tensor.dims))
    if wanted is not None and wanted != len(data):
        raise invalid(
            folder.model,
            f"its weight {tensor.name!r} has {len(data)} bytes where its shape takes {wanted}",
        )
    return data
