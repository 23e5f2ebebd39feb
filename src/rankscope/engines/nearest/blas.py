"""A matrix product added to what is there, which numpy has none for; Python's lock is free meanwhile."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


@cache
def _sgemm() -> Any:
    """The routine of the library that scipy was built with, as scipy offers it to compiled code."""
    from scipy.linalg import cython_blas

    capsule = cython_blas.__pyx_capi__["sgemm"]
    name, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(pointer(capsule, name(capsule)))


def add_product(left: NDArray[np.float32], right: NDArray[np.float32], result: NDArray[np.float32], more: bool) -> None:
    """Rows times rows into `result`, or with `more` added to what it holds; rows may be parts of longer ones.

    >>> rows, result = np.float32([[1, 2], [3, 4]]), np.ones((2, 2), dtype=np.float32)
    >>> add_product(rows[:, 1:], rows[:, 1:], result, more=True)
    >>> result
    array([[ 5.,  9.],
           [ 9., 17.]], dtype=float32)
    """
    sizes = [right.shape[0], left.shape[0], left.shape[1]]
    long = [each.strides[0] // each.itemsize for each in (right, left, result)]
    if any(each.strides[1] != each.itemsize or each.dtype != np.float32 for each in (left, right, result)):
        raise ValueError("rows must lie one feature behind the other, in float32")
    whole = [ctypes.byref(ctypes.c_int(each)) for each in sizes]
    steps = [ctypes.byref(ctypes.c_int(max(each, 1))) for each in long]
    factor, kept = (ctypes.byref(ctypes.c_float(each)) for each in (1.0, float(more)))
    tables = [each.ctypes.data for each in (right, left, result)]
    across, down = ctypes.c_char_p(b"T"), ctypes.c_char_p(b"N")  # columns lie together for it, so all is turned
    _sgemm()(across, down, *whole, factor, tables[0], steps[0], tables[1], steps[1], kept, tables[2], steps[2])
