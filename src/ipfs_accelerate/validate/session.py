"""A whole validation: its cases, its runs by browser, and the accelerators that carry it out."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.browsers import find_browser
from ipfs_accelerate.client import AsyncAccelerator
from ipfs_accelerate.config import PLATFORMS, Config
from ipfs_accelerate.errors import BrowserError
from ipfs_accelerate.validate.runner import AT_ONCE, Settings, Tells, validate
from ipfs_accelerate.validate.verdicts import Report, Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ipfs_accelerate.validate.cases import Case

EVERY_PLATFORM = PLATFORMS[1:]
_MARGIN_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Where to validate, and how."""

    browsers: Sequence[str | None] = (None,)
    platforms: Sequence[str] = EVERY_PLATFORM
    allow_fallback: Sequence[str] = ()
    tolerance: Mapping[str, float]
    options: Mapping[str, Any] = field(default_factory=dict)
    """the accelerators' own"""

    def __post_init__(self) -> None:
        for browser in self.browsers:  # what does not fit is said before anything is collected
            for platform in self.platforms:
                self.config(browser, platform=platform)

    def config(self, browser: str | None, **more: Any) -> Config:
        """The options of the accelerator of a browser."""
        fallback = list(self.allow_fallback)
        return Config.of(browser=browser, allow_fallback=fallback, **self.options, **more)

    def report(self, reference: str) -> Report:
        """A report with a run for each platform of each browser, and nothing in them yet."""
        return Report(
            reference=reference,
            tolerance=dict(self.tolerance),
            started=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
            versions={name: found for name in _PACKAGES if (found := _version(name))},
            runs=[run for browser in self.browsers for run in self._runs(browser)],
        )

    def _runs(self, browser: str | None) -> Iterator[Run]:
        name, its_version = self._found(browser)
        for platform in self.platforms:
            yield Run(browser=name, browser_version=its_version, platform=platform)

    def _found(self, browser: str | None) -> tuple[str, str]:
        try:
            found = find_browser(browser, self.options.get("browser_path"))
        except BrowserError:  # its cases say so
            return browser or "any browser", ""
        return found.name, found.version


async def carry_out(
    plan: Plan, cases: Sequence[Case], report: Report, tell: Tells = lambda _run, _outcome: None
) -> None:
    """Fill the report; what an interrupt leaves in it is what there is so far."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ipfs-validate-")))
        options = dict(plan.options)
        if any(isinstance(case.model, bytes) for case in cases):
            # Thousands of blocks that nobody asks for again are kept out of the user's cache.
            options["cache_dir"] = scratch / "cache"

        def opens(browser: str | None) -> AsyncAccelerator:
            # Each case by itself, and each time it is asked for.
            alone = {"share": False, "remember": False}
            return AsyncAccelerator(browser=browser, **{**options, **alone})

        config = plan.config(None)
        longest = config.load_timeout_s + config.inference_timeout_s + _MARGIN_S
        settings = Settings(
            tolerance=plan.tolerance,
            folder=scratch,
            deadline_s=config.startup_timeout_s + AT_ONCE * longest,
            allow_fallback=tuple(plan.allow_fallback),
        )
        await validate(cases, _by_browser(plan, report), opens, settings, tell)


_PACKAGES = ("ipfs-accelerate", "onnx", "onnxruntime")


def _by_browser(plan: Plan, report: Report) -> dict[str | None, list[Run]]:
    size = len(plan.platforms)
    return {
        browser: report.runs[number * size : (number + 1) * size]
        for number, browser in enumerate(plan.browsers)
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
