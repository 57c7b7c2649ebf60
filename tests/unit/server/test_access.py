"""Who may ask."""

import pytest

from ipfs_accelerate.server.access import SUBPROTOCOL, Access

access = Access(8765)
TOKEN = access.grant(1)


def test_each_worker_gets_a_long_token_of_its_own() -> None:
    other = access.grant(2)
    assert len(TOKEN) >= 43
    assert other != TOKEN
    assert access.worker_of(TOKEN) == 1
    assert access.worker_of(other) == 2


def test_a_revoked_token_is_worth_nothing() -> None:
    token = access.grant(3)
    access.revoke(3)
    assert access.worker_of(token) is None
    assert access.worker_of(TOKEN) == 1


@pytest.mark.parametrize("token", ["", "x", TOKEN[:-1], TOKEN + "x", "ä"])
def test_a_wrong_token_is_nobodys(token: str) -> None:
    assert access.worker_of(token) is None


def test_a_bearer_header_is_read() -> None:
    assert access.of_header({"authorization": f"Bearer {TOKEN}"}) == 1
    assert access.of_header({"authorization": f"Basic {TOKEN}"}) is None
    assert access.of_header({}) is None


def test_a_socket_offers_its_token_beside_the_protocol() -> None:
    assert access.of_protocols([SUBPROTOCOL, f"bearer.{TOKEN}"]) == 1
    assert access.of_protocols([SUBPROTOCOL, "bearer.wrong"]) is None
    assert access.of_protocols([f"bearer.{TOKEN}"]) is None
    assert access.of_protocols([SUBPROTOCOL]) is None


@pytest.mark.parametrize(
    ("headers", "origin_needed", "refused"),
    [
        ({"host": "127.0.0.1:8765"}, False, None),
        ({"host": "localhost:8765", "origin": "http://localhost:8765"}, True, None),
        ({"host": "127.0.0.1:8765"}, True, "Origin"),
        ({"host": "127.0.0.1:8765", "origin": "http://evil.example"}, False, "Origin"),
        ({"host": "127.0.0.1:8765", "origin": "null"}, True, "Origin"),
        ({"host": "evil.example"}, False, "Host"),
        ({"host": "127.0.0.1:9999"}, False, "Host"),
        ({}, False, "Host"),
    ],
)
def test_host_and_origin_are_this_servers(
    headers: dict[str, str], origin_needed: bool, refused: str | None
) -> None:
    refusal = access.refusal(headers, origin_needed=origin_needed)
    assert (refusal is None) if refused is None else (refusal or "").startswith(refused)
