"""Keeps a browser that has no lifeline of its own: a tiny process that ends it with this one.

Run as a program it stands between Python and the browser, and leads the group of both:

    python keeper.py PYTHONS_NUMBER PROGRAM ARGUMENTS

Descriptor 3 is a pipe that Python holds open. When it comes to its end, whatever Python died of,
or when the keeper is told to end, the browser is asked to end (TERM), and what is left of it after
a while is ended (KILL). The keeper's exit is the browser's; one that ended when it was asked to is
an exit in order. One that is killed itself leaves the
group to Python, which ends it.

It imports little and is run without `site`, so that it starts in some 10 ms and stays small.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PIPE_FD = 3
_UNUSED_FD = 4
GRACE_S = 1.5
"""Less than Python waits before it takes a hand in it."""
CANT_RUN = 127
_PR_SET_PDEATHSIG = 1
_TOLD = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def kept(command: list[str]) -> list[str]:
    """The command of a keeper that runs `command` for this process."""
    keeper = [sys.executable, "-I", "-S", os.path.abspath(__file__), str(os.getpid())]  # noqa: PTH100 - as little as possible is imported here
    return [*keeper, *command]


def main(python: int, command: list[str]) -> None:
    """Run the command until it ends, Python ends, or this is told to end."""
    waking = _waking()
    browser = _start(command)
    status = _until_over(browser, waking)
    if status is None:
        status = _end(browser)
    if os.getppid() != python:
        # Nobody else is left who could: this takes the keeper too.
        os.killpg(0, signal.SIGKILL)
    _end_alike(status)


def _start(command: list[str]) -> int:
    for descriptor in (PIPE_FD, _UNUSED_FD):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - the signature of os
    set_parent_death_signal = _parent_death_signal()
    browser = os.fork()
    if browser == 0:
        try:
            set_parent_death_signal()
            os.execv(command[0], command)  # noqa: S606 - none is wanted
        except OSError as error:
            os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(CANT_RUN)
    return browser


def _parent_death_signal() -> Callable[[], object]:
    """On Linux the browser ends even where its keeper and Python are killed at once.

    Right here, where one thread is all there is; wrong in Python, where it would fire at the end
    of the thread that started the browser.
    """
    if not sys.platform.startswith("linux"):
        return lambda: None
    import ctypes  # noqa: PLC0415 - only there

    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _waking() -> int:
    """A descriptor that becomes readable with every signal that matters here."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    for number in (signal.SIGCHLD, *_TOLD):
        signal.signal(number, lambda *_: None)
    return reading


def _until_over(browser: int, waking: int) -> int | None:
    """The browser's status once it has ended; None once it has to be ended."""
    while True:
        ready, _, _ = select.select([PIPE_FD, waking], [], [])
        if PIPE_FD in ready:
            return None
        told = set(os.read(waking, 4096))
        status = _ended(browser)
        if status is not None or told & set(_TOLD):
            return status


def _end(browser: int) -> int:
    """Ask the browser to end, and wait; then leave it no choice."""
    os.kill(browser, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while time.monotonic() < deadline:
        status = _ended(browser)
        if status is not None:
            # To die of what it was told is an end in order.
            return 0 if status == signal.SIGTERM else status
        time.sleep(0.01)
    os.kill(browser, signal.SIGKILL)
    return os.waitpid(browser, 0)[1]


def _ended(browser: int) -> int | None:
    pid, status = os.waitpid(browser, os.WNOHANG)
    return status if pid else None


def _end_alike(status: int) -> None:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code in _TOLD:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
