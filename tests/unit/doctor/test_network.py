import socket

import pytest

from ipfs_accelerate.doctor.network import is_free, loopback_excepted, network, proxies


def test_proxies_are_found_in_either_case_and_told_without_passwords():
    environ = {
        "http_proxy": "http://user:s3cr3t@proxy:3128/",
        "HTTPS_PROXY": "proxy:3128",
        "ALL_PROXY": "user:s3cr3t@proxy:1080",
        "FTP_PROXY": "x",
        "ws_proxy": "",
    }
    assert proxies(environ) == {
        "ALL_PROXY": "proxy:1080",
        "HTTPS_PROXY": "proxy:3128",
        "http_proxy": "http://proxy:3128/",
    }


@pytest.mark.parametrize("password", ["a@b", "a/b", "a:b@c/d"])
def test_no_part_of_an_odd_password_is_told(password):
    (told,) = proxies({"http_proxy": f"http://user:{password}@proxy:3128"}).values()
    assert told == "http://proxy:3128"


@pytest.mark.parametrize(
    ("value", "excepted"),
    [
        ("127.0.0.1,localhost", True),
        ("example.org, 127.0.0.1", True),
        ("*", True),
        ("127.0.0.0/8", True),
        ("localhost", False),
        ("", False),
    ],
)
def test_loopback_is_excepted_by_its_number(value, excepted):
    assert loopback_excepted({"no_proxy": value}) is excepted
    assert loopback_excepted({"NO_PROXY": value}) is excepted


def test_a_port_is_free_or_taken():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen(1)
        port = holder.getsockname()[1]
        assert not is_free(port)
        assert network({}, [port]).ports == {port: False}
    assert is_free(port)
