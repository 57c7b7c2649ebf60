"""One start, in a process of its own: from nothing to a vector, and when each part was done.

It prints the moments as JSON, by a clock that its parent shares. Nothing but the clock is imported
before the product. The moments come from outside: a hook on starting a process, the progress that
a caller may ask for, and the lines of IPFS_ACCELERATE_DEBUG=wire.
"""

import sys
from time import perf_counter

moments = {"python": perf_counter()}

FRAMES = {
    "<- page 1 hello": "page said hello",
    "<- engine 1 hello": "engine said hello",
    "-> engine 1 load": "load asked",
    "-> engine 1 run": "session created",
    "<- engine 1 result": "answered",
}


class Wire:
    """Stands where stderr does, and notes when each kind of frame came; later ones replace it."""

    def write(self, text: str) -> int:
        """One line of the wire, or anything else, which goes on to where it belongs."""
        for beginning, name in FRAMES.items():
            if text.startswith(beginning):
                moments[name] = perf_counter()
        if not text.startswith(("<- ", "-> ")) and sys.__stderr__ is not None:
            sys.__stderr__.write(text)
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""


def hear(event: str, _arguments: object) -> None:
    """The browser is the only program that is started so."""
    if event == "os.posix_spawn":
        moments["browser started"] = perf_counter()


def progressed(stage: str, done: int, total: int) -> None:
    """The last of the weights' bytes has come."""
    if stage == "fetch" and done == total:
        moments["weights fetched"] = perf_counter()


def start(folder: str, threads: int, port: int) -> None:
    """Embed one sentence."""
    import ipfs_accelerate  # noqa: PLC0415 - its import is what is timed
    from ipfs_accelerate import models  # noqa: PLC0415

    made = ipfs_accelerate.Accelerator
    moments["imported"] = perf_counter()
    resolve = models.resolve

    def timed(*arguments: object) -> object:
        manifest = resolve(*arguments)  # type: ignore[arg-type]  # what the product gives it
        moments["model resolved"] = perf_counter()
        return manifest

    models.resolve = timed  # type: ignore[assignment]  # it is the same, and notes a moment
    options = {"cache_dir": folder, "threads": threads, "websocket_port": port}
    with made(on_progress=progressed, **options) as accelerator:
        accelerator.embed("A sentence goes in, and a vector comes out.")
        moments["vector in hand"] = perf_counter()


if __name__ == "__main__":
    sys.stderr = Wire()
    sys.addaudithook(hear)
    start(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    import json

    print(json.dumps(moments))
