"""How Firefox is told to start: its preferences, its variables, and the keeper that ends it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ipfs_accelerate.browsers.folders import write_private
from ipfs_accelerate.browsers.keeper import kept

if TYPE_CHECKING:
    from ipfs_accelerate.browsers.start import Start

# A word with no meaning elsewhere: the browser asks this for its settings, and has its answer.
_NOTHING = "data:,"

PREFERENCES: dict[str, bool | int | str] = {
    # A page that nobody looks at still has work to do, and may take its time for it.
    "dom.min_background_timeout_value": 4,
    "dom.min_background_timeout_value_without_budget_throttling": 4,
    "dom.timeout.background_throttling_max_budget": -1,
    "dom.timeout.enable_budget_timer_throttling": False,
    "dom.max_script_run_time": 0,
    # WebGPU, and on a software adapter too, which the page tells from a real one.
    "dom.webgpu.enabled": True,
    "gfx.webgpu.ignore-blocklist": True,
    # One page is all there is: no processes for others to come.
    "dom.ipc.processCount": 1,
    "dom.ipc.processPrelaunch.enabled": False,
    # It asks nothing, and shows nothing of its own.
    "browser.aboutwelcome.enabled": False,
    "browser.newtab.preload": False,
    "browser.sessionstore.resume_from_crash": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionPolicyBypassNotification": True,
    "termsofuse.bypassNotification": True,
    "toolkit.startup.max_resumed_crashes": -1,
    # It talks to nobody but its page.
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "app.update.background.enabled": False,
    "app.update.disabledForTesting": True,
    "app.update.enabled": False,
    "browser.region.update.enabled": False,
    "browser.safebrowsing.blockedURIs.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.safebrowsing.provider.google.gethashURL": "",
    "browser.safebrowsing.provider.google.updateURL": "",
    "browser.safebrowsing.provider.google4.gethashURL": "",
    "browser.safebrowsing.provider.google4.updateURL": "",
    "browser.safebrowsing.provider.google5.gethashURL": "",
    "browser.safebrowsing.provider.google5.updateURL": "",
    "browser.safebrowsing.provider.mozilla.gethashURL": "",
    "browser.safebrowsing.provider.mozilla.updateURL": "",
    "browser.search.update": False,
    "browser.topsites.contile.enabled": False,
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.push.connection.enabled": False,
    "dom.push.enabled": False,
    "extensions.blocklist.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "extensions.update.enabled": False,
    "media.gmp-manager.updateEnabled": False,
    "media.gmp-manager.url": _NOTHING,
    "messaging-system.rsexperimentloader.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "network.http.speculative-parallel-limit": 0,
    "network.predictor.enabled": False,
    "network.prefetch-next": False,
    "network.trr.mode": 5,
    "nimbus.rollouts.enabled": False,
    "services.settings.server": f"{_NOTHING}#remote-settings-dummy/v1",
    "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.server": _NOTHING,
    "toolkit.telemetry.unified": False,
}


def command(start: Start) -> list[str]:
    """Give the keeper, the program and its arguments, which hold no secret."""
    return kept(
        [
            str(start.installed.path),
            *(["--headless"] if start.headless else []),
            "--no-remote",
            "--profile",
            str(start.profile),
            *start.flags,
            start.start_file.as_uri(),
        ]
    )


def prepare(start: Start) -> None:
    """Write the preferences anew: what Firefox itself has changed gives way to them."""
    write_private(start.profile / "user.js", user_js())


def user_js() -> str:
    """The preferences in the language of a profile."""
    return "".join(
        f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
        for name, value in PREFERENCES.items()
    )


def environment(start: Start) -> dict[str, str]:
    """Keep what it writes beside its profile in the slot, and let it heed the settings' server."""
    return {
        "HOME": str(start.slot / "config"),
        # Without it a release takes its settings from their maker's server, whatever is preferred.
        "MOZ_REMOTE_SETTINGS_DEVTOOLS": "1",
        "MOZ_CRASHREPORTER_DISABLE": "1",
    }
