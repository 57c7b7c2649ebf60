"""A block as a response: large reads straight from a mapping of its file.

Starlette's FileResponse hands each 64 KiB to a thread and back; weights are tens of megabytes.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse, Response

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import Receive, Scope, Send

CHUNK = 1024 * 1024


class BlockResponse(Response):
    """The whole of a block's file, or a 404 where the block isn't there."""

    media_type = "application/octet-stream"

    def __init__(self, path: Path) -> None:
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, a chunk at a time, each when the socket has taken the one before."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            await PlainTextResponse("There is no such block here.", 404)(scope, receive, send)
            return
        with file:
            size = file.seek(0, 2)
            headers = [
                (b"content-type", b"application/octet-stream"),
                (b"content-length", str(size).encode()),
                (b"cache-control", b"no-store"),
            ]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            if size == 0:
                await send({"type": "http.response.body", "body": b""})
                return
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                for start in range(0, size, CHUNK):
                    more = start + CHUNK < size
                    body = view[start : start + CHUNK]
                    await send({"type": "http.response.body", "body": body, "more_body": more})
