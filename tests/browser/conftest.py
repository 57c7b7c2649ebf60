"""A real browser, a page on loopback that dials back, and a look at who uses a profile."""

import os
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ipfs_accelerate.browsers import find_browser
from ipfs_accelerate.errors import BrowserError

ENOUGH_S = 90
PAGE = b"""<!doctype html><script>
localStorage.visits = Number(localStorage.visits ?? 0) + 1;
fetch(`/dialled?${location.hash.slice(1)}&visits=${localStorage.visits}`);
setInterval(() => fetch("/beat"), 50);
</script>"""


class _Handler(BaseHTTPRequestHandler):
    server: "PageServer"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE if self.path == "/" else b"")
        self.server.paths.append(self.path)
        if self.path.startswith("/dialled"):
            self.server.dialled.set()

    def log_message(self, *_):
        """Keep quiet."""


class PageServer(ThreadingHTTPServer):
    """Serves one page, and keeps the paths that it asked for."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/#token=s3cr3t"
        self.paths: list[str] = []
        self.dialled = threading.Event()

    def beats(self) -> int:
        return self.paths.count("/beat")

    def handle_error(self, *_):
        """A browser that is killed breaks off in the middle."""


class Watch:
    """Looks at processes from outside, as a person with `ps` would."""

    def users_of(self, folder: Path) -> dict[int, str]:
        """The processes whose command line names the folder; an ended one has none."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                line = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(folder) + b"/" in line:
                found[int(process.name)] = os.fsdecode(line.replace(b"\0", b" "))
        return found

    def seconds_until(self, condition, within_s: float) -> float:
        start = time.monotonic()
        while not condition():
            assert time.monotonic() - start < within_s, "it did not come about in time"
            time.sleep(0.01)
        return time.monotonic() - start


@pytest.fixture(scope="session")
def installed():
    try:
        return find_browser()
    except BrowserError as error:
        pytest.fail(str(error))


@pytest.fixture
def nothing_hangs():
    """Makes a hang a failure: the main thread waits for answers where a signal reaches it."""

    def hang(_number, _frame):
        pytest.fail(f"it hangs: {ENOUGH_S} s have passed")

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(ENOUGH_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def server():
    server = PageServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def watch():
    return Watch()
