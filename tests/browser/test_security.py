"""Whoever is not the accelerator's own page is refused, and does no harm to it."""

import json
import os
import socket
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest
from tests.browser import graphs, processes
from tests.browser.strangers import MIB, SUBPROTOCOL, Port, hello

from ipfs_accelerate import Accelerator, PoolError
from ipfs_accelerate.models import BlockStore
from ipfs_accelerate.models.cid import cid_of
from ipfs_accelerate.server.access import Access

pytestmark = pytest.mark.usefixtures("nothing_hangs")
VECTORS = Path(__file__).parents[2] / "spec" / "vectors"
EVIL = "http://evil.example"
X = {"x": np.array([1], np.float32)}


@pytest.fixture(scope="module")
def adding(tmp_path_factory):
    return graphs.save(graphs.adding(), tmp_path_factory.mktemp("models") / "adding.onnx")


@pytest.fixture(scope="module")
def made(shared_cache, adding):
    with Accelerator(cache_dir=shared_cache, websocket_port=0) as made:
        made.run(adding, X)
        yield made


@pytest.fixture
def port(made, adding):
    """The port of an accelerator that works afterwards, with the worker that it had before."""
    kept = made.put([1, 2, 3])
    yield Port(made)
    assert made.run(adding, X, remember=False).output.tolist() == [2]
    assert made.get(kept).tolist() == [1, 2, 3]
    assert made.drop(kept) == 1


def assert_refused(ending):
    assert ending.code != 1000, "it was ended as if it were in order"
    assert ending.status is None or 400 <= ending.status < 500
    assert ending.status is not None or ending.code is None or ending.code > 1000


def assert_not_let_in(ending):
    assert ending.status in (400, 401, 403), ending


@pytest.mark.parametrize("role", ["page", "engine"])
@pytest.mark.parametrize(
    "offers",
    [
        [SUBPROTOCOL],
        [SUBPROTOCOL, "bearer.wrong"],
        [SUBPROTOCOL, f"bearer.{'A' * 43}"],
        ["bearer.wrong"],
        ["another.1"],
    ],
)
def test_a_socket_without_a_workers_token(port, offers, role):
    assert_not_let_in(port.dial(hello(role), offers=offers, role=role))


def test_a_token_alone_is_not_the_protocol(port):
    assert_not_let_in(port.dial(hello("page"), offers=[f"bearer.{port.token()}"]))


@pytest.mark.parametrize("origin", [EVIL, "null", "", "http://127.0.0.1", "https://127.0.0.1"])
def test_a_socket_of_another_origin_or_of_none(port, origin):
    assert_not_let_in(port.dial(hello("page"), origin=origin))


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.2"])
def test_a_socket_to_a_name_that_leads_here(port, host):
    named = f"{host}:{port.number}"
    assert_not_let_in(port.dial(hello("page"), host=named))
    assert_not_let_in(port.dial(hello("page"), host=named, origin=f"http://{named}"))


@pytest.mark.parametrize("role", ["host", "", "pages", "page&role=engine2"])
def test_a_socket_of_no_role(port, role):
    assert_not_let_in(port.dial(hello("page"), role=role))


@pytest.mark.parametrize("role", ["page", "engine"])
def test_a_second_channel_of_a_worker(port, role):
    ending = port.dial(hello(role), role=role)
    assert set(ending.said) <= {"Hello", "Goodbye"}, "it was asked for something"


def test_a_channel_of_a_worker_that_is_not_there(port):
    offers = [SUBPROTOCOL, f"bearer.{port.token(worker=99)}"]
    for role in ("page", "engine"):
        ending = port.dial(hello(role), offers=offers, role=role)
        assert set(ending.said) <= {"Hello", "Goodbye"}
    port.forget(99)
    assert_not_let_in(port.dial(hello("page"), offers=offers))


@pytest.mark.parametrize(
    "message",
    ["a text", "{}", b"", b"\xff" * 100, b"\0" * 100, bytes(17 * MIB), bytes(33 * MIB)],
    ids=["text", "json", "nothing", "ones", "zeros", "over the limit", "far over the limit"],
)
@pytest.mark.parametrize("first", [[], [hello("engine")]], ids=["at once", "after hello"])
def test_what_is_no_frame(port, message, first):
    # An engine's channel: it is not yet refused as the second when the message comes.
    assert_refused(port.dial(*first, message, role="engine"))


def test_every_frame_that_the_vectors_call_bad(port):
    for case in json.loads((VECTORS / "frames.json").read_text())["invalid"]:
        ending = port.dial((VECTORS / case["file"]).read_bytes())
        assert_refused(ending)
        assert ending.said == ["Hello"], case["name"]


@pytest.fixture
def cid(shared_cache):
    """A block that is there."""
    return BlockStore(shared_cache).put(b"a block").cid


def test_a_block_is_given_to_a_worker(port, cid):
    assert port.ask(f"/blocks/{cid}", token=port.token())[::2] == (200, b"a block")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, 401),
        ({"token": ""}, 401),
        ({"token": "wrong"}, 401),
        ({"Authorization": "Basic d3Jvbmc="}, 401),
        ({"host": "evil.example", "token": True}, 403),
        ({"Origin": EVIL, "token": True}, 403),
        ({"Origin": "null", "token": True}, 403),
    ],
)
def test_a_block_is_given_to_nobody_else(port, cid, given, status):
    if given.get("token") is True:
        given = {**given, "token": port.token()}
    got, _, body = port.ask(f"/blocks/{cid}", **given)
    assert got == status
    assert b"a block" not in body


def test_a_block_that_is_not_there(port):
    status, _, body = port.ask(f"/blocks/{cid_of(b'another')}", token=port.token())
    assert status == 404
    assert body == b"There is no such block here."


OUTSIDE = [
    "..",
    "../index",
    "../../../../../../../../etc/passwd",
    "..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "//etc/passwd",
    "%2fetc%2fpasswd",
    "..\\..\\etc\\passwd",
    "%00",
    "x" * 5000,
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out_of_the_blocks(port, cid, path):
    for outside in (path, f"{cid}/{path}", f"{cid}%00"):
        status, _, body = port.ask(f"/blocks/{outside}", token=port.token())
        assert 400 <= status < 500
        assert b"root:" not in body


@pytest.mark.parametrize("path", [*OUTSIDE, "../page.py", "..%2fapp.py", "ort/../../page.py"])
def test_no_path_leads_out_of_the_page(port, path):
    status, headers, _ = port.ask("/")
    assert status == 307
    status, _, body = port.ask(headers["Location"] + path)
    assert 400 <= status < 500
    assert b"root:" not in body
    assert b"import" not in body


@pytest.mark.parametrize("given", [{"host": "evil.example"}, {"Origin": EVIL}])
def test_the_page_is_shown_under_no_other_name(port, given):
    _, headers, _ = port.ask("/")
    for path in ("/", headers["Location"], f"{headers['Location']}page.js"):
        status, _, body = port.ask(path, **given)
        assert status == 403
        assert b"<script" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_written(port, cid, method):
    for path in ("/", f"/blocks/{cid}"):
        assert port.ask(path, method=method, token=port.token())[0] == 405
    assert port.ask(f"/blocks/{cid}", token=port.token())[2] == b"a block"


def test_what_is_no_http_is_not_served(port):
    for data in (b"\x16\x03\x01\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100_000):
        with socket.create_connection(("127.0.0.1", port.number), timeout=20) as stranger:
            stranger.sendall(data)
            stranger.shutdown(socket.SHUT_WR)
            answer = stranger.recv(1000)
            assert not answer or answer.split()[1].startswith(b"4")


def test_the_page_is_isolated_and_may_load_only_from_here(port):
    _, headers, _ = port.ask("/")
    home = headers["Location"]
    for path in (home, f"{home}page.js", f"{home}engine.js", "/blocks/none", "/none"):
        _, headers, _ = port.ask(path)
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Origin" not in headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe-inline" not in policy
        assert "'unsafe-eval'" not in policy
        assert "frame-ancestors 'none'" in policy


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="only Linux has all of 127/8 at once")
def test_the_port_is_open_on_127_0_0_1_alone(port):
    ours = psutil.Process()
    everyone = [ours, *ours.children(recursive=True)]
    listening = [
        one.laddr for each in everyone for one in connections(each) if one.status == "LISTEN"
    ]
    assert port.number in [address.port for address in listening]
    assert {address.ip for address in listening} == {"127.0.0.1"}
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port.number), timeout=20)


def connections(process):
    try:
        return process.net_connections("inet")
    except psutil.NoSuchProcess:  # a browser's process that has just ended
        return []


@pytest.fixture
def tokens(monkeypatch):
    """Every token that is granted from now on."""
    tokens: list[bytes] = []
    grant = Access.grant

    def note(self, worker):
        token = grant(self, worker)
        tokens.append(token.encode())
        return token

    monkeypatch.setattr(Access, "grant", note)
    return tokens


class Watch(threading.Thread):
    """Looks again and again, while a browser starts and runs, for who could read a secret."""

    def __init__(self, secrets, folder):
        super().__init__()
        self.secrets = secrets
        self.folder = folder
        self.lines: set[bytes] = set()
        self.start_files: set[bool] = set()
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.02):
            for process in Path("/proc").glob("[0-9]*"):
                line = processes.read(int(process.name), "cmdline")
                if any(secret in line for secret in self.secrets):
                    self.lines.add(line)
            for path in files(self.folder):
                with suppress(FileNotFoundError):
                    if path.name == "start.html":
                        self.start_files.add(is_private(path, self.folder))


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="only Linux shows every command line")
def test_no_secret_where_another_user_can_read_it(make, adding, tokens, tmp_path):
    cache = tmp_path / "cache"
    watch = Watch(tokens, cache)
    watch.start()
    try:
        with make(cache_dir=cache) as made:
            made.run(adding, X)
            shown = f"{made!r} {made.get_metrics()} {made.get_performance_report()}"
            assert_private(tokens, cache)
    finally:
        watch.ended.set()
        watch.join()
    assert_private(tokens, cache)
    assert tokens
    assert not watch.lines
    assert watch.start_files == {True}
    assert not any(token.decode() in shown for token in tokens)


def is_private(path, folder):
    """Whether the file, or a folder on the way to it from this one, is closed to others."""
    ways = [path, *(one for one in path.parents if folder in one.parents)]
    return any(not one.stat().st_mode & 0o077 for one in ways)


def assert_private(secrets, folder):
    """No file with a secret is open to others, and no log has one: logs go into errors."""
    for path in files(folder):
        if any(secret in content(path) for secret in secrets):
            assert is_private(path, folder), path
            assert path.suffix != ".log"


def files(folder):
    """Every file that is there now; a live browser makes and deletes them meanwhile."""
    return [Path(root, name) for root, _, names in os.walk(folder) for name in names]


def content(path):
    try:
        return path.read_bytes()
    except OSError:  # deleted meanwhile, or a socket
        return b""


def test_a_token_ends_with_its_worker(make, adding, tokens, tmp_path):
    made = make(cache_dir=tmp_path / "cache")
    made.run(adding, X)
    (token,) = tokens
    offers = [SUBPROTOCOL, f"bearer.{token.decode()}"]
    port = Port(made)
    assert port.ask("/blocks/none", token=token.decode())[0] == 404
    processes.kill(processes.browser_of(tmp_path / "cache"))
    assert processes.until(lambda: port.ask("/blocks/none", token=token.decode())[0] == 401)
    assert_not_let_in(port.dial(hello("page"), offers=offers))
    assert processes.until(lambda: works(made, adding))


def works(made, adding):
    """Whether a run is served; the first may still be lost with the worker."""
    try:
        return made.run(adding, X, remember=False).output.tolist() == [2]
    except PoolError:
        return False
