"""A bare page in a browser of its own, and one bare socket to a Worker in it: no protocol.

The server is the product's own kind with the same settings, in the same process and on the same
loop; the browser is started as the product starts it.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute

from ipfs_accelerate.browsers import find_browser, launch
from ipfs_accelerate.server.port import bind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

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


@asynccontextmanager
async def bare_socket(
    worker: str, folder: Path, other_files: Callable[[str], Path]
) -> AsyncIterator[WebSocket]:
    """The server's end of a socket to `page/{worker}.worker.js`, in a browser that runs it.

    What is not in `page` is served from where `other_files` says.
    """
    came: asyncio.Future[WebSocket] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()
    listening = bind(0)
    port = listening.getsockname()[1]
    server = _server(_application(came, done, other_files))
    await server.startup(sockets=[listening])
    url = f"http://127.0.0.1:{port}/index.html?worker={worker}"
    browser = await launch(find_browser(), url, profiles=folder / "bare")
    try:
        yield await browser.wait_for_page(came, STARTUP_S)
    finally:
        done.set()
        await browser.close()
        await server.shutdown(sockets=[listening])


def _application(
    came: asyncio.Future[WebSocket], done: asyncio.Event, other_files: Callable[[str], Path]
) -> Starlette:
    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        came.set_result(websocket)
        await done.wait()

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        own = PAGE / name
        return FileResponse(own if own.is_file() else other_files(name), headers=ISOLATED)

    return Starlette(routes=[WebSocketRoute("/socket", socket), Route("/{name:path}", file)])


def _server(application: Starlette) -> uvicorn.Server:
    config = uvicorn.Config(
        application,
        http="h11",
        ws="websockets-sansio",
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
