"""Under which conditions the benchmark of sharing measured, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.browser_size import PATIENCE_S, STILL_MB, on_strangers
from benchmarks.call import TOKENS
from benchmarks.sharing_memory import GARBAGE_S, TRIES
from benchmarks.sharing_sides import BROWSER
from benchmarks.sharing_times import WARM_UP, counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.setting import Setting
    from benchmarks.sharing_memory import Measured


def conditions(setting: Setting, missing: Sequence[str], measured: Measured) -> list[str]:
    """What is missing first, then how the times, the memory and the planning were measured."""
    return [*missing, *_of_times(setting), *_of_memory(measured), *_of_the_rest()]


def _of_times(setting: Setting) -> list[str]:
    browsers, rounds = counts(setting)
    return [
        f"the {BROWSER} browser: WASM with {setting.threads} threads, WebNN without a GPU",
        f"{TOKENS} tokens or one picture of 224 x 224 in a call, one call after another",
        "off: share=False, remember=False; on: share=True, remember=True; no input comes twice",
        (
            f"{rounds} interleaved rounds in each of {browsers} pairs of browsers, after {WARM_UP} "
            "in which both sides' outputs have to be equal"
        ),
        "times are our share of the other's: 0.33 of it is a third",
        "engine: what the engine took for the calls, without the way to it and back",
        "cut: share=True, remember=False, beside another model that has the same part",
        "two equal browsers: off against off, where there is nothing to be found",
        "the guides' claims are of other models, and no document says how they were measured",
    ]


def _of_memory(measured: Measured) -> list[str]:
    count = len(measured.sizes) // len(measured.taken)
    still_s = measured.sizes[0].still_s
    return [
        f"memory: {count} fresh browsers of each kind; PSS of all processes; 1 MB is 10^6 bytes",
        f"base: {measured.base_s:g} s after a tiny model ran there on the same platform",
        "each model is called as it comes, and again when all are there; peak: until then",
        (
            f"settled: {GARBAGE_S:g} s after the last call, {still_s:g} s within {STILL_MB:g} MB, "
            f"or {PATIENCE_S:g} s"
        ),
        f"measured anew, up to {TRIES} times, where another browser came or went meanwhile",
        "weights lie outside the graph on both sides",
        on_strangers(measured.sizes),
    ]


def _of_the_rest() -> list[str]:
    return [
        (
            "MiniLM beside another publisher's model is a file, without a golden vector, in whose "
            "shape WebNN would hold it once more"
        ),
        "loading, beside which planning is: again in one browser, with everything cached",
    ]
