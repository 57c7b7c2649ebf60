"""A bare page in a browser of its own, and one bare socket to a Worker in it: no protocol.

The server is the product's own kind with the same settings, in the same process and on the same
loop; the browser is started as the product starts it.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import uvicorn
from starlette.applications import Starlette
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute
from websockets.utils import accept_key

from ipfs_accelerate.browsers import find_browser, launch
from ipfs_accelerate.server.port import bind
from ipfs_accelerate.server.socket import Socket

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from starlette.requests import Request
    from starlette.websockets import WebSocket

PAGE = Path(__file__).parent / "page"
MAX_MESSAGE_BYTES = 32 * 1024 * 1024
STARTUP_S = 60.0
ISOLATED = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cache-Control": "no-cache",
}


class Bare(Protocol):
    """A socket with nothing on it: messages out, messages in."""

    async def send(self, chunks: Sequence[bytes]) -> None:
        """One message."""

    async def receive(self) -> bytes | bytearray:
        """The next message."""


class Own:
    """The product's own socket."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket
        self._came: asyncio.Queue[bytes | bytearray] = asyncio.Queue()
        socket.listen(self._came.put_nowait, _nobody)

    async def send(self, chunks: Sequence[bytes]) -> None:
        """One message."""
        await self._socket.send(chunks)

    async def receive(self) -> bytes | bytearray:
        """The next message."""
        return await self._came.get()


class Usual:
    """The socket of the usual libraries: uvicorn, websockets and Starlette."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    async def send(self, chunks: Sequence[bytes]) -> None:
        """One message; whoever has one chunk pays no copy for this."""
        (data,) = chunks
        await self._websocket.send_bytes(data)

    async def receive(self) -> bytes:
        """The next message."""
        return await self._websocket.receive_bytes()


@asynccontextmanager
async def bare_socket(
    worker: str, folder: Path, other_files: Callable[[str], Path], *, usual: bool = False
) -> AsyncIterator[Bare]:
    """The server's end of a socket to `page/{worker}.worker.js`, in a browser that runs it.

    What is not in `page` is served from where `other_files` says. `usual` takes the usual
    libraries' socket in place of the product's own.
    """
    came: asyncio.Future[Bare] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    def dialled(socket: Socket, request: bytes) -> tuple[bytes, bool]:
        came.set_result(Own(socket))
        return _accepted(request), True

    async def usual_socket(websocket: WebSocket) -> None:
        await websocket.accept()
        came.set_result(Usual(websocket))
        await done.wait()

    listening = bind(0)
    port = listening.getsockname()[1]
    own = "websockets-sansio" if usual else lambda **_: Socket(MAX_MESSAGE_BYTES, dialled)
    server = _server(_application(other_files, usual_socket), own)
    await server.startup(sockets=[listening])
    url = f"http://127.0.0.1:{port}/index.html?worker={worker}"
    browser = await launch(find_browser(), url, profiles=folder / "bare")
    try:
        yield await browser.wait_for_page(came, STARTUP_S)
    finally:
        done.set()
        await browser.close()
        await server.shutdown(sockets=[listening])


def _application(other_files: Callable[[str], Path], socket: Any) -> Starlette:
    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        own = PAGE / name
        return FileResponse(own if own.is_file() else other_files(name), headers=ISOLATED)

    return Starlette(routes=[WebSocketRoute("/socket", socket), Route("/{name:path}", file)])


def _accepted(request: bytes) -> bytes:
    key = next(line for line in request.split(b"\r\n") if line.startswith(b"sec-websocket-key"))
    answer = accept_key(key.partition(b":")[2].strip().decode())
    head = "HTTP/1.1 101 .\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    return f"{head}Sec-WebSocket-Accept: {answer}\r\n\r\n".encode()


def _nobody() -> None:
    """Hears of the socket's end."""


def _server(application: Starlette, socket: Any) -> uvicorn.Server:
    config = uvicorn.Config(
        application,
        http="h11",
        ws=socket,
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_ping_interval=None,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
    )
    config.load()
    server = uvicorn.Server(config)
    # What Server.serve() does, without its signal handlers: signals are the program's own.
    server.lifespan = config.lifespan_class(config)
    return server
