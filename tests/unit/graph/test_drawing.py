from __future__ import annotations

from xml.dom import minidom

import pytest
from tests.unit.graph.built import dag, linear, node

from ipfs_accelerate.graph import Costs, Partition, partition, picture, read_dag

ANYTHING = Costs(least_bytes=1, least_work_share=0)


def parsed(svg):
    return minidom.parseString(svg)  # noqa: S318 - it was drawn here


def drawn(*keys):
    dags = {key: read_dag(linear(seed=at)) for at, key in enumerate(keys)}
    return picture(partition(dags, ANYTHING))


def boxes(svg):
    found = parsed(svg).getElementsByTagName("rect")
    return [one for one in found if one.hasAttribute("rx")]


def texts(svg):
    return [one.firstChild.data for one in parsed(svg).getElementsByTagName("text")]


def test_a_shared_part_is_one_box_of_another_colour():
    svg = drawn("a", "b", "c")
    assert len(boxes(svg)) == 4
    assert len({one.getAttribute("fill") for one in boxes(svg)}) == 2
    assert "shared by 3" in texts(svg)
    assert {"only a", "only b", "a", "b", "c", "2 operators", "1 operator"} <= {*texts(svg)}
    assert "0.02 MB of weights" in texts(svg)
    paths = parsed(svg).getElementsByTagName("path")
    assert len(paths) == 1 + 3 + 3  # the tip, to each rest, and to each name


@pytest.mark.parametrize("count", [1, 2, 5])
def test_nothing_lies_on_anything_else(count):
    svg = drawn(*"abcde"[:count])
    corners = [(int(one.getAttribute("x")), int(one.getAttribute("y"))) for one in boxes(svg)]
    assert len(set(corners)) == len(corners)
    root = parsed(svg).documentElement
    for x, y in corners:
        assert x + 210 < int(root.getAttribute("width"))
        assert y + 78 < int(root.getAttribute("height"))


def test_names_are_escaped():
    svg = drawn("<script>&\"'", "\0\ufffe\x1b" + "long" * 20)
    assert "<script>&\"'" in texts(svg)
    assert any(one.endswith("…") for one in texts(svg))


def test_models_without_work_or_parts():
    empty = {"a": dag([node("Relu", "x", "y")])}
    svg = picture(partition(empty, sizes={"n": 0}))
    assert "~0.0 % of the work" in texts(svg)
    assert boxes(picture(Partition({}))) == []
    assert boxes(picture(Partition({"none": ()}))) == []
