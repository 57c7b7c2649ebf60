"""Models that are made of named parts, and an engine that only notes what it is asked."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

from ipfs_accelerate.errors import ModelError, TransportError
from ipfs_accelerate.models.cid import cid_of
from ipfs_accelerate.models.components import Component, Layout, Stage, Take, whole
from ipfs_accelerate.models.manifest import Block, Manifest, Port, Weight
from ipfs_accelerate.pool.needs import Needed
from ipfs_accelerate.pool.platforms import Ability
from ipfs_accelerate.protocol.messages import Drop, Load, Run, Unload

WASM = Ability("wasm", "cpu")
WEBNN = Ability("webnn", "cpu")


def component(name, *, size=100, macs=10, repeatable=True):
    """A component whose graph has a name, and one weight."""
    graph, weight = cid_of(f"graph {name}".encode()), cid_of(f"weight {name}".encode())
    weights = (Weight(weight, weight, size),) if size else ()
    return Component(Block(graph, 10), weights, macs, repeatable, name)


def model(name, *, sizes=100, repeatable=True, width="n"):
    """A model from x to y."""
    graph, weight = cid_of(f"graph {name}".encode()), cid_of(f"weight {name}".encode())
    return Manifest(
        name=name,
        family="unknown",
        task="tensors",
        graph=Block(graph, 10),
        weights=(Weight(weight, weight, sizes),),
        inputs=(Port("x", "int64", (width,)),),
        outputs=(Port("y", "float32", (width,)),),
        tokenizer=None,
        max_length=None,
        precision="fp32",
        licence="MIT",
        source="file",
        repeatable=repeatable,
    )


def chain(*components, narrow=False):
    """Components one after another, from the model's x to its y."""
    first = Take("a", "int32" if narrow else "int64", ("s0",), ("n",), "x")
    takes = [first, *(Take("a", "float32", ("s0",), ("n",), (at, "b")) for at in range(9))]
    stages = tuple(Stage(one, (takes[at],)) for at, one in enumerate(components))
    return Layout(stages, {"y": (len(stages) - 1, "b")})


def needed(manifest, **options):
    return Needed(manifest, **options)


class Engine:
    """What it holds, what it was asked in which order, what it refuses, and what takes a while."""

    def __init__(self):
        self.loaded: dict[str, str] = {}
        self.handles: set[int] = set()
        self.log: list[str] = []
        self.refused: dict[str, str] = {}
        self.gates: dict[str, asyncio.Event] = {}
        self.names: dict[str, str] = {}
        self.lost = False

    def named(self, *names):
        """Have these components and models called by their names in the log."""
        self.names |= {cid_of(f"graph {name}".encode()): name for name in names}
        return self

    async def ask(self, message, tensors=None, on_progress=None):
        """Answer as an engine does; whatever it has begun it ends, even if nobody waits."""
        await asyncio.sleep(0)
        if self.lost:
            raise TransportError("The engine has ended.", code="connection_lost")
        match message:
            case Load():
                return await self._load(message, on_progress)
            case Unload():
                self.log.append(f"unload {self.loaded.pop(message.model, 'nothing')}")
            case Drop():
                self.log.append(f"drop {len(message.handles)}")
                self.handles -= set(message.handles)
            case Run():
                return self._run(message)
        return SimpleNamespace(value={}, tensors={})

    async def _load(self, message, on_progress):
        name = self.names.get(message.graph.cid, message.graph.cid)
        assert message.model not in self.loaded, f"{name} is loaded twice"
        self.log.append(f"load {name}")
        if on_progress is not None:
            on_progress("fetch", 5, 1)
        try:
            if name in self.gates:
                await self.gates[name].wait()
            else:
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.loaded[message.model] = name  # what is being made can't be stopped
            raise
        if name in self.refused:
            raise ModelError(f"{name} can't be loaded.", code=self.refused[name])
        self.loaded[message.model] = name
        value = {"device": "cpu", "backend": message.platform, "fell_back": []}
        return SimpleNamespace(value=value, tensors={})

    def _run(self, message):
        for step in message.steps:
            if step.model not in self.loaded:
                raise ModelError("It is not loaded.", code="model_not_loaded")
        self.handles |= {one.handle for one in message.keep}
        kept = [{"handle": one.handle, "dtype": "F32", "shape": [25]} for one in message.keep]
        steps = [{"run_ms": 5.0} for _ in message.steps]
        return SimpleNamespace(value={"steps": steps, "kept": kept, "fetch_ms": 0.0}, tensors={})

    @property
    def holds(self):
        """The names of what is loaded."""
        return sorted(self.loaded.values())


class Arranged:
    """Lays models out by a table, from the names of all that are there to their components."""

    def __init__(self, table):
        self._table = table
        self.asked: list[tuple[str, ...]] = []
        self.before = None

    async def __call__(self, present, models, ability):
        if self.before is not None:
            await self.before()
        names = {key: one.name for key, one in models.items()}
        self.asked.append(tuple(sorted(names.values())))
        layouts = self._table.get(self.asked[-1], {})
        return {
            key: layouts.get(name) or present.get(key) or whole(models[key])
            for key, name in names.items()
        }
