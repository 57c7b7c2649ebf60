"""A child process that leads a group: waited for, signalled, and never mistaken for another."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# Told where some other part of the program has taken the child's exit code first.
UNKNOWN_RETURNCODE = 255


class Child:
    """A child started with a process group of its own; a thread waits for its end."""

    def __init__(self, pid: int, on_end: Callable[[], None]) -> None:
        self.pid = pid
        # Set once the child is reaped; from then on its number may be another's.
        self.returncode: int | None = None
        self._on_end = on_end
        self._owner = os.getpid()
        # Reentrant, since a signal handler may kill while this thread is doing so.
        self._lock = threading.RLock()
        threading.Thread(target=self._wait, name=f"browser {pid}", daemon=True).start()

    @property
    def ours(self) -> bool:
        """False in a process forked from the one that started it."""
        return os.getpid() == self._owner

    def signal_group(self, number: signal.Signals) -> None:
        """Signal the child and its group, if the child has not been reaped."""
        if not self.ours:
            return
        with self._lock:
            if self.returncode is None:
                self._signal(number)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _wait(self) -> None:
        # Signals are the main thread's: one taken here would not wake it.
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            wait_unreaped(self.pid)
        except ChildProcessError:  # another part has reaped it
            self.returncode = UNKNOWN_RETURNCODE
        else:
            with self._lock:
                self.returncode = self._reap()
        self._on_end()

    def _reap(self) -> int:
        """End what is left of the group while the dead leader still keeps its number taken."""
        self._signal(signal.SIGKILL)
        try:
            _, status = os.waitpid(self.pid, 0)
        except ChildProcessError:  # another part was quicker
            return UNKNOWN_RETURNCODE
        return os.waitstatus_to_exitcode(status)


def wait_unreaped(pid: int) -> None:
    """Wait until the child has ended, and leave it unreaped."""
    if sys.platform == "darwin":
        _wait_by_kqueue(pid)
    else:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


if sys.platform == "darwin":

    def _wait_by_kqueue(pid: int) -> None:
        """Python has no waitid on macOS before 3.13."""
        queue = select.kqueue()
        try:
            event = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
            # It has ended already where the kernel knows of no such process.
            with suppress(ProcessLookupError):
                queue.control([event], 1)
        finally:
            queue.close()
