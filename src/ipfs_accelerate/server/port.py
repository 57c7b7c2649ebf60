"""The server's port: bound and listening before anything slow is imported or started."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

from ipfs_accelerate.config import PORTS
from ipfs_accelerate.errors import TransportError

if TYPE_CHECKING:
    from collections.abc import Iterable

LOOPBACK = "127.0.0.1"


def bind(port: int | None) -> socket.socket:
    """A listening socket on loopback: the port asked for, else the first free of a small range.

    A fixed range keeps the page's origin, and with it the browser's caches, from run to run.
    """
    if port is not None:
        sock = _try(port)
        if sock is None:
            raise TransportError(
                f"Port {port} on {LOOPBACK} is taken by another program.",
                code="port_taken",
                hint="Ask for another, for 0 (any free one), or for none.",
            )
        return sock
    return _first(PORTS)


def _first(ports: Iterable[int]) -> socket.socket:
    for port in (*ports, 0):
        sock = _try(port)
        if sock is not None:
            return sock
    raise TransportError("No port is free on loopback.", code="port_taken", hint="End a program.")


def _try(port: int) -> socket.socket | None:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((LOOPBACK, port))
        sock.listen(64)
    except BaseException as error:
        sock.close()
        if isinstance(error, OSError) and error.errno in (errno.EADDRINUSE, errno.EACCES):
            return None
        raise
    sock.settimeout(0)
    return sock
