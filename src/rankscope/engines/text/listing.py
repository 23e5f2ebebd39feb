"""Which documents a ranking lists: those that match, perhaps only the best of them, perhaps all others behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.ordering import best_first, best_places

Unmatched = Literal["missing", "last"]


@dataclass(frozen=True, eq=False)
class Listing:
    """Documents that match with their scores, ascending by number, and those that follow behind them as one group."""

    docs: Numbers
    scores: NDArray[np.float32]
    behind: Numbers

    @classmethod
    def of(
        cls,
        scores: NDArray[np.float32],
        matched: Numbers,
        there: Numbers | None,
        depth: int | None = None,
        unmatched: Unmatched = "missing",
    ) -> Listing:
        """From the scores of all documents, which of them match, and which are there at all; None: all are.

        Those that score the same as the last of the first `depth` are listed too, so that every rule for ties can be
        applied to the list.
        >>> scores = np.array([3, 1, 2, 2, 0], dtype=np.float32)
        >>> Listing.of(scores, scores > 0, None, depth=2).docs.tolist()
        [0, 2, 3]
        """
        docs = np.flatnonzero(matched if there is None else matched & there)
        found = scores[docs]
        if depth is not None and depth < len(docs):
            kept = found >= np.partition(found, len(docs) - depth)[len(docs) - depth]
            docs, found = docs[kept], found[kept]
        rest = ~matched if there is None else there & ~matched
        return cls(docs, found, np.flatnonzero(rest) if unmatched == "last" else docs[:0])

    @property
    def last_score(self) -> np.float32:
        """What the documents behind all others score: 0, or less than any match."""
        lowest = self.scores.min(initial=np.float32(np.inf))
        return np.float32(0) if lowest > 0 else np.float32(lowest - 1)

    def __len__(self) -> int:
        return len(self.docs) + len(self.behind)

    def in_order(self, limit: int | None = None) -> tuple[Numbers, NDArray[np.float32]]:
        """The documents, the best first and equal ones in the order of the index, with their scores."""
        places = np.arange(len(self.docs)) if limit is None else best_places(self.scores, limit)
        places = places[best_first(self.scores[places])]
        docs = np.concatenate([self.docs[places], self.behind])
        last = np.full(len(self.behind), self.last_score)
        return docs[:limit], np.concatenate([self.scores[places], last])[:limit]


def as_written(scores: NDArray[np.float32]) -> FloatArray:
    """Scores as a run has them: the shortest decimals of their 32 bits, so that equal ones stay equal.

    >>> as_written(np.array([0.1], dtype=np.float32)).tolist()
    [0.1]
    """
    import polars as pl

    return pl.Series(scores, dtype=pl.Float32).cast(pl.String).cast(pl.Float64).to_numpy()
