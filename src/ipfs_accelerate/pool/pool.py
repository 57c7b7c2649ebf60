"""The shell of the pool: feeds the state machine, and carries out what it decides."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ipfs_accelerate.browsers import find_browser, launch
from ipfs_accelerate.errors import AccelerateError, PoolError
from ipfs_accelerate.pool.arranger import Arranger
from ipfs_accelerate.pool.events import (
    Action,
    Assign,
    Closed,
    EndBrowser,
    EngineLost,
    Event,
    Fail,
    Finished,
    LaunchBrowser,
    ModelLoaded,
    ModelUnloaded,
    Submitted,
    Warmed,
    WorkerLost,
    WorkerReady,
)
from ipfs_accelerate.pool.measure import rung_for
from ipfs_accelerate.pool.measured import Measured
from ipfs_accelerate.pool.serving import Serving
from ipfs_accelerate.pool.state import PoolState, worker_lost
from ipfs_accelerate.pool.turn import Turn
from ipfs_accelerate.pool.worker import Worker
from ipfs_accelerate.protocol.messages import Limits
from ipfs_accelerate.server import Channel, Server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ipfs_accelerate.browsers import Installed, Rung
    from ipfs_accelerate.config import Config
    from ipfs_accelerate.models import BlockStore, Manifest
    from ipfs_accelerate.pool.line import Place
    from ipfs_accelerate.pool.loaded import Loaded
    from ipfs_accelerate.pool.needs import Needed

T = TypeVar("T")
_LOG = logging.getLogger("ipfs_accelerate")
MIB = 1024 * 1024
LIMITS = Limits(max_frame_bytes=16 * MIB, max_message_bytes=4096 * MIB - 1)
CANCEL_GRACE_S = 1.0
"""How long an engine may take to answer a cancel before it may be stuck in a run."""
SUCCESSION_S = 2.0
"""How long after its successor's coming an engine's end may be seen."""


class Pool:
    """Browsers that are kept warm, and the requests that they serve."""

    def __init__(
        self,
        config: Config,
        store: BlockStore,
        *,
        installed: Installed | None = None,
        rung: Rung | None = None,
    ) -> None:
        # Given to measure just this browser, started just so; else they are found.
        self._installed = installed
        self._rung = rung
        self._config = config
        self._store = store
        self._state = PoolState(config.max_connections)
        self._server: Server | None = None
        self._workers: dict[int, Worker] = {}
        self._waiting: dict[int, asyncio.Future[Worker]] = {}
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<Pool {self._state!r} {list(self._workers.values())}>"

    async def start(self) -> None:
        """Open the port and begin to start a browser; both errors that people meet come here."""
        installed = self._installed or find_browser(self._config.browser, self._config.browser_path)
        self._installed = installed
        if installed.notice:
            _LOG.warning(installed.notice)
        self._rung = rung = self._rung or await rung_for(self._config, installed)
        threads = self._config.worker_threads
        measured = Measured(self._config.folder, installed.path, threads, rung.name)
        self._serving = Serving(self._config, measured)
        self._server = Server(
            port=self._config.websocket_port,
            block=self._store.path,
            limits=LIMITS,
            on_channel=self._channel_opened,
        )
        self._feed(Warmed())
        await self._server.start()

    async def execute(
        self,
        work: Callable[[Worker], Awaitable[T]],
        *,
        worker: int | None = None,
        timeout_s: float,
    ) -> T:
        """Give `work` a worker, or this one. It may be tried again, so it must be pure.

        That is for an engine that was replaced under it because another request on it was given
        up.
        """

        async def attempt() -> T:
            async with self._turn(None, worker) as given:
                return await self._within(given, work(given), timeout_s)

        return await self._again(attempt, worker)

    async def run(
        self,
        needed: Needed,
        work: Callable[[Worker, Loaded], Awaitable[T]],
        *,
        worker: int | None = None,
        timeout_s: float,
    ) -> T:
        """Give `work` a worker that holds the model, where it may run. It may be tried again."""

        async def attempt() -> T:
            async with self._turn(needed.model, worker) as given:
                loaded = await self._load(given, needed)
                return await self._within(given, work(given, loaded), timeout_s)

        return await self._again(attempt, worker)

    async def load(self, needed: Needed) -> Loaded:
        """The model on a worker."""

        async def found(_worker: Worker, loaded: Loaded) -> Loaded:
            return loaded

        return await self.run(needed, found, timeout_s=1.0)

    async def unload(self, model: Manifest) -> None:
        """Forget a model on every worker that holds it."""
        for worker in list(self._workers.values()):
            self._feed(ModelUnloaded(worker.number, model.key))
            await worker.unload(model)

    @property
    def held_bytes(self) -> int:
        """The weights that the engines hold; what models share counts once on each worker."""
        return sum(worker.library.holding.held_bytes for worker in self._workers.values())

    def describe(self) -> dict[str, Any]:
        """The sockets and workers as they are now."""
        workers = list(self._workers.values())
        channels = [one for worker in workers for one in (worker.page, worker.engine) if one]
        return {
            "bridge": {
                "port": self._server.port if self._server else None,
                "connections": len(channels),
                "late_replies": sum(channel.late_replies for channel in channels),
            },
            "resource_pool": {
                "max_connections": self._config.max_connections,
                "workers": len(workers),
                "queued": len(self._state.queue),
                "browsers": [worker.browser_name for worker in workers],
            },
        }

    async def _again(self, attempt: Callable[[], Awaitable[T]], worker: int | None) -> T:
        while True:
            try:
                return await attempt()
            except AccelerateError as error:
                replaced = error.details.get("engine_replaced") and worker is None
                if not replaced and not error.details.get("laid_out_anew"):
                    raise

    def _turn(self, model: Manifest | None, number: int | None) -> Turn:
        """A place on a worker, given back however the block ends."""
        request = next(self._numbers)
        future: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting[request] = future
        return Turn(
            future,
            lambda: self._feed(Submitted(request, model.key if model else None, number)),
            lambda: self._finish(request),
        )

    def _finish(self, request: int) -> None:
        self._waiting.pop(request, None)
        self._feed(Finished(request))

    async def _load(self, worker: Worker, needed: Needed) -> Loaded:
        held = worker.held(needed)
        if held is not None:
            return held
        loaded = await self._serving.load(worker, needed)
        self._feed(ModelLoaded(worker.number, needed.model.key))
        return loaded

    async def _within(self, worker: Worker, work: Awaitable[T], timeout_s: float) -> T:
        """The work's result within its time; an engine that is left stuck is replaced."""
        try:
            async with worker.line.place(timeout_s) as place:
                return await work
        except asyncio.CancelledError:
            self._spawn(self._unstick(worker, place, "a request was cancelled"))
            raise
        except TimeoutError:
            self._spawn(self._unstick(worker, place, "a request passed its deadline"))
            raise PoolError(
                f"Worker {worker.number} gave no answer within {timeout_s:g} s.",
                code="timeout",
                hint="Raise inference_timeout_s or load_timeout_s, or send less at once.",
            ) from None
        except AccelerateError as error:
            if error.code == "connection_lost":
                raise self._loss(worker, error) from error
            raise

    def _loss(self, worker: Worker, error: AccelerateError) -> AccelerateError:
        if self._state.closed is not None:
            return self._state.closed
        if worker.ended.is_set():
            return worker_lost(worker.number, "its browser ended")
        lost = worker_lost(worker.number, str(error).rstrip("."))
        lost.details["engine_replaced"] = worker.restarting
        return lost

    async def _unstick(self, worker: Worker, place: Place, reason: str) -> None:
        """A WASM run can't be interrupted from inside: where a cancel has no effect, start anew."""
        engine = worker.engine
        try:
            while engine is not None and await _still_unsettled(engine):
                # What was given up may only wait behind another's run, which is left alone.
                if await worker.stuck():
                    await worker.restart_engine(reason)
                    return
        except (AccelerateError, TimeoutError):
            self._lose(worker, "its page does not answer")
        finally:
            worker.line.leave(place)

    def _feed(self, event: Event) -> None:
        for action in self._state.handle(event):
            self._carry_out(action)

    def _carry_out(self, action: Action) -> None:
        match action:
            case LaunchBrowser(number):
                self._workers[number] = self._new_worker(number)
                self._spawn(self._launch(self._workers[number]))
            case Assign(request, number):
                future = self._waiting.get(request)
                if future is not None and not future.done():
                    future.set_result(self._workers[number])
            case Fail(request, error):
                future = self._waiting.get(request)
                if future is not None and not future.done():
                    future.set_exception(error)
            case EndBrowser(number):
                self._spawn(self._end(number))

    def _new_worker(self, number: int) -> Worker:
        arrange = Arranger(self._store) if self._config.share else None
        within = partial(self._within, timeout_s=self._config.load_timeout_s)
        return Worker(number, arrange, self._config.remember_bytes, within)

    async def _launch(self, worker: Worker) -> None:
        # Set by start, which feeds the first event.
        assert self._server is not None  # noqa: S101
        assert self._installed is not None  # noqa: S101
        worker.runtime = self._serving.runtime()
        url = self._server.page_url(worker.number, self._config.worker_threads, worker.runtime)
        try:
            worker.browser = browser = await launch(
                self._installed,
                url,
                profiles=self._config.folder / "profiles",
                headless=self._config.headless,
                rung=self._rung,
            )
            if worker.ended.is_set():  # closed while it was starting
                await browser.close()
                return
            await browser.wait_for_page(worker.engine_came.wait(), self._config.startup_timeout_s)
        except AccelerateError as error:
            self._feed(WorkerLost(worker.number, error))
            return
        await browser.ended.wait()
        self._lose(worker, "its browser ended")

    def _channel_opened(self, number: int, role: str, channel: Channel) -> None:
        worker = self._workers.get(number)
        if worker is None:
            self._spawn(channel.close("this worker is gone"))
        elif role == "engine":
            self._spawn(self._engine_came(worker, channel))
        elif worker.page is None:
            worker.page = channel
            channel.on_end = partial(self._lose, worker, "its page ended")
        else:
            self._spawn(channel.close("this worker has a page"))

    async def _engine_came(self, worker: Worker, channel: Channel) -> None:
        """An engine's end may be seen after its successor has come; any other is a stranger."""
        if worker.engine is not None and not await _ended_within(worker.engine, SUCCESSION_S):
            await channel.close("this worker has an engine")
            return
        if channel.ended.is_set():
            return
        channel.on_end = partial(self._engine_ended, worker, channel)
        worker.attach(channel)
        self._feed(WorkerReady(worker.number))

    def _engine_ended(self, worker: Worker, engine: Channel) -> None:
        if worker.ended.is_set():
            return
        self._feed(EngineLost(worker.number))
        patience_s = self._config.startup_timeout_s
        asyncio.get_running_loop().call_later(patience_s, self._check_engine, worker, engine)

    def _check_engine(self, worker: Worker, ended: Channel) -> None:
        if worker.engine is ended:
            self._lose(worker, "its engine ended, and no other came")

    def _lose(self, worker: Worker, why: str) -> None:
        if worker.ended.is_set():
            return
        lost = worker_lost(worker.number, why)
        lost.details["log"] = worker.browser.log_tail() if worker.browser else ""
        self._feed(WorkerLost(worker.number, lost))

    async def _end(self, number: int) -> None:
        worker = self._workers.pop(number, None)
        if self._server is not None:
            self._server.access.revoke(number)
        if worker is not None:
            await worker.close()

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End every browser and the server. Idempotent, and complete even if cancelled."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self._feed(Closed(PoolError("The pool was closed.", code="closed", hint="Make a new one.")))
        await asyncio.gather(*(self._end(number) for number in list(self._workers)))
        pending = [task for task in self._tasks if not task.done()]
        if pending:
            await asyncio.wait(pending, timeout=5)
        for task in self._tasks:
            task.cancel()
        if self._server is not None:
            await self._server.stop()


async def _ended_within(channel: Channel, seconds: float) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await channel.ended.wait()
    return channel.ended.is_set()


async def _still_unsettled(engine: Channel) -> bool:
    """After a while: whether a live engine still owes an answer to what was given up."""
    return not await _ended_within(engine, CANCEL_GRACE_S) and not engine.settled
