from ipfs_accelerate.graph.ports import Dimensions


def test_free_dimensions_are_named_as_they_come():
    names = Dimensions()
    assert names.merge([("batch", 3, "rows")]) == ("d0", 3, "d1")
    assert names.merge([("rows", "batch", None, None)]) == ("d1", "d0", "d2", "d3")


def test_what_is_equal_in_every_model_is_equal():
    names = Dimensions()
    assert names.merge([("n", "n", 3), ("a", "b", 3)]) == ("d0", "d1", 3)
    assert names.merge([("n", "n"), ("b", "c")]) == ("d1", "d2")
    assert names.merge([(4, 4, None), (4, 5, 4)]) == (4, "d3", "d4")


def test_unknown_and_different_ranks_are_no_shape():
    assert Dimensions().merge([(1,), None]) is None
    assert Dimensions().merge([(1,), (1, 2)]) is None
    assert Dimensions().merge([None]) is None
    assert Dimensions().merge([()]) == ()
