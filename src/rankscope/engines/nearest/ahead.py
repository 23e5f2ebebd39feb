"""Scores of the next block, made by another thread while this one counts.

A matrix product leaves Python's lock alone, and counting holds it most of the time: side by side they keep two cores
busy.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.engines.nearest.products import ProductSpace
from rankscope.engines.nearest.space import Space


@dataclass
class _Begun:
    queries: IntArray
    items: slice
    level: int
    scores: Future[NDArray[Any]]


class Ahead:
    """At most one product is under way."""

    def __init__(self, space: Space) -> None:
        self.space = space if isinstance(space, ProductSpace) and not space.exact else None
        self._pool: ThreadPoolExecutor | None = None
        self._begun: _Begun | None = None

    def begin(self, queries: IntArray, items: slice, level: int) -> None:
        """Start on scores that will be asked for."""
        if self.space is None:
            return
        self._pool = self._pool or ThreadPoolExecutor(1)
        self._begun = _Begun(queries, items, level, self._pool.submit(self.space.lasting, queries, items, level))

    def take(self, queries: IntArray, items: slice, level: int) -> NDArray[Any] | None:
        """The scores, if they were begun; they last until the block after this one is taken."""
        begun, self._begun = self._begun, None
        if begun is None or begun.queries is not queries:
            return None
        scores = begun.scores.result()
        return scores if (begun.items, begun.level) == (items, level) else None

    def close(self) -> None:
        """No more products are wanted."""
        self._begun = None
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
