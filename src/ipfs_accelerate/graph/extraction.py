"""Takes a part out of its model, as an ONNX file with the same bytes whichever model it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto

from ipfs_accelerate.graph.assembling import name_of, name_of_input
from ipfs_accelerate.graph.canonical import Inner, attributes, point
from ipfs_accelerate.graph.constants import Constants, constants_of
from ipfs_accelerate.graph.digests import of_input
from ipfs_accelerate.graph.inlining import written_out
from ipfs_accelerate.graph.operators import Imports, opsets
from ipfs_accelerate.tensors.dtypes import DTYPES, NOT_CARRIED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from onnx import GraphProto

    from ipfs_accelerate.graph.dag import Dag, Node, Shape, Weight
    from ipfs_accelerate.graph.parts import Part, Result, Source

IR = 13
"""The newest that onnxruntime-web reads; it holds every older one."""
_NUMBERS = {one.onnx: one.number for one in DTYPES} | {
    name: number for number, (name, _) in NOT_CARRIED.items()
}
"""The TensorProto.DataType of each dtype."""


def extract(model: ModelProto, dag: Dag, part: Part) -> ModelProto:
    """Make the part's own file. A part that is a whole model is the model's file as it stands.

    Its large weights are external data under their CIDs, also those that the model keeps inside:
    `inner_blocks` gives these.
    """
    if part.whole:
        return model
    model = written_out(model)
    nodes = [dag.nodes[place] for place in part.nodes]
    result = ModelProto(ir_version=IR, producer_name="ipfs-accelerate")
    for domain, version in opsets(_operators(nodes)).items():
        result.opset_import.add(domain=domain, version=version)
    _fill(result.graph, model, dag, part)
    return result


def inner_blocks(model: ModelProto, dag: Dag, part: Part) -> Iterator[tuple[str, bytes]]:
    """Yield (CID, bytes) of what the part's file has as blocks and the model keeps inside."""
    if part.whole:
        return
    inside = [one for one in part.weights if one.cid and dag.weight_of[one.digest].cid is None]
    constants = constants_of(written_out(model).graph) if inside else Constants()
    for weight in inside:
        yield weight.content, constants.bytes_of(weight.digest)


def _operators(nodes: list[Node]) -> Iterator[tuple[str, str, int]]:
    for node in nodes:
        yield node.domain, node.operator, node.version
        yield from node.inner_operators


def _fill(graph: GraphProto, model: ModelProto, dag: Dag, part: Part) -> None:
    nodes = [dag.nodes[place] for place in part.nodes]
    names = {of_input(one.name, one.dtype): name_of_input(one.name) for one in dag.inputs}
    graph.name = part.digest
    graph.input.extend(_port(one, one.shape) for one in part.inputs)
    graph.output.extend(_port(one, None) for one in part.outputs)
    direct = {value for node in nodes for value in node.uses()}
    constants = constants_of(model.graph)
    graph.initializer.extend(
        _initializer(one, constants) for one in part.weights if one.digest in direct
    )
    imports = Imports(model.opset_import)
    graph.node.extend(_node(one, model.graph.node[one.index], names, imports) for one in nodes)


def _port(port: Source | Result, shape: Shape | None) -> ValueInfoProto:
    """An input with its shape, an output without: the engine finds that itself."""
    info = ValueInfoProto(name=port.name)
    info.type.tensor_type.elem_type = _NUMBERS[port.dtype]
    for size in shape or ():
        info.type.tensor_type.shape.dim.add(
            **{"dim_value" if isinstance(size, int) else "dim_param": size}
        )
    if shape == ():
        info.type.tensor_type.shape.SetInParent()
    return info


def _initializer(weight: Weight, constants: Constants) -> TensorProto:
    number = _NUMBERS[weight.dtype]
    tensor = TensorProto(name=name_of(weight.digest), dims=weight.shape, data_type=number)
    if weight.cid is not None:
        point(tensor, weight.cid, weight.size)
    elif weight.dtype == "string":
        tensor.string_data.extend(constants.tensors[weight.digest].string_data)
    else:
        tensor.raw_data = constants.bytes_of(weight.digest)
    return tensor


def _node(node: Node, source: NodeProto, names: Mapping[str, str], imports: Imports) -> NodeProto:
    def called(digest: str) -> str:
        return names.get(digest) or (digest and name_of(digest))

    result = NodeProto(op_type=node.operator, domain=node.domain)
    result.input.extend(map(called, node.inputs))
    result.output.extend(map(called, node.outputs))
    operator = imports.operator(node.operator, node.domain)
    met = Inner(imports, str)
    attributes(source, operator.defaults, met)
    outer = dict(zip(met.captured, map(called, node.captured), strict=True))
    result.attribute.extend(
        attributes(source, operator.defaults, Inner(imports, outer.__getitem__))
    )
    return result
