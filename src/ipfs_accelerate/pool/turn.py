"""A request's turn on a worker: waited for, and given back however the block ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from ipfs_accelerate.pool.worker import Worker


class Turn:
    """For `async with`. A class, since a generator of contextlib's costs some 15 us a request."""

    def __init__(
        self,
        worker: asyncio.Future[Worker],
        submit: Callable[[], None],
        finish: Callable[[], None],
    ) -> None:
        self._worker = worker
        self._submit = submit
        self._finish = finish

    async def __aenter__(self) -> Worker:
        try:
            self._submit()
            return await self._worker
        except BaseException:
            self._finish()
            raise

    async def __aexit__(self, *exc: object) -> None:
        self._finish()
