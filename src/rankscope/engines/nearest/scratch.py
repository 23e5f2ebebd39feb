"""Memory that is used again."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Scratch(threading.local):
    """Memory that a thread uses again and again: fresh memory for each block costs a tenth of the time."""

    def __init__(self) -> None:
        self.memory: NDArray[Any] = np.empty(0)

    def array(self, shape: tuple[int, int], kind: Any) -> NDArray[Any]:
        """An array whose values are of no meaning; the next one overwrites it."""
        size = shape[0] * shape[1]
        if self.memory.dtype != kind or self.memory.size < size:
            self.memory = np.empty(size, dtype=kind)
        return self.memory[:size].reshape(shape)
