"""Makes the parts of a model from the nodes that were given to each. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.dag import SMALLEST, Value
from ipfs_accelerate.graph.digests import INTEGERS, digest_of, of_input
from ipfs_accelerate.graph.parts import Part, Result, Source
from ipfs_accelerate.graph.ports import Dimensions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ipfs_accelerate.graph.dag import Dag, Node, Output, Port, Shape, Weight
    from ipfs_accelerate.graph.living import Living, Together

_INDEX = 1
"""The input of a Gather that chooses rows."""


@dataclass(frozen=True)
class Component:
    """Nodes that are one part in each of some models."""

    models: tuple[str, ...]
    nodes: frozenset[str]
    outputs: tuple[str, ...]
    """the values it gives, by digest, sorted"""


def name_of(digest: str) -> str:
    """What a value is called in a part's file."""
    return f"v{digest[:32]}"


def name_of_input(name: str) -> str:
    """What a model's input is called in a part's file, of whatever width it is."""
    return f"x{digest_of('port', name)[:32]}"


def assemble(key: str, component: Component, models: Together, earlier: Sequence[Part]) -> Part:
    """Make one model's part; `earlier` are the parts of it that run before."""
    living = models.living[key]
    nodes = _ordered(_with_cheap(living, component, models.light), living.dag)
    dags = [living.dag, *(models.living[one].dag for one in component.models if one != key)]
    sources = _sources(dags, nodes, earlier)
    places = {node.digest: place for place, node in enumerate(living.dag.nodes)}
    return Part(
        digest=_digest(component.outputs, sources),
        inputs=sources,
        outputs=tuple(_result(one, living.dag) for one in component.outputs),
        nodes=tuple(places[node.digest] for node in nodes),
        weights=_weights(living.dag, nodes),
        macs=sum(living.work[node.digest] for node in nodes),
        repeatable=all(node.repeatable for node in nodes),
    )


def whole(living: Living) -> Part:
    """The one part of a model that can't be cut: its own file."""
    dag = living.dag
    return Part(
        digest=digest_of("whole", dag.to_json()),
        inputs=tuple(Source(p.name, p.dtype, p.shape, p.shape, p.name) for p in dag.inputs),
        outputs=tuple(_whole_result(one, dag) for one in dag.outputs),
        nodes=tuple(range(len(dag.nodes))),
        weights=tuple(one for one in dag.weights if one.turned_from is None),
        macs=living.total,
        repeatable=dag.repeatable,
        whole=True,
    )


def _with_cheap(living: Living, component: Component, light: Collection[str]) -> dict[str, Node]:
    """The part's nodes, and the cheap ones that it needs."""
    producers = living.dag.producer_of
    ends = {producers[one].digest for one in component.outputs}
    waiting = [living.nodes[digest] for digest in component.nodes | ends]
    found: dict[str, Node] = {}
    while waiting:
        node = waiting.pop()
        if node.digest not in found:
            found[node.digest] = node
            makers = (producers[one] for one in node.uses() if one in producers)
            waiting += [maker for maker in makers if maker.digest in light]
    return found


def _ordered(nodes: Mapping[str, Node], dag: Dag) -> list[Node]:
    """In an order that hangs on their digests alone: by how many steps come before each."""
    levels: dict[str, int] = {}
    for node in dag.nodes:
        if node.digest in nodes:
            level = 1 + max((levels.get(one, 0) for one in node.uses()), default=0)
            levels |= dict.fromkeys((*node.outputs, node.digest), level)
    return sorted(nodes.values(), key=lambda node: (levels[node.digest], node.digest))


def _sources(
    dags: Sequence[Dag], nodes: Sequence[Node], earlier: Sequence[Part]
) -> tuple[Source, ...]:
    """What the nodes take: the model's inputs by name, then earlier parts' values by digest."""
    dag = dags[0]
    made = {value for node in nodes for value in node.outputs}
    used = {value for node in nodes for value in node.uses()} - made - dag.weight_of.keys()
    dimensions = Dimensions()
    ports = [port for port in dag.inputs if of_input(port.name, port.dtype) in used]
    shapes = [{port.name: port.shape for port in one.inputs} for one in dags]
    busy = _more_than_choosing(nodes)
    own = [
        _from_input(port, busy, dimensions.merge([one[port.name] for one in shapes]))
        for port in sorted(ports, key=lambda port: port.name)
    ]
    taken = {of_input(port.name, port.dtype) for port in ports}
    values = [
        _from_part(value, dag, dimensions.merge([one.values[value].shape for one in dags]), earlier)
        for value in sorted(used - taken)
    ]
    return (*own, *values)


def _from_input(port: Port, busy: Collection[str], shape: Shape | None) -> Source:
    narrow = port.dtype in INTEGERS and of_input(port.name, port.dtype) not in busy
    dtype = "int32" if narrow else port.dtype
    return Source(name_of_input(port.name), dtype, shape, port.shape, port.name)


def _more_than_choosing(nodes: Sequence[Node]) -> set[str]:
    """The values that do more than choose rows, for which 32 bits are enough."""
    found: set[str] = set()
    for node in nodes:
        chooses = node.operator == "Gather" and not node.domain
        found.update(node.captured)
        found.update(one for at, one in enumerate(node.inputs) if not chooses or at != _INDEX)
    return found


def _from_part(value: str, dag: Dag, shape: Shape | None, earlier: Sequence[Part]) -> Source:
    known = dag.values[value]
    name = name_of(value)
    part = next(
        (at for at, one in enumerate(earlier) if any(each.digest == value for each in one.outputs)),
        None,
    )
    return Source(name, known.dtype or "", shape, known.shape, None, part, name)


def _result(value: str, dag: Dag) -> Result:
    known = dag.values[value]
    names = tuple(one.name for one in dag.outputs if one.digest == value)
    return Result(name_of(value), known.dtype or "", known.shape, names, value)


def _whole_result(output: Output, dag: Dag) -> Result:
    known = dag.values.get(output.digest, Value(None, None))
    return Result(output.name, known.dtype or "", known.shape, (output.name,), "")


def _weights(dag: Dag, nodes: Sequence[Node]) -> tuple[Weight, ...]:
    """The weights as the part's file holds them: large ones as blocks, wherever they lay."""
    used = {one for node in nodes for one in (*node.uses(), *node.inner_weights)}
    found = [dag.weight_of[one] for one in sorted(used) if one in dag.weight_of]
    return tuple(replace(one, cid=block_of(one)) for one in found)


def block_of(weight: Weight) -> str | None:
    """The block that a weight is in a part's file; None where it stays inside."""
    return weight.content if weight.content and weight.size >= SMALLEST else weight.cid


def _digest(outputs: Sequence[str], sources: Sequence[Source]) -> str:
    taken = [f"{one.name} {one.dtype} {one.shape}" for one in sources]
    return digest_of("part", *outputs, "takes", *taken)
