"""One port on loopback: the page, blocks by CID, and the sockets of pages and engines."""

from ipfs_accelerate.server.channel import Answer, Channel
from ipfs_accelerate.server.server import Server

__all__ = ["Answer", "Channel", "Server"]
