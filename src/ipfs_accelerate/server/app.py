"""The application behind the port: the page's files, and blocks by CID."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from ipfs_accelerate.errors import AccelerateError
from ipfs_accelerate.server.blocks import BlockResponse
from ipfs_accelerate.server.page import home_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ipfs_accelerate.server.access import Access

HEADERS = {
    # Together they make the page cross-origin isolated, without which it has no threads.
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
        "connect-src 'self' ws:; worker-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def build(access: Access, page: Path, block: Callable[[str], Path]) -> ASGIApp:
    """The whole application. `block` finds a CID's file."""
    files = {path.relative_to(page).as_posix(): path for path in page.rglob("*") if path.is_file()}
    home = home_of(page)

    async def start(_request: Request) -> Response:
        return RedirectResponse(home, headers={"Cache-Control": "no-store"})

    async def static(request: Request) -> Response:
        path = files.get(request.path_params["name"] or "index.html")
        if path is None:
            return PlainTextResponse("There is no such file here.", 404)
        return FileResponse(path, headers={"Cache-Control": "max-age=31536000, immutable"})

    async def blocks(request: Request) -> Response:
        if access.of_header(request.headers) is None:
            return PlainTextResponse("A worker's bearer token is needed.", 401)
        try:
            return BlockResponse(block(request.path_params["cid"]))
        except AccelerateError as error:
            return PlainTextResponse(str(error), 404)

    routes = [
        Route("/blocks/{cid}", blocks),
        Route("/", start),
        Route(home + "{name:path}", static),
    ]
    return Guard(Starlette(routes=routes), access)


class Guard:
    """Refuses what comes under another Host or Origin, and adds the page's headers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        refusal = self._access.refusal(Headers(scope=scope), origin_needed=False)
        if refusal is None:
            await self._app(scope, receive, self._adding(send))
        else:
            await PlainTextResponse(refusal, 403)(scope, receive, send)

    def _adding(self, send: Send) -> Send:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *self._headers]
            await send(message)

        return with_headers
