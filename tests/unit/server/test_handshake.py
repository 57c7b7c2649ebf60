"""Who gets a socket, and what the others are told."""

import pytest

from ipfs_accelerate.server.access import Access
from ipfs_accelerate.server.handshake import answer

access = Access(8765)
TOKEN = access.grant(7)
KEY = "dGhlIHNhbXBsZSBub25jZQ=="


def request(target="/socket?role=engine", method="GET", **changed):
    headers = {
        "host": "127.0.0.1:8765",
        "origin": "http://127.0.0.1:8765",
        "sec-websocket-key": KEY,
        "sec-websocket-version": "13",
        "sec-websocket-protocol": f"ipfs-accelerate.1, bearer.{TOKEN}",
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {one}" for name, one in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@pytest.mark.parametrize("role", ["page", "engine"])
def test_a_workers_own_get_in(role):
    dialled = answer(request(f"/socket?role={role}&worker=7"), access)
    assert (dialled.worker, dialled.role) == (7, role)
    assert dialled.answer.startswith(b"HTTP/1.1 101 ")
    # The example of RFC 6455.
    assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in dialled.answer
    assert TOKEN.encode() not in dialled.answer


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (request(host="evil.example"), 403),
        (request(origin="http://evil.example"), 403),
        (request(sec_websocket_protocol="ipfs-accelerate.1"), 403),
        (request(sec_websocket_protocol="ipfs-accelerate.1, bearer.wrong"), 403),
        (request(sec_websocket_protocol=f"bearer.{TOKEN}"), 403),
        (request("/socket"), 403),
        (request("/socket?role=host"), 403),
        (request("/socket?role=page&role=engine"), 403),
        (request("/elsewhere?role=page"), 404),
        (request(method="POST"), 400),
        (request(sec_websocket_version="8"), 400),
        (request(sec_websocket_key="short"), 400),
        (request(sec_websocket_key="AAAA"), 400),
    ],
)
def test_anybody_else_is_refused_before_there_is_a_socket(asked, status):
    dialled = answer(asked, access)
    assert dialled.worker is None
    assert dialled.answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"Connection: close\r\n" in dialled.answer
    assert TOKEN.encode() not in dialled.answer
