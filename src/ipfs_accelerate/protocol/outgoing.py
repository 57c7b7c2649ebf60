"""The pieces of one frame on their way out, which can be given up before the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.codec import Frame, encode, part_room, split
from ipfs_accelerate.protocol.messages import Abort
from ipfs_accelerate.protocol.streams import MAX_STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ipfs_accelerate.protocol.tensor import Buffer


class Outgoing:
    """An iterator over pieces, each made when it is asked for, as buffers that follow each other.

    No tensor is copied here. A shell sends one piece, and asks for the next when the socket has
    taken it. If it stops before the last one it must call `abort` and send what that gives.
    """

    def __init__(
        self,
        made: Sequence[Buffer],
        total: int,
        *,
        max_frame_bytes: int,
        number: int,
        streams: set[int],
        withdraw: Callable[[], None],
    ) -> None:
        self._number = number
        # The numbers of all streams that this side has begun and not ended, shared by them.
        self._streams = streams
        # Puts the session's tables back as if the frame had never been made.
        self._withdraw = withdraw
        self.count = 1
        if total <= max_frame_bytes:
            self._pieces: Iterator[Sequence[Buffer]] = iter((made,))
        else:
            room = part_room(total, max_frame_bytes, number)
            self.count = -(-total // room)
            self._pieces = split(made, total, room, number)
        # Whether the frame goes in parts; at most MAX_STREAMS such may be under way at once.
        self.is_split = self.count > 1
        self._left = self.count

    def __iter__(self) -> Iterator[Sequence[Buffer]]:
        return self

    def __next__(self) -> Sequence[Buffer]:
        if not self._left:
            raise StopIteration
        if self.is_split and self._left == self.count:
            self._begin()
        self._left -= 1
        if not self._left:
            self._streams.discard(self._number)
        return next(self._pieces)

    def abort(self) -> bytes | None:
        """Give up what is left, and say what must be sent so that the other side forgets it.

        The session then stands as if the frame had never been made: a request is no longer
        open, and what an answer was for is owed again. After the last piece it does nothing.
        """
        if not self._left:
            return None
        has_begun = self._left < self.count
        self._left = 0
        self._streams.discard(self._number)
        self._withdraw()
        return encode(Frame(Abort(self._number))) if has_begun else None

    def _begin(self) -> None:
        if len(self._streams) == MAX_STREAMS:
            raise ProtocolError(
                f"{MAX_STREAMS} long frames are under way already.",
                code="out_of_order",
                hint="Send the pieces of one to the end before the next is begun.",
            )
        self._streams.add(self._number)
