"""The pool as a state machine: events in, actions out; no clock, socket or process. Pure."""

from __future__ import annotations

from collections import deque

from ipfs_accelerate.errors import AccelerateError, PoolError, TensorError
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
from ipfs_accelerate.pool.placement import WorkerState, choose


class PoolState:
    """Workers and the requests that wait for one. `handle` is the only way in."""

    def __init__(self, max_workers: int) -> None:
        self.max_workers = max_workers
        self.workers: dict[int, WorkerState] = {}
        self.queue: deque[Submitted] = deque()
        self.closed: AccelerateError | None = None
        self._next_worker = 1

    def __repr__(self) -> str:
        each = [f"{one.number}:{one.status}/{len(one.running)}" for one in self.workers.values()]
        return f"<PoolState workers=[{', '.join(each)}] queued={len(self.queue)}>"

    def handle(self, event: Event) -> list[Action]:
        """What is to be done now that this has happened."""
        if self.closed is not None:
            return self._after_close(event)
        actions: list[Action] = []
        match event:
            case Submitted():
                actions += self._submitted(event)
            case Finished(request):
                self._forget(request)
            case WorkerReady(worker) if worker in self.workers:
                self.workers[worker].status = "ready"
                self.workers[worker].came = True
                self.workers[worker].models.clear()
            case EngineLost(worker) if worker in self.workers:
                self.workers[worker].status = "starting"
                self.workers[worker].models.clear()
            case WorkerLost(worker, error) if worker in self.workers:
                actions += self._lost(self.workers.pop(worker), error)
            case ModelLoaded(worker, model) if worker in self.workers:
                self.workers[worker].models.add(model)
            case ModelUnloaded(worker, model) if worker in self.workers:
                self.workers[worker].models.discard(model)
            case Warmed() if not self.workers:
                actions.append(self._launch())
            case Closed(error):
                return self._close(error)
            case _:
                pass  # it speaks of a worker that is gone already
        return actions + self._place()

    def _submitted(self, event: Submitted) -> list[Action]:
        if event.worker is not None and event.worker not in self.workers:
            return [Fail(event.request, _gone(event.worker))]
        self.queue.append(event)
        return []

    def _forget(self, request: int) -> None:
        if self.queue:
            self.queue = deque(one for one in self.queue if one.request != request)
        for worker in self.workers.values():
            worker.running.discard(request)

    def _lost(self, worker: WorkerState, error: AccelerateError) -> list[Action]:
        """Its own requests fail. So do all that wait where the start itself failed: no loop."""
        failed: list[Action] = [Fail(request, error) for request in sorted(worker.running)]
        kept: deque[Submitted] = deque()
        never_came = not worker.came and not self.workers
        for request in self.queue:
            if request.worker == worker.number:
                failed.append(Fail(request.request, _gone(worker.number)))
            elif never_came:
                failed.append(Fail(request.request, error))
            else:
                kept.append(request)
        self.queue = kept
        return [*failed, EndBrowser(worker.number)]

    def _place(self) -> list[Action]:
        actions: list[Action] = []
        if not self.queue:
            return actions
        waiting: deque[Submitted] = deque()
        for request in self.queue:
            worker = choose(request, self.workers.values())
            if worker is None:
                waiting.append(request)
            else:
                worker.running.add(request.request)
                actions.append(Assign(request.request, worker.number))
        self.queue = waiting
        starting = sum(one.status == "starting" for one in self.workers.values())
        wanted = sum(one.worker is None for one in waiting)
        while starting < wanted and len(self.workers) < self.max_workers:
            actions.append(self._launch())
            starting += 1
        return actions

    def _launch(self) -> LaunchBrowser:
        worker = WorkerState(self._next_worker)
        self._next_worker += 1
        self.workers[worker.number] = worker
        return LaunchBrowser(worker.number)

    def _close(self, error: AccelerateError) -> list[Action]:
        self.closed = error
        requests = [one.request for one in self.queue]
        for worker in self.workers.values():
            requests += sorted(worker.running)
        actions: list[Action] = [Fail(request, error) for request in requests]
        actions += [EndBrowser(worker) for worker in self.workers]
        self.queue.clear()
        self.workers.clear()
        return actions

    def _after_close(self, event: Event) -> list[Action]:
        if isinstance(event, Submitted) and self.closed is not None:
            return [Fail(event.request, self.closed)]
        return []


def _gone(worker: int) -> AccelerateError:
    return TensorError(
        f"Worker {worker} has ended, and the tensors that it held are gone with it.",
        hint="Put them again.",
    )


def worker_lost(worker: int, why: str) -> PoolError:
    """The error of every request that a worker held when it ended."""
    return PoolError(
        f"Worker {worker} was lost: {why}.",
        code="worker_lost",
        hint="The next call starts another.",
    )
