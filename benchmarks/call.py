"""call: a whole embedding of 128 tokens, against the same session timed in the page."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.call_split import split
from benchmarks.page_session import page_session
from benchmarks.pairs import interleaved
from benchmarks.report import Comparison, Report, Sample
from benchmarks.statistics import Target, differences
from ipfs_accelerate import Accelerator, AsyncAccelerator
from ipfs_accelerate.models import DEFAULT, BlockStore, resolve
from ipfs_accelerate.models.text import TextProcessor

if TYPE_CHECKING:
    from benchmarks.page_session import PageSession
    from benchmarks.report import Group
    from benchmarks.setting import Setting
    from ipfs_accelerate.result import Result

    Taken = defaultdict[str, list[float]]

ROUNDS = 200
QUICK = 10
WARM_UP = 5
TOKENS = 128
TARGET = Target("at most", 1.5)
WORDS = ("river", "stone", "light", "bread", "music", "garden", "winter", "paper", "horse")


def run(setting: Setting) -> Report:
    """Both faces and a page by itself, in turn; then the parts of what a face adds."""
    rounds = setting.pairs(ROUNDS, quick=QUICK)
    taken, parts = asyncio.run(_measure(setting, rounds))
    return Report(
        name="call",
        title=f"a whole embed() of {TOKENS} tokens, against the session in the page",
        conditions=[
            f"{rounds} rounds of async, sync and page, turned each time, after {WARM_UP}",
            f"{setting.threads} WASM threads in each of three browsers, one at work at a time",
            "distinct texts, and remember=False: every call is computed",
            "same call: less the milliseconds that the engine measured for that call's own run",
            "bare page: less that round's run in a page with onnxruntime-web alone",
            "the bare page's difference holds the spread of two runs, and so is the wider",
            (
                "the floor: what a bare socket costs beside the bare page's run, with bytes that "
                "are ready; what was idle or computing wakes as slowly for it as for us"
            ),
        ],
        comparisons=[
            *(
                _comparison(f"{face}, less {other}", taken[face], taken[f"{face} {other}"])
                for other in ("same call", "bare page")
                for face in ("async", "sync")
            ),
            *(_beside_floor(face, taken) for face in ("async", "sync")),
        ],
        groups=[parts],
    )


async def _measure(setting: Setting, rounds: int) -> tuple[Taken, Group]:
    store = BlockStore(setting.folder / "cache")
    manifest = await asyncio.to_thread(resolve, DEFAULT, store)
    texts = TextProcessor(manifest, store)
    with Accelerator(**setting.options) as blocking:
        async with (
            AsyncAccelerator(**setting.options) as accelerator,
            page_session(manifest, store, setting.threads, setting.folder) as page,
        ):
            trial = Trial(accelerator, blocking, page, texts)
            for number in range(WARM_UP):
                await trial.check(number)
            for number, side in interleaved(["async", "sync", "page"], rounds):
                await trial.measure(side, number)
                setting.on_step("call", number + 1, rounds)
            parts = await split(accelerator, [text_of(number) for number in range(rounds)], TARGET)
            return trial.taken, parts


class Trial:
    """The three sides, and what each of them took."""

    def __init__(
        self,
        accelerator: AsyncAccelerator,
        blocking: Accelerator,
        page: PageSession,
        texts: TextProcessor,
    ) -> None:
        self.taken: Taken = defaultdict(list)
        self._accelerator = accelerator
        self._blocking = blocking
        self._page = page
        self._texts = texts

    async def check(self, number: int) -> None:
        """Warm all three up, and see that they compute the same."""
        text = text_of(number)
        inputs = self._texts(text)
        vector = (await self._page.run(inputs)).vector
        made = [await self._accelerator.embed(text), self._blocking.embed(text)]
        close = all(np.allclose(one.output.ravel(), vector, atol=1e-5) for one in made)
        if inputs["input_ids"].shape != (1, TOKENS) or not close:
            raise RuntimeError(f"The sides of round {number} don't compute the same thing.")

    async def measure(self, side: str, number: int) -> None:
        """One call of one side. What the loop waits for meanwhile is nothing of ours."""
        text = text_of(number)
        if side == "page":
            ran = await self._page.run(self._texts(text))
            self.taken["async bare page"].append(ran.took_ms)
            self.taken["sync bare page"].append(ran.took_ms)
            self.taken["floor"].append(ran.floor_ms)
            return
        started = perf_counter()
        if side == "async":
            result = await self._accelerator.embed(text)
        else:
            result = self._blocking.embed(text)
        self._keep(side, perf_counter() - started, result)

    def _keep(self, side: str, took_s: float, result: Result) -> None:
        self.taken[side].append(took_s * 1000)
        self.taken[f"{side} same call"].append(result.performance_metrics["inference_ms"])


def text_of(number: int) -> str:
    """A text of 128 tokens, two of which its tokenizer adds; each number's is another."""
    drawn = np.random.default_rng(number).integers(0, len(WORDS), TOKENS - 2)
    return " ".join(WORDS[one] for one in drawn)


def _comparison(label: str, whole: list[float], inner: list[float]) -> Comparison:
    return Comparison(
        label=label,
        ours=Sample("whole call", "ms", whole),
        other=Sample("in the page", "ms", inner),
        by="difference",
        target=TARGET,
    )


def _beside_floor(face: str, taken: Taken) -> Comparison:
    """What the call costs beside its run, less what a bare socket costs beside the same one."""
    return Comparison(
        label=f"{face}, above the floor of a bare socket",
        ours=Sample("beside the run", "ms", differences(taken[face], taken[f"{face} same call"])),
        other=Sample("bare socket", "ms", taken["floor"]),
        by="difference",
    )
