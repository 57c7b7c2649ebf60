"""The probes in a page of their own: a worker runs them, and the page posts what they found."""

import json
import os
import queue
import shutil
import signal
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ipfs_accelerate.browsers.sandbox import sandbox_possible

ROOT = Path(__file__).parents[2]
ENOUGH_S = 120
CHROMIUM = (
    "--headless",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-quic",
    "--password-store=basic",
)
GPU = "--enable-unsafe-webgpu"
ML = "--enable-features=WebMachineLearningNeuralNetwork"
FIREFOX_PREFS = """
user_pref("dom.webgpu.enabled", true);
user_pref("gfx.webgpu.ignore-blocklist", true);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("termsofuse.bypassNotification", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.normandy.enabled", false);
user_pref("services.settings.server", "data:,none");
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""
PAGE = """<!doctype html><script type="module">
const post = (path, value) => fetch(path, { method: "POST", body: JSON.stringify(value) });
const worker = new Worker("/worker.js", { type: "module" });
worker.onmessage = ({ data }) => post("/found", data);
worker.onerror = ({ message }) => post("/found", { failed: String(message) });
</script>"""
HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}


class _Handler(BaseHTTPRequestHandler):
    server: "ProbeServer"

    def do_GET(self):
        body, kind = PAGE.encode(), "text/html"
        if self.path == "/worker.js":
            body, kind = self.server.worker, "text/javascript"
        self.send_response(200)
        for name, value in {"Content-Type": kind, **HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.server.found.put(json.loads(body))

    def log_message(self, *_):
        """Keep quiet."""


class ProbeServer(ThreadingHTTPServer):
    """Serves the page and its worker; keeps what was found."""

    def __init__(self, worker: bytes):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.worker = worker
        self.found: queue.Queue[Any] = queue.Queue()
        self.url = f"http://127.0.0.1:{self.server_port}/"

    def handle_error(self, *_):
        """A browser that is killed breaks off in the middle."""


def bundled(script: str, folder: Path) -> bytes:
    """A worker's script over the sdk's sources, as one file."""
    entry, out = folder / "worker.ts", folder / "worker.js"
    entry.write_text(script.replace("SDK", str(ROOT / "js/packages/sdk/src")))
    esbuild = ROOT / "js/node_modules/.bin/esbuild"
    options = ["--bundle", "--format=esm", f"--outfile={out}", "--log-level=error"]
    subprocess.run([esbuild, entry, *options], check=True)
    return out.read_bytes()


@contextmanager
def served(script: str, folder: Path):
    """A server of the page, for as long as the block."""
    server = ProbeServer(bundled(script, folder))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def found_by(command, server, environment):
    """What the page of this browser posts; the browser is ended after."""
    with subprocess.Popen(
        [*map(str, command), server.url],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as browser:
        try:
            return server.found.get(timeout=ENOUGH_S)
        finally:
            os.killpg(browser.pid, signal.SIGKILL)


def chromium(path, profile, *flags):
    """Chromium's command line, and nothing more to its environment."""
    sandbox = () if sandbox_possible() else ("--no-sandbox",)
    return [path, *CHROMIUM, *sandbox, *flags, f"--user-data-dir={profile}"], {}


def firefox(path, profile):
    """Firefox's command line, and its environment."""
    profile.mkdir()
    (profile / "user.js").write_text(FIREFOX_PREFS)
    command = [path, "--headless", "--no-remote", "--profile", profile]
    return command, {"MOZ_REMOTE_SETTINGS_DEVTOOLS": "1", "HOME": str(profile)}


def firefox_path():
    """Where Firefox is; the test is skipped where there is none, or no Vulkan for it."""
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    if not path:
        pytest.skip("there is no Firefox here")
    if not list(Path("/usr/share/vulkan/icd.d").glob("*.json")):
        pytest.skip("Firefox has no Vulkan driver here, not even Mesa's software one")
    return path
