import asyncio
from pathlib import Path
from types import SimpleNamespace

from tests.unit.doctor import made

from ipfs_accelerate.doctor.gather import Examined, gather

CHROMIUM = SimpleNamespace(name="chromium", path=Path("/c"), version="156.0")
PLAIN = SimpleNamespace(name="plain", flags=(), headless=True, about="as it is")


def gathered(folder, measure, **more):
    given = {
        "found": [CHROMIUM],
        "names": ("chromium", "firefox"),
        "folder": folder,
        "ways": lambda _found: [PLAIN],
    }
    examined = Examined(**{**given, **more}, measure=measure)
    return asyncio.run(gather(examined, lambda *_: None))


def test_browsers_are_measured(tmp_path):
    async def measure(_found, _way):
        return [made.WASM]

    facts = gathered(tmp_path, measure)
    assert facts.works
    assert facts.measured
    assert facts.browsers[0].launches[0].abilities == (made.WASM,)
    assert [one.name for one in facts.missing] == ["firefox"]
    assert facts.cache.folder == str(tmp_path)


def test_without_a_measure_none_is_started(tmp_path):
    facts = gathered(tmp_path, None, trouble="a bad path")
    assert not facts.measured
    assert facts.browsers[0].launches == ()
    assert facts.trouble == "a bad path"
    assert facts.works
