"""From what a caller gave to the one message that computes it, and from its answer to a Result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ipfs_accelerate.errors import InferenceError, PoolError, TensorError
from ipfs_accelerate.models.golden import golden_of
from ipfs_accelerate.models.inputs import check_inputs
from ipfs_accelerate.models.shapes import FIXED, cut_back, dimensions_of, filled_up
from ipfs_accelerate.models.text import TextProcessor
from ipfs_accelerate.pool.needs import Needed
from ipfs_accelerate.protocol.messages import (
    Fetch,
    HandleRef,
    Keep,
    Reference,
    Run,
    Step,
    StepRef,
    TensorRef,
)
from ipfs_accelerate.result import Result
from ipfs_accelerate.tensors.arrays import from_wire, numpy_dtype, to_wire
from ipfs_accelerate.tensors.dtypes import by_wire

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ipfs_accelerate.models import BlockStore, Manifest
    from ipfs_accelerate.pool import Loaded, Worker
    from ipfs_accelerate.protocol.codec import Tensor
    from ipfs_accelerate.server import Answer

HARDWARE = frozenset({"gpu", "npu"})


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

    @property
    def items(self) -> int:
        """How many items it computes."""
        return next((len(one) for one in self.feeds.values() if one.ndim), 1)

    @cached_property
    def worker(self) -> int | None:
        """The worker that it must run on."""
        return _only_worker(self.remote)

    def dimensions(self, platform: str) -> dict[str, int]:
        """The free dimensions that this platform must have fixed."""
        return dimensions_of(self.manifest.inputs, self._fitted) if platform in FIXED else {}

    def message(self, key: str) -> Run:
        """The run, for a worker that calls the model so."""
        inputs: dict[str, Reference] = {
            name: HandleRef(self.remote[name].handle) if name in self.remote else TensorRef(name)
            for name in self.feeds
        }
        names = [port.name for port in self.manifest.outputs if port.name not in self.keep]
        return Run(
            steps=(Step(model=key, inputs=inputs),),
            fetch=tuple(Fetch(StepRef(0, name), name) for name in names),
            keep=tuple(Keep(0, name, handle) for name, handle in self.keep.items()),
        )

    def tensors(self, platform: str) -> dict[str, Tensor]:
        """The inputs that travel with it."""
        feeds = self._fitted if platform in FIXED else self.feeds
        return {name: to_wire(feeds[name]) for name in feeds if name not in self.remote}

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

    def __init__(self, manifest: Manifest, store: BlockStore) -> None:
        self.manifest = manifest
        self.text = TextProcessor(manifest, store) if manifest.tokenizer else None
        # Only a catalogued model is what its name says.
        self.golden = golden_of(manifest.name) if manifest.family != "unknown" else None

    def call(self, inputs: Any, keep: Mapping[str, int] | None = None) -> Call:
        """The run for a text, a list of texts, or named tensors; `keep` are outputs that stay."""
        self._check_kept(keep or {})
        remote: dict[str, RemoteTensor] = {}
        if isinstance(inputs, Mapping):
            remote = {name: one for name, one in inputs.items() if isinstance(one, RemoteTensor)}
            given = {**inputs, **{name: one.stand_in() for name, one in remote.items()}}
            feeds = check_inputs(self.manifest.inputs, given)
            _check_dtypes(remote, feeds)
        else:
            feeds = self._texts(inputs)
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

    def _texts(self, inputs: Any) -> dict[str, np.ndarray[Any, Any]]:
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
        return dict(self.text(inputs))

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
            there = await worker.load(
                Needed(self.manifest, dimensions=lambda _: fixed), loaded.ability
            )
        answer = await worker.ask(call.message(there.key), call.tensors(platform))
        fault = self.golden.fault(call.outputs(answer.tensors, platform))
        if fault is not None:
            raise _wrong(self.manifest.name, worker, loaded, fault)

    def dimensions(self, platform: str) -> dict[str, int]:
        """The free dimensions for a load that no call asked for yet."""
        if self.warming is not None:
            return self.warming.dimensions(platform)
        names = [size for port in self.manifest.inputs for size in port.shape or ()]
        return {name: 1 for name in names if isinstance(name, str)} if platform in FIXED else {}

    def result(
        self, call: Call, answer: Answer, worker: Worker, loaded: Loaded, latency_s: float
    ) -> Result:
        """The answer as the caller sees it."""
        step = answer.value["steps"][0]
        platform = loaded.ability.platform
        fetched = call.outputs(answer.tensors, platform)
        kept = call.kept(answer.value, worker.number)
        outputs = {one.name: (fetched | kept)[one.name] for one in self.manifest.outputs}
        # A GPU's run returns before its work is done: the wait for it belongs to the computation.
        waited_ms = answer.value["fetch_ms"] if platform != "wasm" else 0.0
        inference_s = (sum(one["run_ms"] for one in answer.value["steps"]) + waited_ms) / 1000
        return Result(
            model_name=self.manifest.name,
            model_type=self.manifest.task,
            platform=platform,
            backend=step["backend"],
            browser=worker.browser_name,
            device=step["device"],
            is_real_hardware=step["device"] in HARDWARE,
            output_tensors=outputs,
            output=next(iter(outputs.values())) if len(outputs) == 1 else outputs,
            inference_time=inference_s,
            latency_ms=latency_s * 1000,
            throughput_items_per_sec=call.items / inference_s if inference_s else 0.0,
            memory_usage_mb=loaded.value["weight_bytes"] / 1e6,
            precision=self.manifest.precision,
            fell_back=tuple(loaded.value["fell_back"]),
            performance_metrics={
                "inference_ms": inference_s * 1000,
                "engine_ms": answer.value["total_ms"],
                "queued_ms": answer.value["queued_ms"],
                "latency_ms": latency_s * 1000,
                "readbacks": answer.value["readbacks"],
                "load_ms": loaded.load_s * 1000,
                "items": call.items,
            },
        )


def _wrong(model: str, worker: Worker, loaded: Loaded, fault: str) -> PoolError:
    where = f"{loaded.ability.platform} on the {loaded.value['device']} of {worker.browser_name}"
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
