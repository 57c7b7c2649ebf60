import pytest

from ipfs_accelerate.doctor.known import missing

NAMES = ("chrome", "chromium", "edge", "firefox", "portable")


def test_those_that_were_found_are_not_missing():
    assert [one.name for one in missing(NAMES, {"chromium", "firefox"}, "linux")] == [
        "chrome",
        "edge",
        "portable",
    ]


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_each_says_how_it_is_had(platform):
    assert all(one.get for one in missing(NAMES, (), platform))


def test_what_a_platform_lacks_is_not_missing_there():
    assert "portable" not in {one.name for one in missing(NAMES, (), "darwin")}
