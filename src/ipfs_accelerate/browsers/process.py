"""A running browser: started, watched, and ended in order."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, TypeVar

from ipfs_accelerate.browsers import failure, profiles
from ipfs_accelerate.browsers.child import Child
from ipfs_accelerate.browsers.engines import ENGINES
from ipfs_accelerate.browsers.environment import environment
from ipfs_accelerate.browsers.folders import disk_errors, write_private
from ipfs_accelerate.browsers.lifeline import Lifeline
from ipfs_accelerate.browsers.sandbox import sandbox_possible
from ipfs_accelerate.browsers.spawn import open_log, spawn
from ipfs_accelerate.browsers.start import Start, start_page

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from pathlib import Path

    from ipfs_accelerate.browsers.installed import Installed
    from ipfs_accelerate.browsers.ladder import Rung
    from ipfs_accelerate.browsers.profiles import ProfileSlot
    from ipfs_accelerate.errors import BrowserError

_T = TypeVar("_T")

# A program that can't run at all ends within this; a browser takes longer to open its page.
_AT_ONCE_S = 0.1
# How long each way to end a browser may take, from the gentlest on: 5 s in all.
_LIFELINE_GRACE_S = 2.0
_TERM_GRACE_S = 1.0
_KILL_GRACE_S = 2.0


async def launch(
    installed: Installed,
    url: str,
    *,
    profiles: Path,
    headless: bool = True,
    rung: Rung | None = None,
) -> Browser:
    """Start a browser that opens `url`, with the first free profile below `profiles`.

    It lives until it is closed or this process ends. One that ends at once is a `BrowserError`;
    whether its page comes is for `Browser.wait_for_page` to say. A `rung` of the ladder brings
    flags of its own, and says itself whether there is a window.
    """
    page = start_page(url)
    slot = await _slot(profiles, installed.name)
    try:
        start = Start(
            installed=installed,
            slot=slot.path,
            profile=slot.profile,
            start_file=slot.start_file,
            headless=rung.headless if rung else headless,
            sandbox=sandbox_possible(),
            flags=rung.flags if rung else (),
        )
        browser = _start(start, slot, page)
    except BaseException:
        slot.release()
        raise
    try:
        at_once = await browser.ended_within(_AT_ONCE_S)
    except asyncio.CancelledError:
        await browser.close()
        raise
    if at_once:
        error = browser.failure()
        await browser.close()
        raise error
    return browser


class Browser:
    """A browser that was started here. Close it, also where it has ended by itself."""

    def __init__(
        self, installed: Installed, slot: ProfileSlot, lifeline: Lifeline, pid: int
    ) -> None:
        self.installed = installed
        # Set, on the loop that launched it, once the browser has ended and was reaped.
        self.ended = asyncio.Event()
        self._slot = slot
        self._lifeline = lifeline
        self._loop = asyncio.get_running_loop()
        # Made by the first close, and shared by all others.
        self._closing: asyncio.Task[None] | None = None
        self._child = Child(pid, self._on_end)

    def __repr__(self) -> str:
        state = "running" if self.returncode is None else failure.how(self.returncode)
        return f"<Browser {self.installed.name} {self.pid} {state}>"

    @property
    def pid(self) -> int:
        """The number of the browser's first process, which is also that of its group."""
        return self._child.pid

    @property
    def profile(self) -> Path:
        """The folder with the browser's own data."""
        return self._slot.profile

    @property
    def returncode(self) -> int | None:
        """None while it runs; then its exit code, or minus the signal that ended it."""
        return self._child.returncode

    def log_tail(self, lines: int = 20) -> str:
        """Read the last lines that the browser printed."""
        return self._slot.log_tail(lines)

    def forget_start_file(self) -> None:
        """Delete the file with the page's address, and so its secret, once the page has come."""
        if self._child.ours:
            self._slot.start_file.unlink(missing_ok=True)

    def failure(self) -> BrowserError:
        """Why the browser ended, for one that wasn't meant to."""
        code = self.returncode if self.returncode is not None else 0
        return failure.ended_early(self.installed, code, self.log_tail(), self.profile)

    async def wait_for_page(self, dialled: Awaitable[_T], timeout_s: float) -> _T:
        """Wait for what `dialled` gives once the page has come, or raise why it has not.

        Like asyncio.wait_for, it cancels `dialled` where it does not wait for it any longer.
        """
        page = asyncio.ensure_future(dialled)
        ended = asyncio.ensure_future(self.ended.wait())
        try:
            await asyncio.wait(
                {page, ended}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED
            )
            if page.done():
                self.forget_start_file()
                return page.result()
            if ended.done():
                raise self.failure()
            raise failure.never_dialled(self.installed, timeout_s, self.log_tail(), self.profile)
        finally:
            page.cancel()
            ended.cancel()

    async def ended_within(self, timeout_s: float) -> bool:
        """Wait for the browser's end, at most so long, and say whether it came."""
        try:
            await asyncio.wait_for(self.ended.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """End the browser, gently first, and give its profile back; all done within 5 s."""
        if not self._child.ours:
            return
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._end())
        await asyncio.shield(self._closing)

    def kill_now(self) -> None:
        """End the browser without waiting, for where no loop runs any more."""
        self._child.signal_group(signal.SIGKILL)
        self._lifeline.cut()

    async def _end(self) -> None:
        self._lifeline.cut()
        if not await self.ended_within(_LIFELINE_GRACE_S):
            self._child.signal_group(signal.SIGTERM)
            if not await self.ended_within(_TERM_GRACE_S):
                self._child.signal_group(signal.SIGKILL)
                if not await self.ended_within(_KILL_GRACE_S):
                    return  # the kernel holds it: nobody else may have its profile
        self._slot.release()

    def _on_end(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self.ended.set)
        except RuntimeError:
            return  # the loop is closed, and nobody waits


async def _slot(root: Path, name: str) -> ProfileSlot:
    """In a thread, since an earlier run's browser may take seconds to end."""
    acquiring = asyncio.ensure_future(asyncio.to_thread(profiles.acquire, root, name))
    try:
        return await asyncio.shield(acquiring)
    except asyncio.CancelledError:
        acquiring.add_done_callback(_release_unwanted)
        raise


def _release_unwanted(acquired: asyncio.Future[ProfileSlot]) -> None:
    if not acquired.cancelled() and acquired.exception() is None:
        acquired.result().release()


def _start(start: Start, slot: ProfileSlot, page: str) -> Browser:
    engine = ENGINES[start.installed.engine]
    argv = engine.command(start)
    environ = environment(os.environ, slot.path, slot.temporary_name) | engine.environment(start)
    with disk_errors(slot.path):
        engine.prepare(start)
        write_private(slot.start_file, page)
        log = open_log(slot.log)
    lifeline = Lifeline()
    try:
        pid = spawn(argv, environ, lifeline.browser_ends, log.fd)
    except OSError as error:
        lifeline.cut()
        raise failure.not_started(start.installed, error) from error
    finally:
        log.let_go()
        lifeline.close_browser_ends()
    slot.record(pid)
    return Browser(start.installed, slot, lifeline, pid)
