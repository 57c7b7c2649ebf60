"""The plan of one request: what must run, what is there already, what stays. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ipfs_accelerate.protocol.messages import (
    Fetch,
    HandleRef,
    Keep,
    Reference,
    Run,
    Step,
    StepRef,
    TensorRef,
)

if TYPE_CHECKING:
    from ipfs_accelerate.models.components import Layout, Take
    from ipfs_accelerate.remembered import Entry, Remembered

Digest: TypeAlias = Callable[[str, str], str | None]
"""An input's content by its name, in the dtype that is asked for; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An output that did not have to be computed."""

    key: str
    name: str
    size: int
    saved_ms: float


@dataclass(frozen=True, slots=True)
class Made:
    """An output that this plan computes, and that is remembered under a handle."""

    key: str
    handle: int
    stage: int
    step: int
    output: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is sent, and what it leads to."""

    message: Run
    travels: Mapping[str, tuple[str, str]]
    """the tensors of its frame: an input of the model, and the dtype in which it goes"""
    ran: tuple[int, ...] = ()
    """the stage of each step"""
    upstream: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """the stages right before each stage that runs"""
    hits: tuple[Hit, ...] = ()
    made: tuple[Made, ...] = ()

    def took_ms(self, run_ms: list[float]) -> dict[int, float]:
        """What computing each stage's output takes, all before it included."""
        total: dict[int, float] = {}
        for stage, own in zip(self.ran, run_ms, strict=True):
            total[stage] = own + sum(total.get(one, 0.0) for one in self.upstream[stage])
        return total


@dataclass(frozen=True, slots=True)
class Memory:
    """What a plan may take from memory, and leave in it."""

    remembered: Remembered[int]
    """handles of live tensors, by the key of what they are"""
    worth: Callable[[int], bool]
    """whether a stage's outputs are to be remembered"""
    digest: Digest
    handles: Iterator[int]
    """fresh ones"""


class Planner:
    """Plans one request over a model's layout."""

    def __init__(
        self,
        layout: Layout,
        keys: tuple[str, ...],
        remote: Mapping[str, int],
        memory: Memory | None = None,
    ) -> None:
        """`keys` are what the engine calls the components, `remote` inputs that are live there."""
        self._layout = layout
        self._keys = keys
        self._remote = remote
        self._memory = memory
        self._names = self._name_stages()
        self._found: dict[tuple[int, str], Entry[int]] = {}
        self._travels: dict[str, tuple[str, str]] = {}

    def plan(self, fetch: Mapping[str, str], keep: Mapping[str, int]) -> Plan:
        """The plan that brings these outputs, by the names to bring them under, and keeps others.

        `keep` are outputs that stay under a handle of the caller's.
        """
        demanded = self._demand([*fetch, *keep])
        ran = tuple(number for number in range(len(self._keys)) if demanded[number])
        steps = {stage: step for step, stage in enumerate(ran)}
        made = tuple(self._made(ran, demanded))
        message = Run(
            steps=tuple(self._step(number, steps) for number in ran),
            fetch=tuple(Fetch(self._of(name, steps), as_) for name, as_ in fetch.items()),
            keep=(
                *(self._kept(name, handle, steps) for name, handle in keep.items()),
                *(Keep(one.step, one.output, one.handle) for one in made),
            ),
        )
        hits = tuple(
            Hit(
                f"{self._names[stage]} {output}",
                f"{self._layout.stages[stage].component.key}.{output}",
                entry.size,
                entry.took_ms,
            )
            for (stage, output), entry in self._found.items()
        )
        return Plan(message, self._travels, ran, self._upstream(ran), hits, made)

    def _name_stages(self) -> list[str | None]:
        """A name for what each stage computes of these inputs; None where it can't be named."""
        names: list[str | None] = []
        for stage, key in zip(self._layout.stages, self._keys, strict=True):
            parts = [self._named(take, names) for take in stage.takes]
            if self._memory is None or not stage.component.repeatable or None in parts:
                names.append(None)
            else:
                text = "\n".join(
                    [
                        key,
                        *(
                            f"{take.name} {part}"
                            for take, part in zip(stage.takes, parts, strict=True)
                        ),
                    ]
                )
                names.append(hashlib.sha256(text.encode()).hexdigest())
        return names

    def _named(self, take: Take, names: list[str | None]) -> str | None:
        if isinstance(take.source, tuple):
            stage, output = take.source
            return f"{names[stage]} {output}" if names[stage] else None
        if self._memory is None or take.source in self._remote:
            return None
        return self._memory.digest(take.source, take.dtype)

    def _demand(self, outputs: list[str]) -> list[set[str]]:
        """The outputs that each stage must compute: from the last stage to the first."""
        wanted: list[set[str]] = [set() for _ in self._keys]
        for name in outputs:
            stage, output = self._layout.outputs[name]
            wanted[stage].add(output)
        for number in reversed(range(len(wanted))):
            if not wanted[number] or self._all_there(number, wanted[number]):
                wanted[number] = set()
                continue
            for take in self._layout.stages[number].takes:
                if isinstance(take.source, tuple):
                    wanted[take.source[0]].add(take.source[1])
        return wanted

    def _all_there(self, number: int, outputs: set[str]) -> bool:
        name = self._names[number]
        if name is None or self._memory is None:
            return False
        found = {one: self._memory.remembered.find(f"{name} {one}") for one in outputs}
        there = {(number, one): entry for one, entry in found.items() if entry is not None}
        if len(there) < len(outputs):
            return False
        self._found.update(there)
        return True

    def _made(self, ran: tuple[int, ...], demanded: list[set[str]]) -> Iterator[Made]:
        if self._memory is None:
            return
        for step, number in enumerate(ran):
            name = self._names[number]
            if name is None or not self._memory.worth(number):
                continue
            for output in sorted(demanded[number]):
                handle = next(self._memory.handles)
                yield Made(f"{name} {output}", handle, number, step, output)

    def _step(self, number: int, steps: Mapping[int, int]) -> Step:
        takes = self._layout.stages[number].takes
        inputs = {take.name: self._reference(take, steps) for take in takes}
        return Step(model=self._keys[number], inputs=inputs)

    def _reference(self, take: Take, steps: Mapping[int, int]) -> Reference:
        if isinstance(take.source, tuple):
            return self._at(take.source, steps)
        if take.source in self._remote:
            return HandleRef(self._remote[take.source])
        tensor = f"{take.source}:{take.dtype}"
        self._travels[tensor] = (take.source, take.dtype)
        return TensorRef(tensor)

    def _at(self, place: tuple[int, str], steps: Mapping[int, int]) -> Reference:
        entry = self._found.get(place)
        return HandleRef(entry.value) if entry else StepRef(steps[place[0]], place[1])

    def _of(self, name: str, steps: Mapping[int, int]) -> Reference:
        return self._at(self._layout.outputs[name], steps)

    def _kept(self, name: str, handle: int, steps: Mapping[int, int]) -> Keep:
        stage, output = self._layout.outputs[name]
        return Keep(steps[stage], output, handle)

    def _upstream(self, ran: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        return {
            number: tuple(
                {
                    take.source[0]
                    for take in self._layout.stages[number].takes
                    if isinstance(take.source, tuple)
                }
            )
            for number in ran
        }
