"""The handshake of a WebSocket, and who is let in: read, accepted or refused. Pure."""

from __future__ import annotations

import binascii
from base64 import b64decode
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, urlsplit

from websockets.utils import accept_key

from ipfs_accelerate.server.access import SUBPROTOCOL

if TYPE_CHECKING:
    from ipfs_accelerate.server.access import Access

PATH = "/socket"
ROLES = ("page", "engine")
_KEY_BYTES = 16


class Dialled(NamedTuple):
    """What came of a handshake: the bytes to answer, and who it is where that was granted."""

    answer: bytes
    worker: int | None = None
    role: str = ""


def answer(request: bytes, access: Access) -> Dialled:
    """Let a worker's page or engine in; refuse anybody else before there is a socket."""
    line, *lines = request.decode("latin-1").split("\r\n")
    method, target, _version = line.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (one.partition(":") for one in lines)
    }
    refusal = access.refusal(headers, origin_needed=True)
    if refusal is not None:
        return _refused(HTTPStatus.FORBIDDEN, refusal)
    where = urlsplit(target)
    key = headers.get("sec-websocket-key", "")
    if where.path != PATH:
        return _refused(HTTPStatus.NOT_FOUND, "There is no socket here.")
    if method != "GET" or headers.get("sec-websocket-version") != "13" or not _is_key(key):
        return _refused(HTTPStatus.BAD_REQUEST, "This is no handshake of a WebSocket.")
    protocols = [one.strip() for one in headers.get("sec-websocket-protocol", "").split(",")]
    worker = access.of_protocols(protocols)
    roles = parse_qs(where.query).get("role", [])
    if worker is None or len(roles) != 1 or roles[0] not in ROLES:
        return _refused(HTTPStatus.FORBIDDEN, "A worker's token and one role are needed.")
    return Dialled(_accepted(key), worker, roles[0])


def _accepted(key: str) -> bytes:
    return (
        "HTTP/1.1 101 Switching Protocols\r\n"
        "Upgrade: websocket\r\n"
        "Connection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept_key(key)}\r\n"
        f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\n"
        "\r\n"
    ).encode()


def _refused(status: HTTPStatus, why: str) -> Dialled:
    body = why.encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: close\r\n"
        "\r\n"
    )
    return Dialled(head.encode() + body)


def _is_key(key: str) -> bool:
    try:
        return len(b64decode(key, validate=True)) == _KEY_BYTES
    except (binascii.Error, ValueError):
        return False
