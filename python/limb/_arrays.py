"""Numbers of objects that the extension cannot read where they are."""

from __future__ import annotations

from typing import Any

import numpy


def as_double(value: Any, function: str, name: str) -> numpy.ndarray[Any, numpy.dtype[numpy.float64]]:
    """A float64 array with the numbers of a list, of integers, of a tensor. TypeError if there are none."""
    try:
        if hasattr(value, "__dlpack__") and not isinstance(value, numpy.ndarray):
            array = numpy.from_dlpack(value)
        else:
            array = numpy.asarray(value)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise TypeError(f"{function}(): {name} is not an array of numbers: {error}") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{function}(): {name} has numbers of type {array.dtype}, expected float64 or float32")
    return numpy.ascontiguousarray(array, dtype=numpy.float64).reshape(array.shape)
