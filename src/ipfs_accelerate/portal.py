"""A loop on a thread of its own: how blocking callers reach asynchronous code from anywhere."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from ipfs_accelerate.errors import ConfigError, PoolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

P = ParamSpec("P")
T = TypeVar("T")


class Portal:
    """Runs coroutines on its loop for any thread, inside or outside another running loop."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        # Taken to enter and to close, so that no call is left on a loop that has stopped.
        # Reentrant, since a signal handler may close while its own thread is entering.
        self._door = threading.RLock()
        self._closed = False
        self._ending: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="ipfs-accelerate", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._wind_up())
            self._loop.close()

    async def _wind_up(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self._loop.shutdown_default_executor()

    @property
    def pid(self) -> int:
        """The process that made it."""
        return self._pid

    @property
    def alive(self) -> bool:
        """Whether its loop runs."""
        return self._thread.is_alive() and not self._closed

    def call(self, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `await function(...)`; an interrupt here cancels it there."""
        check_fork(self._pid)
        if threading.current_thread() is self._thread:
            raise ConfigError(
                "A blocking call was made from the accelerator's own loop, where it would wait "
                "for itself.",
                hint="Use AsyncAccelerator there.",
            )

        async def enter() -> T:
            return await function(*args, **kwargs)

        with self._door:
            if self._closed:
                raise closed()
            future = asyncio.run_coroutine_threadsafe(enter(), self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:  # the loop ended under it
            raise closed() from None
        except BaseException:
            future.cancel()
            raise

    def end(self, last: Callable[[], Awaitable[None]]) -> None:
        """Await `last`, then close.

        On the loop's own thread, where the garbage collector may call it, it does not wait.
        """
        if threading.current_thread() is self._thread:
            self._ending = self._loop.create_task(self._end_inside(last))
            return
        try:
            self.call(last)
        finally:
            self.close()

    async def _end_inside(self, last: Callable[[], Awaitable[None]]) -> None:
        try:
            await last()
        finally:
            self._stop()

    def close(self) -> None:
        """End the loop and its thread. Idempotent; after a fork it leaves the parent's alone."""
        if os.getpid() != self._pid:
            return
        self._stop()
        self._thread.join()

    def _stop(self) -> None:
        with self._door:
            if not self._closed:
                self._closed = True
                self._loop.call_soon_threadsafe(self._loop.stop)


def check_fork(pid: int) -> None:
    """An error where this process is not the one that made the accelerator."""
    if os.getpid() != pid:
        raise ConfigError(
            f"This accelerator belongs to process {pid}; process {os.getpid()} only inherited it "
            "by a fork, and its browser and threads are not here.",
            code="after_fork",
            hint="Make a new Accelerator in the child process.",
        )


def closed() -> PoolError:
    """The error of using what was closed."""
    return PoolError("This accelerator is closed.", code="closed", hint="Make a new one.")
