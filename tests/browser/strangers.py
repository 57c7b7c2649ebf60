"""Programs that dial an accelerator's port without being its page: by HTTP, and by sockets."""

import http.client
import socket
from typing import NamedTuple

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from ipfs_accelerate.protocol.codec import Frame, decode, encode
from ipfs_accelerate.protocol.messages import VERSION, Hello, Limits

SUBPROTOCOL = "ipfs-accelerate.1"
MIB = 1024 * 1024
PATIENCE_S = 20


class Ending(NamedTuple):
    """How a socket ended that was not ended by this side."""

    status: int | None
    """of the HTTP answer, where there never was a socket"""
    code: int | None
    """of the close, where it was in order"""
    said: list[str]
    """the types of the messages that came"""


class Port:
    """The port of an accelerator, as it is seen from outside."""

    def __init__(self, made):
        self.number = made.get_metrics()["bridge"]["port"]
        self.host = f"127.0.0.1:{self.number}"
        self.origin = f"http://{self.host}"
        self._access = made._core._pool._server.access

    def token(self, worker=1):
        """A token that a page would have; nobody outside can come by one."""
        return self._access.grant(worker)

    def forget(self, worker):
        self._access.revoke(worker)

    def ask(self, path, *, method="GET", host=None, token=None, **headers):
        """The status, headers and body of an answer; the path goes as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.number, timeout=PATIENCE_S)
        try:
            connection.putrequest(method, path, skip_host=True)
            connection.putheader("Host", host or self.host)
            if token is not None:
                connection.putheader("Authorization", f"Bearer {token}")
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def dial(self, *messages, offers=None, role="page", origin=None, host=None):
        """Dial, send, and wait until the other side ends it; an AssertionError where it doesn't.

        Everything is as a page would have it but for what is given. No origin at all is "".
        """
        uri = f"ws://{host or self.host}/socket?role={role}&worker=1"
        said: list[str] = []
        try:
            with connect(
                uri,
                # Dialled here, since the name in the address may be another's.
                sock=socket.create_connection(("127.0.0.1", self.number)),
                subprotocols=offers or [SUBPROTOCOL, f"bearer.{self.token()}"],
                origin=None if origin == "" else Origin(origin or self.origin),
                proxy=None,
                max_size=None,
            ) as stranger:
                for message in messages:
                    stranger.send(message)
                while True:
                    said.append(_type_of(stranger.recv(timeout=PATIENCE_S)))
        except InvalidStatus as error:
            return Ending(error.response.status_code, None, said)
        except ConnectionClosed as error:
            return Ending(None, error.rcvd.code if error.rcvd else None, said)
        except TimeoutError:
            raise AssertionError("The socket was left open.") from None


def hello(role):
    """What a page or an engine says first."""
    return encode(Frame(Hello(VERSION, role, "a stranger", Limits(16 * MIB, 64 * MIB))))


def _type_of(message):
    return type(decode(message).message).__name__
