"""The ladder of launches: ways to start a browser until one of them reaches the real GPU.

Pure. A headless browser on Linux often has no way to the GPU that is there, and which flags open
one differs between drivers, versions and machines. So it is tried and measured, rung by rung, the
least unusual first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.browsers.installed import Installed

_VULKAN = ("--enable-features=Vulkan", "--use-angle=vulkan")
# Without a window there is no surface to present to, which some drivers refuse unless told so.
# With no GPU at all it may keep the page from coming: such a rung has failed.
_NO_SURFACE = "--disable-vulkan-surface"
_ANY_DRIVER = "--ignore-gpu-blocklist"


@dataclass(frozen=True)
class Rung:
    """One way to start a browser: flags beside the usual ones, with a window or without."""

    name: str
    flags: tuple[str, ...]
    headless: bool
    about: str


def rungs(
    installed: Installed, sys_platform: str, headless: bool = True, *, display: bool = False
) -> tuple[Rung, ...]:
    """List the ways to try, in their order; with `headless` false, all of them have a window.

    A window comes last, and only where there is a `display` to show it on.
    """
    plain = Rung("plain", (), headless, "as it is")
    if installed.name == "portable":
        return (plain,)
    ways = [plain]
    if installed.engine == "chromium":
        ways += _of_chromium(sys_platform, headless)
    if headless and display:
        ways.append(Rung("window", (), headless=False, about="with a window"))
        if installed.engine == "chromium" and sys_platform.startswith("linux"):
            flags = (*_VULKAN, _ANY_DRIVER)
            about = "with a window, by Vulkan, with any driver"
            ways.append(Rung("window-vulkan", flags, headless=False, about=about))
    return tuple(ways)


def has_display(sys_platform: str, environ: Mapping[str, str]) -> bool:
    """Whether a window could be shown; elsewhere than on Linux it always can."""
    if not sys_platform.startswith("linux"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def _of_chromium(sys_platform: str, headless: bool) -> list[Rung]:
    any_driver = "with a driver that the browser's own list refuses"
    if not sys_platform.startswith("linux"):
        # Metal and Direct3D are what it takes there by itself.
        return [Rung("any-driver", (_ANY_DRIVER,), headless, any_driver)]
    offscreen = (*_VULKAN, _NO_SURFACE) if headless else _VULKAN
    ways = [Rung("vulkan", _VULKAN, headless, "by Vulkan")]
    if headless:
        ways.append(Rung("offscreen", offscreen, headless, "by Vulkan, without a surface"))
    ways.append(Rung("any-driver", (*offscreen, _ANY_DRIVER), headless, f"by Vulkan, {any_driver}"))
    return ways
