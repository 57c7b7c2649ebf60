"""transfer: 10 MB to the page and back, against a raw socket and against Playwright."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from benchmarks.bare_peer import bare_socket
from benchmarks.pairs import interleaved
from benchmarks.playwright_peer import async_page
from benchmarks.report import Comparison, Report, Sample
from benchmarks.statistics import Target
from benchmarks.stopwatch import Stopwatch
from ipfs_accelerate import AsyncAccelerator

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from numpy.typing import NDArray
    from playwright.async_api import Page

    from benchmarks.bare_peer import Bare
    from benchmarks.setting import Setting

    Trip = Callable[[Stopwatch], Awaitable[None]]

PAIRS = 200
QUICK = 8
LONG_PAIRS = 20
LONG_QUICK = 2
WARM_UP = 3
FLOATS = 2_500_000
TO, BACK = "to the page", "back"

KEEP = """encoded => {
    const bytes = Uint8Array.fromBase64
        ? Uint8Array.fromBase64(encoded)
        : Uint8Array.from(atob(encoded), one => one.charCodeAt(0));
    globalThis.kept = new Float32Array(bytes.buffer);
}"""
GIVE = """() => {
    const bytes = new Uint8Array(globalThis.kept.buffer);
    if (bytes.toBase64) return bytes.toBase64();
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768)
        text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
}"""


def run(setting: Setting) -> Report:
    """Carry the same array there and back in each of the three ways."""
    pairs = setting.pairs(PAIRS, quick=QUICK)
    long_pairs = setting.long_pairs(LONG_PAIRS, quick=LONG_QUICK)
    usual, own, playwright = asyncio.run(_measure(setting, pairs, long_pairs))
    megabytes = FLOATS * 4 / 1e6
    return Report(
        name="transfer",
        title=f"{megabytes:g} MB of float32 each way, against a raw socket and Playwright",
        conditions=[
            f"{pairs} interleaved pairs with each raw socket, after {WARM_UP} of warm-up",
            f"{long_pairs} with Playwright, which takes seconds for one, after 1 of warm-up",
            "put and get on the async face",
            (
                "a raw socket: uvicorn, websockets and Starlette on the same loop; "
                "ArrayBuffers in a Worker; no codec, and bytes that are ready"
            ),
            "own socket: the same with the product's own socket, so what is left is its protocol",
            "Playwright carries base64, decoded to a Float32Array by the page and to an array here",
            "the raw socket's ratio is its time over ours: 0.9 is 90 % of its speed",
        ],
        comparisons=[
            _comparison("a raw socket", TO, usual, 0.9),
            _comparison("a raw socket", BACK, usual, 0.9),
            _comparison("its own socket", TO, own, None),
            _comparison("its own socket", BACK, own, None),
            _comparison("Playwright", TO, playwright, 40),
            _comparison("Playwright", BACK, playwright, 6),
        ],
    )


async def _measure(setting: Setting, pairs: int, long_pairs: int) -> list[Stopwatch]:
    array = np.random.default_rng(1).standard_normal(FLOATS, np.float32)
    async with AsyncAccelerator(**setting.options) as accelerator:
        ours = _product(accelerator, array)
        watches = []
        for name, usual in (("raw socket", True), ("own socket", False)):
            async with bare_socket("bytes", setting.folder, _no_file, usual=usual) as socket:
                other = _raw(socket, array)
                watches.append(
                    await _pairs(name, ours, other, setting=setting, pairs=pairs, warm_up=WARM_UP)
                )
        async with async_page(setting.folder) as page:
            other = _playwright(page, array)
            long = await _pairs(
                "Playwright", ours, other, setting=setting, pairs=long_pairs, warm_up=1
            )
    return [*watches, long]


async def _pairs(
    name: str, ours: Trip, other: Trip, *, setting: Setting, pairs: int, warm_up: int
) -> Stopwatch:
    unkept, watch = Stopwatch(), Stopwatch()
    for _ in range(warm_up):
        await ours(unkept)
        await other(unkept)
    for number, trip in interleaved([ours, other], pairs):
        await trip(watch)
        setting.on_step(f"transfer, {name}", number + 1, pairs)
    return watch


def _product(accelerator: AsyncAccelerator, array: NDArray[np.float32]) -> Trip:
    async def trip(watch: Stopwatch) -> None:
        with watch.of(f"ours {TO}"):
            tensor = await accelerator.put(array)
        with watch.of(f"ours {BACK}"):
            came = await accelerator.get(tensor)
        await accelerator.drop(tensor)
        _same(came, array)

    return trip


def _raw(socket: Bare, array: NDArray[np.float32]) -> Trip:
    data = array.tobytes()

    async def trip(watch: Stopwatch) -> None:
        with watch.of(f"other {TO}"):
            await socket.send([data])
            await socket.receive()
        with watch.of(f"other {BACK}"):
            await socket.send([b"give"])
            came = np.frombuffer(await socket.receive(), np.float32)
        _same(came, array)

    return trip


def _playwright(page: Page, array: NDArray[np.float32]) -> Trip:
    async def trip(watch: Stopwatch) -> None:
        with watch.of(f"other {TO}"):
            await page.evaluate(KEEP, b64encode(array.data).decode())
        with watch.of(f"other {BACK}"):
            came = np.frombuffer(b64decode(await page.evaluate(GIVE)), np.float32)
        _same(came, array)

    return trip


def _same(came: NDArray[Any], sent: NDArray[Any]) -> None:
    if not np.array_equal(came, sent):
        raise RuntimeError("What came back is not what was sent, so its time means nothing.")


def _no_file(name: str) -> NoReturn:
    raise FileNotFoundError(name)


def _comparison(peer: str, way: str, watch: Stopwatch, least: float | None) -> Comparison:
    verb = "put" if way == TO else "get"
    return Comparison(
        label=f"{way}: times the speed of {peer}",
        ours=Sample(f"accelerator.{verb}", "ms", watch.taken[f"ours {way}"]),
        other=Sample(peer, "ms", watch.taken[f"other {way}"]),
        by="ratio",
        target=None if least is None else Target("at least", least),
    )
