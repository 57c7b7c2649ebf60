"""The asynchronous accelerator: composes a request, gives it to the pool, reads the answer."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

from ipfs_accelerate.config import (
    Config,
    Wish,
    check_batch_size,
    check_names,
    check_progress,
    check_remember,
)
from ipfs_accelerate.errors import ConfigError, ModelError, TensorError
from ipfs_accelerate.memory import Memory, again
from ipfs_accelerate.metrics import Statistics
from ipfs_accelerate.models import catalog
from ipfs_accelerate.models.blocks import BlockStore
from ipfs_accelerate.models.builds import unchanged
from ipfs_accelerate.models.catalog import DEFAULT
from ipfs_accelerate.portal import check_fork, closed

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from ipfs_accelerate.calls import Call, Composer, RemoteTensor
    from ipfs_accelerate.models.text import TextProcessors
    from ipfs_accelerate.pool import Loaded, Needed, Pool
    from ipfs_accelerate.result import Result
    from ipfs_accelerate.running import Ran, Running

OnProgress = Callable[[str, int, int], None]
HANDLES = itertools.count(1)
"""No two accelerators share one: a tensor given to the wrong one is not there, never another."""
CONTROL_S = 60.0
"""How long a tensor or a ping may take on its way."""


class AsyncAccelerator:
    """Runs models in browsers, on the caller's own event loop.

    Making one starts nothing; the first call starts a browser, `close` ends it. `on_progress` is
    called with a stage, how much is done, and of how much, while a model loads.
    """

    def __init__(self, *, on_progress: OnProgress | None = None, **options: Any) -> None:
        check_progress(on_progress)
        self.config = Config.of(**options)
        self.statistics = Statistics()
        self.on_progress = on_progress
        self._pid = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._store = BlockStore(self.config.folder)
        self._pool: Pool | None = None
        self._starting: asyncio.Task[Pool] | None = None
        self._composers: dict[str, Composed] = {}
        self._composing: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._memory = Memory(self.config.remember_bytes)
        self._names: dict[str, str] = {}
        self._texts: TextProcessors | None = None
        self._closed = False

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {'closed' if self._closed else self._pool or 'not started'}>"
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def load(self, model: str | Path = DEFAULT, **options: Any) -> AsyncModel:
        """A model that is ready to run: found, in a browser, warm.

        `platform`, `require_hardware`, `allow_fallback` and `remember` stand in place of the
        accelerator's.
        """
        remember = check_remember(options.pop("remember", None), self.config)
        wish = Wish.of(self.config, options)
        composer, pool = await self._ready(model)
        try:
            loaded = await pool.load(self._needed(composer, wish, composer.dimensions))
        except ModelError as error:
            self._doubt(model, error)
            raise
        self._loaded(composer, loaded)
        return AsyncModel(self, model, composer.manifest.name, {**options, "remember": remember})

    async def embed(
        self, texts: str | Sequence[str], model: str | Path = DEFAULT, **options: Any
    ) -> Result:
        """One vector for each text; `result.output` is an array of [texts, dimensions]."""
        return await self.run(model, texts, **options)

    async def run(
        self, model: str | Path, inputs: Any, *, keep: Sequence[str] = (), **options: Any
    ) -> Result:
        """Run a model once.

        `model` is a catalogued name, the path of an ONNX file, or `BASE+HEAD.onnx`; `inputs` a
        text, a list of texts or a dict of named tensors. The result's arrays are read-only views
        of what came. Outputs that `keep` names stay on the worker's device, where another run can
        take them. `platform`, `require_hardware`, `allow_fallback` and `remember` stand in place
        of the accelerator's.
        """
        started = perf_counter()
        remember = check_remember(options.pop("remember", None), self.config)
        wish = Wish.of(self.config, options)
        composer, pool = await self._ready(model)
        kept_as = {name: next(HANDLES) for name in check_names("keep", keep)}
        call = composer.call(inputs, kept_as, remember=remember)
        needed = self._needed(composer, wish, call.dimensions)
        run = _running(pool, needed, call, self.config.inference_timeout_s)

        async def compute(*, remember: bool) -> Result:
            try:
                ran = await run.result(started, remember=remember)
            except ModelError as error:
                self._doubt(model, error)
                raise
            return self._counted(composer, ran)

        if not remember or not call.repeatable:
            return await compute(remember=False)
        key = call.key(wish)

        async def kept() -> Result:
            result = await compute(remember=True)
            self._memory.keep(key, result, composer.manifest.key)
            return result

        result, was_there = await self._memory.result(key, kept)
        if not was_there:
            self.statistics.missed()
            return result
        result = again(result, perf_counter() - started)
        self.statistics.reused(result.performance_metrics)
        return result

    async def put(self, array: ArrayLike) -> RemoteTensor:
        """Send an array to a worker, where runs can use it without sending it again."""
        from ipfs_accelerate import transfers  # noqa: PLC0415 - loads NumPy

        pool = await self._started()
        handle = next(HANDLES)
        return await pool.execute(
            lambda worker: transfers.put(worker, handle, array), timeout_s=CONTROL_S
        )

    async def get(self, tensor: RemoteTensor) -> NDArray[Any]:
        """Bring a worker's tensor back."""
        from ipfs_accelerate import transfers  # noqa: PLC0415 - loads NumPy

        transfers.check(tensor)
        pool = await self._started()
        return await pool.execute(
            lambda worker: transfers.get(worker, tensor),
            worker=tensor.worker,
            timeout_s=CONTROL_S,
        )

    async def drop(self, *tensors: RemoteTensor) -> int:
        """Free tensors on their workers; how many were still there."""
        from ipfs_accelerate import transfers  # noqa: PLC0415 - loads NumPy

        transfers.check(*tensors)
        pool = await self._started()
        dropped = 0
        for number in {tensor.worker for tensor in tensors}:
            handles = tuple(one.handle for one in tensors if one.worker == number)
            work = partial(transfers.drop, handles=handles)
            with contextlib.suppress(TensorError):  # it has ended, and freed them with it
                dropped += await pool.execute(work, worker=number, timeout_s=CONTROL_S)
        return dropped

    async def unload(self, model: str | Path) -> None:
        """Forget a model on every worker that holds it, and give its memory back."""
        composer, pool = await self._ready(model)
        self._memory.forget(composer.manifest.key)
        await pool.unload(composer.manifest)

    async def ping(self) -> float:
        """One empty round trip to an engine, in milliseconds."""
        pool = await self._started()
        return await pool.execute(lambda worker: worker.ping(), timeout_s=CONTROL_S)

    async def attach_head(
        self, model: str | Path, head_onnx: str | Path, name: str | None = None, **options: Any
    ) -> AsyncModel:
        """A small head on an encoder, as a model of its own that is ready to run.

        The head's inputs are met by name with what the model makes. Several heads on one model, and
        the model itself, hold it once, and compute it once for one input. With `name`, that is
        what the model is called here from now on.
        """
        path = f"{self._names.get(str(model), model)}+{head_onnx}"
        if name is not None:
            if catalog.find(name) is not None:
                raise ConfigError(f"{name!r} is a model of its own.", hint="Give another name.")
            self._names[name] = path
        return await self.load(name or path, **options)

    async def accelerate_model(
        self,
        model_name: str,
        model_type: str | None = None,
        platform: str = "auto",
        quantization: object = None,
        optimizations: object = None,
    ) -> AsyncModel:
        """The guides' name for `load`. What this version can't do yet it refuses."""
        _refuse("quantization", value=quantization)
        _refuse("optimizations", value=optimizations)
        model = await self.load(model_name, platform=platform)
        if model_type is not None:
            found = (await self._composer(model_name)).manifest.task
            if str(model_type) not in found:
                raise ConfigError(
                    f"{model_name} is a {found} model, not {model_type!r}.",
                    hint=f"Give model_type={found!r}, or leave it out.",
                )
        return model

    async def run_inference(self, model_name: str, inputs: Any, **options: Any) -> Result:
        """The guides' name for `run`. `store_results` waits for the database."""
        if options.pop("store_results", False):
            _refuse("store_results", value=True)
        return await self.run(model_name, inputs, **options)

    async def run_batch_inference(
        self,
        model_name: str,
        batch_inputs: Sequence[Any],
        batch_size: int | None = None,
        **options: Any,
    ) -> list[Result]:
        """One result for each input, in order; at most `batch_size` of them are under way."""
        check_batch_size(batch_size)
        limit = asyncio.Semaphore(batch_size or max(1, len(batch_inputs)))

        async def one(inputs: Any) -> Result:
            async with limit:
                return await self.run(model_name, inputs, **options)

        tasks = [asyncio.ensure_future(one(inputs)) for inputs in batch_inputs]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    def get_metrics(self) -> dict[str, Any]:
        """What was measured since the start: aggregate, bridge, resource_pool, models, remembered.

        What was remembered and so did not run is in `remembered`, and in nothing else.
        """
        described = self._pool.describe() if self._pool else {"bridge": {}, "resource_pool": {}}
        metrics = {**self.statistics.snapshot(), **described}
        if self._pool is not None:  # what is shared is in the memory once
            metrics["aggregate"]["total_memory_usage"] = self._pool.held_bytes / 1e6
        metrics["remembered"] |= {"results": len(self._memory.results)}
        return metrics

    def get_performance_report(self, format: str = "json") -> str:  # noqa: A002 - the guides' name
        """The metrics as json, markdown or html."""
        from ipfs_accelerate.metrics.report import report  # noqa: PLC0415 - seldom asked for

        return report(self.get_metrics(), format)

    async def close(self) -> None:
        """End every browser. Idempotent; what is still running fails with a PoolError."""
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        if self._pool is not None:
            await self._pool.close()

    async def _ready(self, model: str | Path) -> tuple[Composer, Pool]:
        """Both at once; without a task of its own for each where both are there already."""
        self._check()
        composer = self._known(str(model))
        if composer is not None and self._pool is not None:
            return composer, self._pool
        return await asyncio.gather(self._composer(model), self._started())

    async def _started(self) -> Pool:
        """The pool, started by whoever comes first; a start that failed is tried anew."""
        self._check()
        if self._pool is not None:
            return self._pool
        if self._starting is None or _failed(self._starting):
            self._starting = asyncio.ensure_future(self._start())
        try:
            return await asyncio.shield(self._starting)
        except asyncio.CancelledError:
            if self._closed and self._starting.cancelled():
                raise closed() from None
            raise

    async def _start(self) -> Pool:
        from ipfs_accelerate.pool import Pool  # noqa: PLC0415 - the first call pays, not the import

        pool = Pool(self.config, self._store)
        try:
            await pool.start()
        except BaseException:
            await pool.close()
            raise
        self._pool = pool
        return pool

    async def _composer(self, model: str | Path) -> Composer:
        """What composes this model's calls.

        A catalogued name is looked up once; a file again where it has changed.
        """
        self._check()
        name = str(model)
        async with self._composing[name]:  # those who come together wait for one build
            if (known := self._known(name)) is not None:
                return known
            earlier = self._composers.get(name)
            given = name if name in self._names else None
            model = self._names.get(name, model)
            composed = await asyncio.to_thread(self._compose, model, earlier, given)
            self._composers[name] = composed
            return composed.composer

    def _compose(self, model: str | Path, known: Composed | None, given: str | None) -> Composed:
        """`known` again, where the model is still the same; `given` is its user's name for it."""
        from ipfs_accelerate.calls import Composer  # noqa: PLC0415 - loads NumPy
        from ipfs_accelerate.models.source import files_behind, resolve  # noqa: PLC0415
        from ipfs_accelerate.models.text import TextProcessors  # noqa: PLC0415

        manifest = resolve(model, self._store)
        if given is not None:
            manifest = replace(manifest, name=given)
        files = files_behind(model, self._store)
        if known is not None and known.composer.manifest.key == manifest.key:
            return Composed(known.composer, files)
        self._texts = self._texts or TextProcessors(self._store)
        return Composed(Composer(manifest, self._texts), files)

    def _doubt(self, model: str | Path, error: ModelError) -> None:
        """Where a block of it is gone, the next call makes it anew."""
        if error.code == "block_unavailable":
            self._composers.pop(str(model), None)

    def _known(self, name: str) -> Composer | None:
        composed = self._composers.get(name)
        return composed.composer if composed is not None and composed.holds() else None

    def _needed(
        self, composer: Composer, wish: Wish, dimensions: Callable[[str], Mapping[str, int]]
    ) -> Needed:
        from ipfs_accelerate.pool import Needed  # noqa: PLC0415 - it is there by now

        return Needed(composer.manifest, wish, composer.check, self.on_progress, dimensions)

    def _counted(self, composer: Composer, ran: Ran) -> Result:
        """The result, of which the statistics have heard."""
        result = ran.result
        self._loaded(composer, ran.loaded)
        if result.shared_tensors_used:  # it ran in part, which says nothing of how long it takes
            self.statistics.reused(result.performance_metrics)
        else:
            self.statistics.ran(
                result.model_name,
                items=result.performance_metrics["items"],
                inference_s=result.inference_time,
                latency_s=result.latency_ms / 1000,
            )
        return result

    def _loaded(self, composer: Composer, loaded: Loaded) -> None:
        if not loaded.counted:
            loaded.counted = True
            self.statistics.loaded(
                composer.manifest.name,
                loaded.ability.platform,
                load_s=loaded.load_s,
                memory_mb=loaded.weight_bytes / 1e6,
            )

    def _check(self) -> None:
        check_fork(self._pid)
        if self._closed:
            raise closed()
        loop = asyncio.get_running_loop()
        if self._loop not in (None, loop):
            raise ConfigError(
                "This AsyncAccelerator belongs to another event loop.",
                hint="Make one for each loop, or use Accelerator, which serves every thread.",
            )
        self._loop = loop


class AsyncModel:
    """A loaded model: `await model(inputs)`."""

    def __init__(
        self,
        accelerator: AsyncAccelerator,
        model: str | Path,
        name: str,
        options: dict[str, Any],
    ) -> None:
        self._accelerator = accelerator
        self._options = options
        self._model = model
        self.name = name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    async def __call__(self, inputs: Any) -> Result:
        """Run it once."""
        return await self._accelerator.run(self._model, inputs, **self._options)

    async def run_batch(self, batch_inputs: Sequence[Any]) -> list[Result]:
        """One result for each input, in order."""
        run = self._accelerator.run_batch_inference
        return await run(str(self._model), batch_inputs, **self._options)

    def get_performance_metrics(self) -> dict[str, Any]:
        """What was measured of this model."""
        return self._accelerator.statistics.model(self.name)


@dataclass(frozen=True, slots=True)
class Composed:
    """A model's composer, and the files that the model came from."""

    composer: Composer
    files: Mapping[str, tuple[int, int]]

    def holds(self) -> bool:
        """Whether the model is still what these files give."""
        return unchanged(dict(self.files))


def _running(pool: Pool, needed: Needed, call: Call, timeout_s: float) -> Running:
    from ipfs_accelerate.running import Running  # noqa: PLC0415 - loads NumPy

    return Running(pool, needed, call, HANDLES, timeout_s)


def _failed(task: asyncio.Task[Any]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def _refuse(name: str, *, value: object) -> None:
    if value is not None:
        raise ConfigError(
            f"{name}={value!r} is not there yet.", hint="Leave it out; CHANGELOG.md says what is."
        )
