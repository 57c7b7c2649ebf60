"""Compares models: what they share at three levels, and which nodes keep them from more. Pure."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING

from ipfs_accelerate.graph.cutting import partition
from ipfs_accelerate.graph.dag import SMALLEST
from ipfs_accelerate.graph.differences import differences
from ipfs_accelerate.graph.explanation import Explanation, Shared, Total
from ipfs_accelerate.graph.living import Living
from ipfs_accelerate.graph.parts import MEASURED, Costs, Part, Partition
from ipfs_accelerate.graph.stored import canonical_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ipfs_accelerate.graph.dag import Dag, Weight

_PAIR = 2


def explain(
    dags: Mapping[str, Dag],
    costs: Costs = MEASURED,
    *,
    cut: Partition | None = None,
    turned: Callable[[str, tuple[int, ...], str], str] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Explanation:
    """Say what two or more models share, and why not more.

    `cut` is their partition where it is known already. `turned` gives the CID of a matrix's
    transpose from its CID, shape and dtype; without it only tensors that lie alike are equal. It
    reads the bytes, so its caller remembers what it gave.
    """
    plan = cut or partition(dags, costs, sizes=sizes)
    weights = canonical_weights(dags, turned)
    totals = {key: _total(dag, sizes) for key, dag in dags.items()}
    sets: list[tuple[str, ...]] = list(combinations(dags, _PAIR))
    if len(dags) > _PAIR:
        sets.append(tuple(dags))
    return Explanation(
        models=totals,
        sets=tuple(_shared(keys, plan, weights, totals) for keys in sets),
        differences=tuple(
            one
            for first, second in permutations(dags, _PAIR)
            for one in differences((first, second), dags[first], dags[second])
        ),
    )


def _total(dag: Dag, sizes: Mapping[str, int] | None) -> Total:
    own = [one for one in dag.weights if one.size >= SMALLEST and not one.turned_from]
    living = Living(dag, sizes)
    return Total(sum(one.size for one in own), living.total, len(living.nodes))


def _shared(
    keys: tuple[str, ...],
    plan: Partition,
    weights: Mapping[str, Mapping[str, Weight]],
    totals: Mapping[str, Total],
) -> Shared:
    equal = set.intersection(*({*_blocks(weights[key])} for key in keys))
    stored = {digest: weights[keys[0]][digest] for digest in equal}
    parts = _common(keys, plan)
    once = {one.digest for part in parts for one in part.weights}
    held = sum(part.weight_bytes for part in parts)
    computed = sum(part.macs for part in parts if part.repeatable)
    return Shared(
        models=keys,
        stored=sum(one.size for one in stored.values()),
        held=held,
        computed=computed,
        held_twice=sum(one.size for one in stored.values() if one.digest not in once),
        stored_share={
            key: _share(sum(one.size for one in stored.values()), totals[key].weight_bytes)
            for key in keys
        },
        held_share={key: _share(held, totals[key].weight_bytes) for key in keys},
        computed_share={key: _share(computed, totals[key].macs) for key in keys},
    )


def _blocks(weights: Mapping[str, Weight]) -> list[str]:
    return [canonical for canonical, one in weights.items() if one.cid is not None]


def _common(keys: tuple[str, ...], plan: Partition) -> list[Part]:
    """The parts that every one of these models has, as the first of them has them."""
    digests = [{part.digest for part in plan.models[key]} for key in keys]
    every = set.intersection(*digests)
    return [part for part in plan.models[keys[0]] if part.digest in every]


def _share(part: int, total: int) -> float:
    return part / total if total else 0.0
