"""One port on loopback: the page, blocks by CID, and the sockets of pages and engines."""

from .channel import Answer, Channel
from .server import Server

__all__ = ["Answer", "Channel", "Server"]
