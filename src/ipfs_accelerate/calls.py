"""From what a caller gave to the one message that computes it, and from its answer to a Result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ipfs_accelerate.contents import digest_of, name_of
from ipfs_accelerate.errors import InferenceError, PoolError, TensorError
from ipfs_accelerate.models.golden import golden_of
from ipfs_accelerate.models.inputs import check_inputs, narrowed
from ipfs_accelerate.models.shapes import FIXED, cut_back, dimensions_of, filled_up
from ipfs_accelerate.pool.needs import Needed
from ipfs_accelerate.pool.plan import Plan, Planner
from ipfs_accelerate.tensors.arrays import from_wire, numpy_dtype, to_wire
from ipfs_accelerate.tensors.dtypes import by_onnx, by_wire

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ipfs_accelerate.config import Wish
    from ipfs_accelerate.models import Manifest
    from ipfs_accelerate.models.text import TextProcessors
    from ipfs_accelerate.pool import Loaded, Worker
    from ipfs_accelerate.pool.plan import Memory
    from ipfs_accelerate.protocol.codec import Tensor


@dataclass(frozen=True, slots=True)
class RemoteTensor:
    """A tensor that lies on a worker. It may stand wherever a run takes an input."""

    worker: int
    handle: int
    dtype: str
    shape: tuple[int, ...]

    def stand_in(self) -> np.ndarray[Any, Any]:
        """An array of its dtype and shape that takes no memory, for the checks of inputs."""
        return np.broadcast_to(np.zeros((), numpy_dtype(self.dtype)), self.shape)


@dataclass(frozen=True)
class Call:
    """A run that is ready to be sent, once it is known what a worker calls the model, and where."""

    manifest: Manifest
    feeds: Mapping[str, NDArray[Any]]
    """an array for each input; a stand-in where the tensor lies on a worker"""
    remote: Mapping[str, RemoteTensor]
    keep: Mapping[str, int] = field(default_factory=dict)
    """outputs that stay on the worker, under these handles"""
    _digests: dict[int, tuple[NDArray[Any], str]] = field(default_factory=dict, compare=False)
    """by the arrays' ids, which are theirs while they are held here"""

    @property
    def items(self) -> int:
        """How many items it computes."""
        return next((len(one) for one in self.feeds.values() if one.ndim), 1)

    @property
    def repeatable(self) -> bool:
        """Whether its result can be remembered: equal inputs, known here, give equal outputs."""
        return self.manifest.repeatable and not self.remote and not self.keep

    def key(self, wish: Wish) -> str:
        """A name for what it computes: the model, where it may run, and its inputs."""
        parts = [f"{name} {self._digest(one)}" for name, one in self.feeds.items()]
        return name_of(self.manifest.key, repr(wish), *parts)

    @cached_property
    def worker(self) -> int | None:
        """The worker that it must run on."""
        return _only_worker(self.remote)

    def dimensions(self, platform: str) -> dict[str, int]:
        """The free dimensions that this platform must have fixed."""
        return dimensions_of(self.manifest.inputs, self._fitted) if platform in FIXED else {}

    def plan(self, loaded: Loaded, memory: Memory | None = None) -> Plan:
        """What a worker is to do, for a model as it is loaded there, over what it remembers."""
        remote = {name: one.handle for name, one in self.remote.items()}
        names = [port.name for port in self.manifest.outputs if port.name not in self.keep]
        planner = Planner(loaded.layout, loaded.keys, remote, memory)
        return planner.plan({name: name for name in names}, self.keep)

    def tensors(self, plan: Plan, platform: str) -> dict[str, Tensor]:
        """The inputs that travel with it."""
        return {
            tensor: to_wire(self._fed(name, dtype, platform))
            for tensor, (name, dtype) in plan.travels.items()
        }

    def misfits(self, loaded: Loaded) -> list[str]:
        """The inputs that lie on the worker in another dtype than the components take them in."""
        takes = [take for stage in loaded.layout.stages for take in stage.takes]
        return [
            str(take.source)
            for take in takes
            if take.source in self.remote
            and numpy_dtype(self.remote[str(take.source)].dtype) != _dtype(take.dtype)
        ]

    def with_values(self, values: Mapping[str, NDArray[Any]]) -> Call:
        """The same call, with these inputs by value."""
        remote = {name: one for name, one in self.remote.items() if name not in values}
        return replace(self, feeds={**self.feeds, **values}, remote=remote)

    def digest(self, platform: str, name: str, dtype: str) -> str:
        """A name for what an input holds, as a component takes it."""
        return self._digest(self._fed(name, dtype, platform))

    def _digest(self, array: NDArray[Any]) -> str:
        """Each array is hashed once: a picture has megabytes."""
        known = self._digests.get(id(array))
        if known is None:
            known = self._digests[id(array)] = (array, digest_of(array))
        return known[1]

    def _fed(self, name: str, dtype: str, platform: str) -> NDArray[Any]:
        """An input as a component takes it."""
        array = (self._fitted if platform in FIXED else self.feeds)[name]
        return array if array.dtype == _dtype(dtype) else narrowed(name, array, _dtype(dtype))

    def outputs(self, tensors: Mapping[str, Tensor], platform: str) -> dict[str, NDArray[Any]]:
        """What came back, without what was only added to fit the platform."""
        arrays = {name: from_wire(one) for name, one in tensors.items()}
        if platform not in FIXED:
            return arrays
        sizes = dimensions_of(self.manifest.inputs, self.feeds)
        return cut_back(self.manifest.outputs, arrays, sizes)

    def kept(self, value: Mapping[str, Any], worker: int) -> dict[str, RemoteTensor]:
        """What stayed on the worker, by the outputs' names."""
        found = {one["handle"]: one for one in value["kept"]}
        return {
            name: RemoteTensor(
                worker, handle, by_wire(found[handle]["dtype"]).numpy, tuple(found[handle]["shape"])
            )
            for name, handle in self.keep.items()
        }

    @cached_property
    def _fitted(self) -> Mapping[str, NDArray[Any]]:
        return self.feeds if self.remote else filled_up(self.manifest, self.feeds)


class Composer:
    """Makes one model's calls."""

    def __init__(self, manifest: Manifest, texts: TextProcessors) -> None:
        self.manifest = manifest
        self.text = texts.of(manifest) if manifest.tokenizer else None
        # Only a catalogued model is what its name says.
        self.golden = golden_of(manifest.name) if manifest.family != "unknown" else None

    def call(
        self, inputs: Any, keep: Mapping[str, int] | None = None, *, remember: bool = False
    ) -> Call:
        """The run for a text, a list of texts, or named tensors; `keep` are outputs that stay.

        With `remember` a text that was just given is not turned into tokens again.
        """
        self._check_kept(keep or {})
        remote: dict[str, RemoteTensor] = {}
        if isinstance(inputs, Mapping):
            remote = {name: one for name, one in inputs.items() if isinstance(one, RemoteTensor)}
            given = {**inputs, **{name: one.stand_in() for name, one in remote.items()}}
            feeds = check_inputs(self.manifest.inputs, given)
            _check_dtypes(remote, feeds)
        else:
            feeds = self._texts(inputs, remember=remember)
        return Call(self.manifest, feeds, remote, keep or {})

    def _check_kept(self, keep: Mapping[str, int]) -> None:
        names = [port.name for port in self.manifest.outputs]
        for name in keep:
            if name not in names:
                raise TensorError(
                    f"{self.manifest.name} has no output {name!r} that could be kept.",
                    code="tensor_not_found",
                    hint=f"Its outputs are {', '.join(names)}.",
                )

    def _texts(self, inputs: Any, *, remember: bool) -> dict[str, np.ndarray[Any, Any]]:
        if self.text is None:
            names = ", ".join(port.name for port in self.manifest.inputs)
            raise InferenceError(
                f"{self.manifest.name} takes named tensors, and was given {type(inputs).__name__}.",
                code="input_mismatch",
                hint=f"Give a dict with {names}.",
            )
        if not isinstance(inputs, str | Sequence):
            raise InferenceError(
                f"{self.manifest.name} can't take a {type(inputs).__name__}.",
                code="input_mismatch",
                hint="Give a text, a list of texts, or a dict of named tensors.",
            )
        return dict(self.text.again(inputs) if remember else self.text(inputs))

    @cached_property
    def warming(self) -> Call | None:
        """A call that shows whether the numbers are right, for a catalogued model."""
        return self.call(self.golden.inputs) if self.golden else None

    async def check(self, worker: Worker, loaded: Loaded) -> None:
        """An error where this worker computes the model's golden vector wrongly."""
        call, platform = self.warming, loaded.ability.platform
        if call is None or self.golden is None:
            return
        there = loaded
        if loaded.dimensions != (fixed := call.dimensions(platform)):
            needed = Needed(self.manifest, loaded.needed.wish, dimensions=lambda _: fixed)
            there = await worker.load(needed, loaded.ability)
        plan = call.plan(there)
        answer = await worker.in_line(plan.message, call.tensors(plan, platform))
        fault = self.golden.fault(call.outputs(answer.tensors, platform))
        if fault is not None:
            raise _wrong(self.manifest.name, worker, loaded, fault)

    def dimensions(self, platform: str) -> dict[str, int]:
        """The free dimensions for a load that no call asked for yet."""
        if platform not in FIXED:
            return {}
        likely = self.warming or (self.call("some text") if self.text is not None else None)
        if likely is not None:
            return likely.dimensions(platform)
        names = [size for port in self.manifest.inputs for size in port.shape or ()]
        return {name: 1 for name in names if isinstance(name, str)}


def _wrong(model: str, worker: Worker, loaded: Loaded, fault: str) -> PoolError:
    where = f"{loaded.ability.platform} on the {loaded.device} of {worker.browser_name}"
    about = f" ({loaded.ability.about})" if loaded.ability.about else ""
    return PoolError(
        f"{where}{about} computes {model} wrongly: {fault}. It does not serve this model.",
        code="wrong_numbers",
        hint="Use another platform or browser, and report the device: `ipfs-accelerate doctor` "
        "says what it is.",
        details={"platform": loaded.ability.platform, "fault": fault},
    )


def _check_dtypes(remote: Mapping[str, RemoteTensor], feeds: Mapping[str, NDArray[Any]]) -> None:
    """An array can be made to fit; what lies on a worker must fit as it is."""
    for name, one in remote.items():
        if feeds[name].dtype != numpy_dtype(one.dtype):
            raise InferenceError(
                f"The input {name!r} does not fit: expected {feeds[name].dtype}, and the tensor on "
                f"the worker is {one.dtype}.",
                code="input_mismatch",
                hint="Put it in the dtype that the model takes.",
            )


def _only_worker(remote: Mapping[str, RemoteTensor]) -> int | None:
    workers = {one.worker for one in remote.values()}
    if len(workers) > 1:
        raise InferenceError(
            f"The inputs {', '.join(remote)} lie on different workers: "
            f"{', '.join(map(str, sorted(workers)))}.",
            code="input_mismatch",
            hint="Put them on one, or get one of them and pass it by value.",
        )
    return next(iter(workers), None)


def _dtype(name: str) -> np.dtype[Any]:
    return numpy_dtype(by_onnx(name).numpy)
