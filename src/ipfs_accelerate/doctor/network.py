"""Looks at what may stand between a browser and this process on loopback."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

from ipfs_accelerate.config import PORTS
from ipfs_accelerate.doctor.facts import Network

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy")
_LOOPBACK = "127.0.0.1"
# To the last @, since a password may hold anything.
_USER = re.compile(r"^([a-z][a-z0-9+.-]*://)?.*@", re.IGNORECASE)


def network(environ: Mapping[str, str], ports: Iterable[int] = PORTS) -> Network:
    """Give the proxies that the environment names, and which of the ports are free."""
    return Network(
        proxies=proxies(environ),
        loopback_excepted=loopback_excepted(environ),
        ports={port: is_free(port) for port in ports},
    )


def proxies(environ: Mapping[str, str]) -> dict[str, str]:
    """Find the variables that name a proxy; a user and password in one are left out."""
    return {
        name: _USER.sub(r"\1", value)
        for name, value in sorted(environ.items())
        if name.lower() in _PROXIES and value
    }


def loopback_excepted(environ: Mapping[str, str]) -> bool:
    """Whether the environment sends what goes to 127.0.0.1 past its proxies."""
    told = ",".join(value for name, value in environ.items() if name.lower() == "no_proxy")
    hosts = {host.strip() for host in told.split(",")}
    return bool(hosts & {"*", _LOOPBACK, "127.0.0.0/8"})


def is_free(port: int) -> bool:
    """Whether the port can be had on loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the server itself binds: a port that was used a moment ago is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_LOOPBACK, port))
            probe.listen(1)
        except OSError:
            return False
        return True
