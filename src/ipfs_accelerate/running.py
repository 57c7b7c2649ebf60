"""One call on its way: given to a worker, planned over what is there, answered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from ipfs_accelerate import transfers
from ipfs_accelerate.answers import result_of
from ipfs_accelerate.errors import AccelerateError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ipfs_accelerate.calls import Call
    from ipfs_accelerate.pool import Loaded, Needed, Pool, Worker
    from ipfs_accelerate.pool.plan import Plan
    from ipfs_accelerate.result import Result
    from ipfs_accelerate.server import Answer


@dataclass(frozen=True, slots=True)
class Ran:
    """A result, and the model as it was loaded where that came from."""

    result: Result
    loaded: Loaded


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of a plan, and where."""

    plan: Plan
    answer: Answer
    worker: Worker
    loaded: Loaded
    then: Loaded
    """the model as it was laid out for the plan"""


@dataclass(frozen=True, slots=True)
class Running:
    """A call that is to run."""

    pool: Pool
    needed: Needed
    call: Call
    handles: Iterator[int]
    """fresh ones, for what is to be remembered"""
    timeout_s: float

    async def result(self, started: float, *, remember: bool) -> Ran:
        """Its result; `started` is when the caller began to wait."""
        sent = await self.pool.run(
            self.needed,
            partial(self._work, remember=remember and not self.call.remote and not self.call.keep),
            worker=self.call.worker,
            timeout_s=self.timeout_s,
        )
        latency_s = perf_counter() - started
        where = (sent.worker, sent.then)
        result = result_of(self.call, sent.plan, sent.answer, *where, latency_s=latency_s)
        return Ran(result, sent.loaded)

    async def _work(self, worker: Worker, loaded: Loaded, *, remember: bool) -> Sent:
        call = await self._fitting(worker, loaded)
        try:
            return await self._ask(call, worker, loaded, remember=remember)
        except AccelerateError as error:
            # What another request was to make, or had made, is not there: it is computed here.
            if not remember or error.code != "tensor_not_found":
                raise
        return await self._ask(call, worker, loaded, remember=False)

    async def _ask(self, call: Call, worker: Worker, loaded: Loaded, *, remember: bool) -> Sent:
        """Plan and send it with nothing in between, so that it fits what the engine then holds."""
        recall, then = worker.library.recall, loaded.as_it_is()
        platform = loaded.ability.platform
        digest = partial(call.digest, platform)
        plan = call.plan(then, recall.memory(then, digest, self.handles) if remember else None)
        tensors = call.tensors(plan, platform)
        recall.promise(plan, then)
        try:
            answer = await worker.ask(plan.message, tensors)
        except BaseException as error:
            recall.withdraw(plan)
            if isinstance(error, AccelerateError) and error.code == "model_not_loaded":
                error.details["laid_out_anew"] = not loaded.holds(plan)
            raise
        recall.fulfil(plan, then, answer.value)
        return Sent(plan, answer, worker, loaded, then)

    async def _fitting(self, worker: Worker, loaded: Loaded) -> Call:
        """The call, with by value what lies there in a dtype that the components do not take."""
        values = {
            name: await transfers.get(worker, self.call.remote[name])
            for name in self.call.misfits(loaded)
        }
        return self.call.with_values(values) if values else self.call
