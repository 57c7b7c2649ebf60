"""Which value of its base each input of a head takes."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnx import ModelProto, shape_inference

from ipfs_accelerate.errors import ModelError
from ipfs_accelerate.models.inputs import describe
from ipfs_accelerate.models.onnx_parts import ports
from ipfs_accelerate.models.widths import only_widths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ipfs_accelerate.models.manifest import Dimension, Manifest, Port

_NEAREST = 5


@dataclass(frozen=True, slots=True)
class Head:
    """A head as its file has it."""

    path: Path
    inputs: tuple[Port, ...]


@dataclass(frozen=True, slots=True)
class Values:
    """What a base has to give: None where nothing is known of a value but its name."""

    name: str
    outputs: Mapping[str, Port]
    inner: Mapping[str, Port | None]
    inputs: Mapping[str, Port]

    @classmethod
    def of(cls, base: Manifest, model: ModelProto) -> Values:
        """Everything that has a name at the top of the base's graph."""
        made = {name for node in model.graph.node for name in node.output if name}
        outputs = {port.name: port for port in base.outputs}
        typed = _typed(base.name, model, made)
        return cls(
            name=base.name,
            outputs=outputs,
            inner={name: typed.get(name) for name in sorted(made - outputs.keys())},
            inputs={port.name: port for port in base.inputs},
        )

    def find(self, name: str) -> Port | None:
        """What is known of the value."""
        return self.outputs.get(name) or self.inner.get(name) or self.inputs.get(name)

    def computed(self, name: str) -> bool:
        """Whether the base computes it, and so is not merely given it."""
        return name in self.outputs or name in self.inner

    def __contains__(self, name: object) -> bool:
        return any(name in held for held in (self.outputs, self.inner, self.inputs))


def match(head: Head, base: Values) -> dict[str, str]:
    """The base's value for each input of the head; what is absent, a caller has to give.

    By name. One input and one output belong together whatever their names are.
    """
    taken = {port.name: port.name for port in head.inputs if port.name in base}
    if not any(base.computed(name) for name in taken):
        if len(head.inputs) != 1 or len(base.outputs) != 1:
            raise _no_match(head, base)
        taken = {head.inputs[0].name: next(iter(base.outputs))}
    for port in head.inputs:
        if port.name in taken:
            _check(head, port, base, taken[port.name])
    return taken


def dimensions(head: Head, base: Values, taken: Mapping[str, str]) -> dict[str, Dimension]:
    """What the names of the head's free dimensions are under the base.

    One that no match tells, and that the base uses too, need not be the same: it gets no name.
    """
    known: dict[str, Dimension] = {
        size: None
        for port in (*base.inputs.values(), *base.outputs.values())
        for size in port.shape or ()
        if isinstance(size, str)
    }
    met: dict[str, Dimension] = {}
    for port in head.inputs:
        value = base.find(taken[port.name]) if port.name in taken else None
        if value is not None and value.shape is not None and port.shape is not None:
            for own, given in zip(port.shape, value.shape, strict=True):
                if isinstance(own, str) and given is not None:
                    met.setdefault(own, given)
    return known | met


def _typed(name: str, model: ModelProto, wanted: set[str]) -> dict[str, Port]:
    """The types and shapes of inner values, as far as onnx can infer them."""
    try:
        inferred = shape_inference.infer_shapes(model).graph.value_info
    except Exception:  # noqa: BLE001 - an operator that onnx does not know; the engine may
        inferred = model.graph.value_info
    known = ModelProto()
    known.graph.output.extend(
        value for value in inferred if value.name in wanted and value.type.tensor_type.elem_type
    )
    return {port.name: port for port in ports(Path(name), known)[1]}


def _check(head: Head, port: Port, base: Values, name: str) -> None:
    value = base.find(name)
    if value is None:
        return
    same = value.dtype == port.dtype or only_widths(value.dtype, port.dtype)
    if same and _fits(port.shape, value.shape):
        return
    raise ModelError(
        f"The head {head.path} takes {port.name!r} as {describe(port)}, and {name!r} of its base "
        f"{base.name} is {describe(value)}.",
        hint="Export the head for what the base gives, or rename its input if it is another one.",
        details={"path": str(head.path), "input": port.name, "value": name},
    )


def _fits(wanted: Sequence[Dimension] | None, given: Sequence[Dimension] | None) -> bool:
    if wanted is None or given is None:
        return True
    return len(wanted) == len(given) and all(
        one == other or not isinstance(one, int) or not isinstance(other, int)
        for one, other in zip(wanted, given, strict=True)
    )


def _no_match(head: Head, base: Values) -> ModelError:
    names = [port.name for port in head.inputs]
    outputs = ", ".join(f"{port.name} {describe(port)}" for port in base.outputs.values())
    nearest = _nearest(names, base)
    return ModelError(
        f"No input of the head {head.path} ({', '.join(names) or 'it has none'}) is a value that "
        f"its base {base.name} computes.",
        hint=f"Name an input as one of the base's outputs ({outputs}) or as a value inside its "
        f"graph; the nearest names are: {', '.join(nearest) or 'none'}.",
        details={
            "path": str(head.path),
            "inputs": names,
            "outputs": list(base.outputs),
            "nearest": nearest,
        },
    )


def _nearest(names: Sequence[str], base: Values) -> list[str]:
    known = [*base.outputs, *base.inner]
    close = [difflib.get_close_matches(name, known, n=_NEAREST, cutoff=0.4) for name in names]
    return list(dict.fromkeys(name for some in close for name in some))[:_NEAREST]
