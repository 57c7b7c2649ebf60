import ml_dtypes
import numpy as np
import pytest

from ipfs_accelerate.contents import digest_of, name_of

DTYPES = [np.float32, np.int32, np.bool_, np.float16, ml_dtypes.bfloat16]
DTYPES += [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_equal_arrays_of_every_dtype_have_one_name(dtype, shape):
    array = np.ones(shape, dtype)
    assert digest_of(array) == digest_of(np.ones(shape, dtype))
    assert digest_of(array.T) == digest_of(np.ascontiguousarray(array.T).reshape(array.T.shape))


def test_bytes_dtypes_and_shapes_tell_arrays_apart():
    arrays = [np.zeros(4, dtype) for dtype in DTYPES]
    arrays += [np.zeros((2, 2), np.float32), np.zeros((), np.float32), np.ones(4, np.float32)]
    assert len({digest_of(one) for one in arrays}) == len(arrays)


def test_names_are_told_apart_by_where_they_end():
    assert name_of("ab", "c") != name_of("a", "bc")
