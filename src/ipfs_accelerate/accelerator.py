"""The blocking accelerator: `AsyncAccelerator` on a loop of its own, for any thread. No logic."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any, Self

from ipfs_accelerate.client import AsyncAccelerator, AsyncModel, OnProgress
from ipfs_accelerate.models.catalog import DEFAULT
from ipfs_accelerate.portal import Portal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from ipfs_accelerate.calls import RemoteTensor
    from ipfs_accelerate.result import Result


class Accelerator:
    """Runs models in browsers. Thread-safe; works in scripts, notebooks and inside event loops.

    Making one starts nothing; the first call starts a browser, `close` or the end of a `with`
    block ends it. `on_progress` is called, on a thread of its own, with a stage, how much is done,
    and of how much, while a model loads.
    """

    def __init__(self, *, on_progress: OnProgress | None = None, **options: Any) -> None:
        self._core = AsyncAccelerator(on_progress=on_progress, **options)
        self._portal = Portal()
        self._finish = weakref.finalize(self, _close, self._portal, self._core)

    def __repr__(self) -> str:
        return repr(self._core).replace("<Async", "<", 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def load(self, model: str | Path = DEFAULT, **options: Any) -> Model:
        """A model that is ready to run: found, in a browser, warm.

        `platform`, `require_hardware`, `allow_fallback` and `remember` stand in place of the
        accelerator's.
        """
        return Model(self, self._portal, self._portal.call(self._core.load, model, **options))

    def embed(
        self, texts: str | Sequence[str], model: str | Path = DEFAULT, **options: Any
    ) -> Result:
        """One vector for each text; `result.output` is an array of [texts, dimensions]."""
        return self._portal.call(self._core.embed, texts, model, **options)

    def run(
        self, model: str | Path, inputs: Any, *, keep: Sequence[str] = (), **options: Any
    ) -> Result:
        """Run a model once.

        `model` is a catalogued name, the path of an ONNX file, or `BASE+HEAD.onnx`; `inputs` a
        text, a list of texts or a dict of named tensors. The result's arrays are read-only views
        of what came. Outputs that `keep` names stay on the worker's device, where another run can
        take them. `platform`, `require_hardware`, `allow_fallback` and `remember` stand in place
        of the accelerator's.
        """
        return self._portal.call(self._core.run, model, inputs, keep=keep, **options)

    def put(self, array: ArrayLike) -> RemoteTensor:
        """Send an array to a worker, where runs can use it without sending it again."""
        return self._portal.call(self._core.put, array)

    def get(self, tensor: RemoteTensor) -> NDArray[Any]:
        """Bring a worker's tensor back."""
        return self._portal.call(self._core.get, tensor)

    def drop(self, *tensors: RemoteTensor) -> int:
        """Free tensors on their workers; how many were still there."""
        return self._portal.call(self._core.drop, *tensors)

    def unload(self, model: str | Path) -> None:
        """Forget a model on every worker that holds it, and give its memory back."""
        self._portal.call(self._core.unload, model)

    def ping(self) -> float:
        """One empty round trip to an engine, in milliseconds."""
        return self._portal.call(self._core.ping)

    def attach_head(
        self, model: str | Path, head_onnx: str | Path, name: str | None = None, **options: Any
    ) -> Model:
        """A small head on an encoder, as a model of its own that is ready to run.

        The head's inputs are met by name with what the model makes. Several heads on one model, and
        the model itself, hold it once, and compute it once for one input. With `name`, that is
        what the model is called here from now on.
        """
        attach = self._core.attach_head
        loaded = self._portal.call(attach, model, head_onnx, name, **options)
        return Model(self, self._portal, loaded)

    def accelerate_model(
        self,
        model_name: str,
        model_type: str | None = None,
        platform: str = "auto",
        quantization: object = None,
        optimizations: object = None,
    ) -> Model:
        """The guides' name for `load`. What this version can't do yet it refuses."""
        arguments = (model_name, model_type, platform, quantization, optimizations)
        model = self._portal.call(self._core.accelerate_model, *arguments)
        return Model(self, self._portal, model)

    def run_inference(self, model_name: str, inputs: Any, **options: Any) -> Result:
        """The guides' name for `run`. `store_results` waits for the database."""
        return self._portal.call(self._core.run_inference, model_name, inputs, **options)

    def run_batch_inference(
        self,
        model_name: str,
        batch_inputs: Sequence[Any],
        batch_size: int | None = None,
        **options: Any,
    ) -> list[Result]:
        """One result for each input, in order; at most `batch_size` of them are under way."""
        call = self._core.run_batch_inference
        return self._portal.call(call, model_name, batch_inputs, batch_size, **options)

    def get_metrics(self) -> dict[str, Any]:
        """What was measured since the start: aggregate, bridge, resource_pool and models."""
        return self._core.get_metrics()

    def get_performance_report(self, format: str = "json") -> str:  # noqa: A002 - the guides' name
        """The metrics as json, markdown or html."""
        return self._core.get_performance_report(format)

    def close(self) -> None:
        """End every browser. Idempotent."""
        self._finish()


class Model:
    """A loaded model: `model(inputs)`, from any thread."""

    def __init__(self, accelerator: Accelerator, portal: Portal, model: AsyncModel) -> None:
        # Held, since an accelerator that nobody holds is closed.
        self._accelerator = accelerator
        self._portal = portal
        self._model = model
        self.name = model.name

    def __repr__(self) -> str:
        return f"<Model {self.name}>"

    def __call__(self, inputs: Any) -> Result:
        """Run it once."""
        return self._portal.call(self._model, inputs)

    def run_batch(self, batch_inputs: Sequence[Any]) -> list[Result]:
        """One result for each input, in order."""
        return self._portal.call(self._model.run_batch, batch_inputs)

    def get_performance_metrics(self) -> dict[str, Any]:
        """What was measured of this model."""
        return self._model.get_performance_metrics()


def _close(portal: Portal, core: AsyncAccelerator) -> None:
    """Also called when the accelerator is forgotten, or the program ends."""
    if os.getpid() != portal.pid or not portal.alive:
        return
    portal.end(core.close)
