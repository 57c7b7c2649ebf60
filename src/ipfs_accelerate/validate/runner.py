"""Runs cases on the platforms of browsers, a few at a time, and goes on after whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from ipfs_accelerate.errors import AccelerateError, BrowserError
from ipfs_accelerate.validate.judge import judge, judge_error, judge_unrun
from ipfs_accelerate.validate.verdicts import Outcome, Run, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from ipfs_accelerate.result import Result
    from ipfs_accelerate.validate.cases import Case

AT_ONCE = 3
"""Cases under way: while one computes, the next ones are read, sent and compared."""
HOPELESS = 3
"""Starts of a browser that fail one after the other before the rest is not tried."""


class Runner(Protocol):
    """What of an `AsyncAccelerator` a validation needs."""

    async def run(self, model: str | Path, inputs: Any, **options: Any) -> Result:
        """Run a model once."""

    async def unload(self, model: str | Path) -> None:
        """Forget it."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How cases are run and judged."""

    tolerance: Mapping[str, float]
    folder: Path
    """where a case's model lies while it runs"""
    deadline_s: float
    """after which a case hangs, whatever its accelerator says: well beyond its own timeouts"""
    allow_fallback: tuple[str, ...] = ()


Opens = Callable[[str | None], AbstractAsyncContextManager[Runner]]
Tells = Callable[[Run, Outcome], None]


async def validate(
    cases: Sequence[Case],
    runs: Mapping[str | None, Sequence[Run]],
    opens: Opens,
    settings: Settings,
    tell: Tells = lambda _run, _outcome: None,
) -> None:
    """Run every case in every run, by browser; each run is filled as its cases end."""
    for browser, its_runs in runs.items():
        async with opens(browser) as runner:
            for run in its_runs:
                await _Platform(runner, run, settings, tell).validate(cases)


@dataclass
class _Platform:
    """One run."""

    runner: Runner
    run: Run
    settings: Settings
    tell: Tells
    ends: Outcome | None = None
    """what will come of every further case, where that is known"""
    failed_starts: int = 0
    found: dict[int, Outcome] = field(default_factory=dict)

    async def validate(self, cases: Sequence[Case]) -> None:
        started = perf_counter()
        waiting = iter(enumerate(cases))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(AT_ONCE):
                    group.create_task(self._work(waiting))
        finally:  # also where it was interrupted
            self.run.outcomes[:] = [self.found[number] for number in sorted(self.found)]
            self.run.seconds = perf_counter() - started

    async def _work(self, waiting: Iterable[tuple[int, Case]]) -> None:
        for number, case in waiting:
            outcome = self._known(case) or await self._tried(case)
            self.found[number] = outcome
            self.run.outcomes.append(outcome)
            self.tell(self.run, outcome)

    def _known(self, case: Case) -> Outcome | None:
        if self.ends is not None:
            verdict, code, reason = self.ends.verdict, self.ends.code, self.ends.reason
            known = judge_error(case, AccelerateError(reason, code=code))
            return replace(known, verdict=verdict)
        return judge_unrun(case)

    async def _tried(self, case: Case) -> Outcome:
        started = perf_counter()
        try:
            with self._placed(case) as model:
                result = await self._run(model, case)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is recorded, and the run goes on
            outcome = judge_error(case, error)
            self._look(outcome, error)
        else:
            self.failed_starts = 0
            self.run.device = self.run.device or result.device
            outcome = judge(case, result, self.settings.tolerance, self.run.platform)
        return replace(outcome, seconds=perf_counter() - started)

    async def _run(self, model: str | Path, case: Case) -> Result:
        fallback = list(self.settings.allow_fallback)
        where = {"platform": self.run.platform, "allow_fallback": fallback}
        async with asyncio.timeout(self.settings.deadline_s):
            result = await self.runner.run(model, case.inputs, **where)
        # What can't be unloaded was lost with its worker.
        with contextlib.suppress(AccelerateError, TimeoutError):
            async with asyncio.timeout(self.settings.deadline_s):
                await self.runner.unload(model)
        return result

    @contextlib.contextmanager
    def _placed(self, case: Case) -> Any:
        """Where the case's model lies: a file of its own, while it runs, where it is but bytes."""
        if not isinstance(case.model, bytes):
            yield case.model
            return
        path = self.settings.folder / f"{case.name}.onnx"
        path.write_bytes(case.model)
        try:
            yield path
        finally:
            path.unlink()

    def _look(self, outcome: Outcome, error: Exception) -> None:
        """Whether it makes sense to go on."""
        if isinstance(error, BrowserError):
            self.failed_starts += 1
        if outcome.verdict is Verdict.UNAVAILABLE or self.failed_starts >= HOPELESS:
            self.ends = outcome
