"""The pipe whose closing ends a browser.

A signal at this process's death would come when the thread that started the browser ends, and not
at all on some systems. A pipe closes when the last process that holds it is gone, whatever it died
of.
"""

from __future__ import annotations

import fcntl
import os

from ipfs_accelerate.browsers.forks import Held

# Where a browser, or its keeper, looks for the pipe: Chromium reads from the first and writes to
# the second.
PIPE_FDS = (3, 4)

# Above every number that a browser's own descriptors are moved to.
_CLEAR_OF_FIXED_FDS = 10


class Lifeline:
    """Both pipes of a browser: our ends are held here, its own until it has been started."""

    def __init__(self) -> None:
        read_fd, write_fd = os.pipe()
        answer_read_fd, answer_write_fd = os.pipe()
        self._ours = (Held(write_fd), Held(answer_read_fd))
        self._theirs = (Held(clear(read_fd)), Held(clear(answer_write_fd)))

    @property
    def browser_ends(self) -> tuple[int, int]:
        """What the browser reads from and writes to, both above any fixed number."""
        return self._theirs[0].fd, self._theirs[1].fd

    def close_browser_ends(self) -> None:
        """Once the browser has them: from then on only it can keep the pipes open."""
        for held in self._theirs:
            held.let_go()

    def cut(self) -> None:
        """Let the browser end; once is enough."""
        self.close_browser_ends()
        for held in self._ours:
            held.let_go()


def clear(fd: int) -> int:
    """Move `fd` out of the way of the numbers that the browser's descriptors get."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _CLEAR_OF_FIXED_FDS)
    os.close(fd)
    return moved
