"""The server's life: its port, its application, and the channels that dial in."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ipfs_accelerate.server.access import Access
from ipfs_accelerate.server.channel import Channel
from ipfs_accelerate.server.handshake import answer
from ipfs_accelerate.server.page import PAGE, home_of
from ipfs_accelerate.server.port import LOOPBACK, bind
from ipfs_accelerate.server.socket import Socket

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from pathlib import Path

    from uvicorn import Server as Uvicorn

    from ipfs_accelerate.protocol.messages import Limits

CLOSE_S = 1


class Server:
    """One port on loopback. `on_channel` hears of each channel once both sides have said hello."""

    def __init__(
        self,
        *,
        port: int | None,
        block: Callable[[str], Path],
        limits: Limits,
        on_channel: Callable[[int, str, Channel], None],
    ) -> None:
        self._block = block
        self._limits = limits
        self._on_channel = on_channel
        self._socket: socket.socket = bind(port)
        self.port: int = self._socket.getsockname()[1]
        self.access = Access(self.port)
        self._uvicorn: Uvicorn | None = None
        self._channels: dict[Channel, asyncio.Task[None]] = {}

    @property
    def origin(self) -> str:
        """The address that pages are opened from."""
        return f"http://{LOOPBACK}:{self.port}"

    def page_url(self, worker: int, threads: int, runtime: str) -> str:
        """Where a worker's browser goes; its token is in the fragment, which is never sent."""
        token = self.access.grant(worker)
        fragment = {"token": token, "worker": worker, "threads": threads, "runtime": runtime}
        return f"{self.origin}{home_of(PAGE)}#{urlencode(fragment)}"

    async def start(self) -> None:
        """Answer. What dialled before waits in the listening socket's queue."""
        # In a thread, since it takes a while, and the browser is to be started meanwhile.
        uvicorn, app = await asyncio.to_thread(_modules)
        config = uvicorn.Config(
            app.build(self.access, PAGE, self._block),
            http="h11",
            ws=self._dialling,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=CLOSE_S,
        )
        config.load()
        self._uvicorn = uvicorn.Server(config)
        # What Server.serve() does, without its signal handlers: signals are the program's own.
        self._uvicorn.lifespan = config.lifespan_class(config)
        await self._uvicorn.startup(sockets=[self._socket])

    async def stop(self) -> None:
        """Close every channel and the port."""
        await asyncio.gather(*(channel.close("the host is closing") for channel in self._channels))
        if self._uvicorn is None:
            self._socket.close()
        else:
            await self._uvicorn.shutdown(sockets=[self._socket])

    def _dialling(self, **_uvicorns: object) -> Socket:
        """Somebody asks for a socket; uvicorn hands the connection over."""
        return Socket(2 * self._limits.max_frame_bytes, self._dialled)

    def _dialled(self, socket: Socket, request: bytes) -> tuple[bytes, bool]:
        dialled = answer(request, self.access)
        if dialled.worker is None:
            return dialled.answer, False
        worker, role = dialled.worker, dialled.role
        channel = Channel(socket, self._limits, label=f"{role} {worker}")
        serving = channel.serve(lambda: self._on_channel(worker, role, channel))
        self._channels[channel] = task = asyncio.get_running_loop().create_task(serving)
        task.add_done_callback(lambda _: self._channels.pop(channel))
        return dialled.answer, True


def _modules() -> tuple[Any, Any]:
    return import_module("uvicorn"), import_module("ipfs_accelerate.server.app")
