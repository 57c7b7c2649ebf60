from __future__ import annotations

import pytest

from ipfs_accelerate.errors import ProtocolError
from ipfs_accelerate.protocol.codec import Frame, Tensor, chunks, decode, frame_size
from ipfs_accelerate.protocol.messages import Abort, Ping
from ipfs_accelerate.protocol.outgoing import Outgoing
from ipfs_accelerate.protocol.streams import MAX_STREAMS

LONG = Frame(Ping(id=1), {"x": Tensor("U8", (3000,), bytes(3000))})
SHORT = Frame(Ping(id=1))


class Sender:
    def __init__(self) -> None:
        self.streams: set[int] = set()
        self.withdrawn = 0

    def withdraw(self) -> None:
        self.withdrawn += 1

    def send(self, frame: Frame, number: int = 1) -> Outgoing:
        return Outgoing(
            chunks(frame),
            frame_size(frame),
            max_frame_bytes=1024,
            number=number,
            streams=self.streams,
            withdraw=self.withdraw,
        )


def test_a_short_frame_is_one_piece():
    sender = Sender()
    outgoing = sender.send(SHORT)
    assert not outgoing.is_split
    assert [decode(b"".join(piece)) for piece in outgoing] == [SHORT]
    assert outgoing.abort() is None
    assert (sender.withdrawn, sender.streams) == (0, set())


def test_a_long_frame_is_counted_while_it_is_under_way():
    sender = Sender()
    outgoing = sender.send(LONG)
    assert outgoing.is_split
    assert outgoing.count > 3
    next(outgoing)
    assert sender.streams == {1}
    assert len(list(outgoing)) == outgoing.count - 1
    assert sender.streams == set()
    with pytest.raises(StopIteration):
        next(outgoing)


def test_an_abort_after_the_first_piece_is_said():
    sender = Sender()
    outgoing = sender.send(LONG, number=4)
    next(outgoing)
    said = outgoing.abort()
    assert said is not None
    assert decode(said).message == Abort(4)
    assert (sender.withdrawn, sender.streams, list(outgoing)) == (1, set(), [])
    assert outgoing.abort() is None
    assert sender.withdrawn == 1


@pytest.mark.parametrize("frame", [SHORT, LONG])
def test_an_abort_before_the_first_piece_is_silent(frame):
    sender = Sender()
    outgoing = sender.send(frame)
    assert outgoing.abort() is None
    assert (sender.withdrawn, list(outgoing)) == (1, [])


def test_an_abort_after_the_last_piece_is_nothing():
    sender = Sender()
    outgoing = sender.send(LONG)
    list(outgoing)
    assert outgoing.abort() is None
    assert sender.withdrawn == 0


def test_only_eight_long_frames_are_under_way():
    sender = Sender()
    under_way = [sender.send(LONG, number) for number in range(MAX_STREAMS)]
    for outgoing in under_way:
        next(outgoing)
    ninth = sender.send(LONG, 99)
    with pytest.raises(ProtocolError, match="8 long frames are under way") as caught:
        next(ninth)
    assert caught.value.code == "out_of_order"
    assert len(list(sender.send(SHORT))) == 1
    list(under_way[0])
    assert len(list(ninth)) == ninth.count
