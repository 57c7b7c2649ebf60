from pathlib import Path

from ipfs_accelerate.browsers.places import candidates

ON_PATH = {"google-chrome": "/usr/bin/google-chrome", "chromium": "/usr/bin/chromium"}


def names(platform, environ=None):
    return [each.name for each in candidates(platform, environ or {}, ON_PATH.get)]


def test_linux_prefers_chrome_then_chromium_then_edge_then_betas():
    tried = [each for each in candidates("linux", {}, ON_PATH.get) if each.name != "firefox"]
    stable = [each.name for each in tried[:-5]]
    assert stable == sorted(stable, key=["chrome", "chromium", "edge"].index)
    betas = [str(each.path) for each in tried[-5:]]
    assert all(
        "beta" in path or "unstable" in path or "canary" in path or "dev" in path for path in betas
    )


def test_firefox_comes_after_all_that_have_webnn():
    for platform in ("linux", "darwin"):
        tried = names(platform, {"HOME": "/Users/ann"})
        first = tried.index("firefox")
        assert set(tried[first:]) == {"firefox"}


def test_linux_looks_for_either_firefox():
    found = [str(each.path) for each in candidates("linux", {}, {"firefox": "/bin/firefox"}.get)]
    assert "/usr/lib/firefox-esr/firefox-esr" in found
    assert "/bin/firefox" in found


def test_macos_knows_that_firefox_is_called_otherwise():
    paths = [str(each.path) for each in candidates("darwin", {}, ON_PATH.get)]
    assert "/Applications/Firefox.app/Contents/MacOS/firefox" in paths


def test_linux_prefers_the_program_to_the_script_on_the_path():
    paths = [str(each.path) for each in candidates("linux", {}, ON_PATH.get)]
    assert paths.index("/usr/lib/chromium/chromium") < paths.index("/usr/bin/chromium")
    assert paths.index("/opt/google/chrome/chrome") < paths.index("/usr/bin/google-chrome")


def test_linux_leaves_out_what_the_path_does_not_lead_to():
    paths = [str(each.path) for each in candidates("linux", {}, ON_PATH.get)]
    assert not [path for path in paths if "microsoft-edge" in path]


def test_macos_looks_in_the_users_applications_too():
    found = candidates("darwin", {"HOME": "/Users/ann"}, ON_PATH.get)
    assert found[0].path == Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
    assert found[1].path.is_relative_to("/Users/ann/Applications")
    assert len(candidates("darwin", {}, ON_PATH.get)) * 2 == len(found)


def test_other_platforms_have_none_yet():
    assert candidates("win32", {}, ON_PATH.get) == []
