"""Who may ask: the Host and Origin of a request, and the token of a worker. Pure."""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SUBPROTOCOL = "ipfs-accelerate.1"
BEARER = "bearer."


class Access:
    """The tokens of one run, each given to one worker, and the names that this server goes by."""

    def __init__(self, port: int) -> None:
        self.hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        self.origins = frozenset(f"http://{host}" for host in self.hosts)
        self._workers: dict[str, int] = {}

    def grant(self, worker: int) -> str:
        """A new token for a worker; its page and its engine both show it."""
        token = secrets.token_urlsafe(32)
        self._workers[token] = worker
        return token

    def revoke(self, worker: int) -> None:
        """Forget a worker's tokens."""
        self._workers = {token: one for token, one in self._workers.items() if one != worker}

    def worker_of(self, token: str) -> int | None:
        """The worker that holds this token, compared in constant time."""
        found = None
        for known, worker in self._workers.items():
            if hmac.compare_digest(known.encode(), token.encode()):
                found = worker
        return found

    def refusal(self, headers: Mapping[str, str], *, origin_needed: bool) -> str | None:
        """Why these headers are refused, or None. A name that rebinds to loopback is refused."""
        host = headers.get("host", "")
        if host not in self.hosts:
            return f"Host {host!r} is not this server."
        origin = headers.get("origin")
        if (origin_needed or origin is not None) and origin not in self.origins:
            return f"Origin {origin!r} may not use this server."
        return None

    def of_header(self, headers: Mapping[str, str]) -> int | None:
        """The worker whose bearer token a request carries."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return self.worker_of(token) if scheme.lower() == "bearer" else None

    def of_protocols(self, protocols: Sequence[str]) -> int | None:
        """The worker whose token a socket offers; a page can set no header on a socket."""
        if SUBPROTOCOL not in protocols:
            return None
        for offered in protocols:
            if offered.startswith(BEARER):
                return self.worker_of(offered.removeprefix(BEARER))
        return None
