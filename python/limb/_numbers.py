"""Types of arrays."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy
from numpy.typing import ArrayLike

Array: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.floating[Any]]]

__all__ = ["Array", "ArrayLike"]
