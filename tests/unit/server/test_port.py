"""The port: asked for, found, or refused."""

import socket

import pytest

from ipfs_accelerate.config import PORTS
from ipfs_accelerate.errors import TransportError
from ipfs_accelerate.server import port


def test_any_free_port_can_be_asked_for() -> None:
    with port.bind(0) as sock:
        assert sock.getsockname()[0] == "127.0.0.1"
        assert sock.getsockname()[1] > 0


def test_a_taken_port_that_was_asked_for_is_an_error() -> None:
    with port.bind(0) as taken, pytest.raises(TransportError) as caught:
        port.bind(taken.getsockname()[1])
    assert caught.value.code == "port_taken"


def test_without_one_the_next_of_the_range_is_taken() -> None:
    with port.bind(None) as first, port.bind(None) as second:
        ports = {first.getsockname()[1], second.getsockname()[1]}
        assert len(ports) == 2


def test_where_the_range_is_full_any_free_port_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    with port.bind(0) as taken:
        monkeypatch.setattr(port, "PORTS", [taken.getsockname()[1]])
        with port.bind(None) as sock:
            assert sock.getsockname()[1] not in {*PORTS, taken.getsockname()[1]}


def test_an_error_that_is_no_taken_port_is_not_hidden() -> None:
    with pytest.raises(OverflowError):
        port.bind(70000)


def test_the_socket_listens_before_anything_else_is_there() -> None:
    with port.bind(0) as sock, socket.create_connection(sock.getsockname(), timeout=5):
        pass
