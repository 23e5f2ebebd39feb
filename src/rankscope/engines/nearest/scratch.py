"""Memory that is used again."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Scratch(threading.local):
    """Memory that a thread uses again and again: fresh memory for each block costs a tenth of the time.

    With two `places` an array lasts until the one after the next.
    """

    places = 1

    def __init__(self) -> None:
        self.memory: list[NDArray[Any]] = []

    def array(self, shape: tuple[int, int], kind: Any) -> NDArray[Any]:
        """An array whose values are of no meaning; a later one overwrites it."""
        size = shape[0] * shape[1]
        if len(self.memory) >= self.places:
            mine = self.memory.pop(0)
            if mine.dtype != kind or mine.size < size:
                mine = np.empty(size, dtype=kind)
        else:
            mine = np.empty(size, dtype=kind)
        self.memory.append(mine)
        return mine[:size].reshape(shape)
