"""Profile slots: folders that one browser at a time uses, and the next one finds warm."""

from __future__ import annotations

import fcntl
import os
from collections import deque
from pathlib import Path

from ipfs_accelerate.browsers.environment import name_for
from ipfs_accelerate.browsers.folders import disk_errors, private_folder
from ipfs_accelerate.browsers.forks import Held
from ipfs_accelerate.browsers.leftovers import clear_litter, end_recorded, record
from ipfs_accelerate.errors import BrowserError

MAX_SLOTS = 64
_LAST_BYTES = 64 * 1024


class ProfileSlot:
    """A locked slot. The lock ends with this process, however that dies."""

    def __init__(self, path: Path, lock: Held) -> None:
        self.path = path
        self.profile = path / "profile"
        self.temporary = path / "tmp"
        self.log = path / "browser.log"
        self.start_file = path / "start.html"
        self._record = path / "process.json"
        # Open while the slot is ours.
        self._lock = lock
        # Open from cleaning to release, so that a path too long for TMPDIR has a short name.
        self._open_temporary: Held | None = None

    def __repr__(self) -> str:
        return f"<ProfileSlot {self.path}{'' if self.held else ' released'}>"

    @property
    def held(self) -> bool:
        """Whether this process holds the slot."""
        return self._lock.open

    @property
    def temporary_name(self) -> str | None:
        """The folder for temporary files by a name that a browser can take."""
        return name_for(self.temporary, self._open_temporary.fd) if self._open_temporary else None

    def record(self, pid: int) -> None:
        """Remember the browser that runs here, so that the next holder can end it."""
        record(self._record, pid)

    def release(self) -> None:
        """Give the slot back; once is enough, and a forked child's call does nothing."""
        if not self.held:
            return
        for file in (self._record, self.start_file):
            file.unlink(missing_ok=True)
        clear_litter(self.profile, self.temporary)
        if self._open_temporary:
            self._open_temporary.let_go()
        # Said aloud, since a child forked by foreign code may hold the descriptor too.
        fcntl.flock(self._lock.fd, fcntl.LOCK_UN)
        self._lock.let_go()

    def log_tail(self, lines: int) -> str:
        """Read the last lines that the browser printed."""
        try:
            with self.log.open("rb") as log:
                log.seek(max(0, self.log.stat().st_size - _LAST_BYTES))
                text = log.read().decode(errors="replace")
        except OSError:
            return ""
        return "\n".join(deque(text.splitlines(), lines))

    def clean(self) -> None:
        """End and remove what an earlier run left, and make the folders that a browser needs."""
        end_recorded(self._record, self.profile)
        clear_litter(self.profile, self.temporary)
        self.start_file.unlink(missing_ok=True)
        for folder in (self.profile, self.temporary, self.path / "cache", self.path / "config"):
            private_folder(folder)
        self._open_temporary = Held(os.open(self.temporary, os.O_RDONLY | os.O_CLOEXEC))


def acquire(root: Path, browser_name: str) -> ProfileSlot:
    """Lock and clean the first free slot below `root` for this kind of browser."""
    shelf = Path(root).absolute() / browser_name
    with disk_errors(shelf):
        for number in range(MAX_SLOTS):
            if slot := _lock(private_folder(shelf) / f"slot-{number}"):
                return _cleaned(slot)
    raise BrowserError(
        f"All {MAX_SLOTS} profiles in {shelf} are in use.",
        hint="Close an accelerator that runs elsewhere, or set `cache_dir` to another folder.",
    )


def _lock(path: Path) -> ProfileSlot | None:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    lock = Held(os.open(private_folder(path) / "lock", flags, 0o600))
    try:
        fcntl.flock(lock.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.let_go()
        return None
    except OSError:  # a file system without locks
        lock.let_go()
        raise
    return ProfileSlot(path, lock)


def _cleaned(slot: ProfileSlot) -> ProfileSlot:
    try:
        slot.clean()
    except BaseException:
        slot.release()
        raise
    return slot
