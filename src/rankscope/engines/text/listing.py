"""Which documents a ranking lists: those that match, perhaps only the best of them, perhaps all others behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.ordering import best_first

Unmatched = Literal["missing", "last"]


@dataclass(frozen=True, eq=False)
class Listing:
    """The scores of all documents, which of them match and are listed, and which follow behind them as one group."""

    scores: NDArray[np.float32]
    listed: Numbers
    behind: Numbers | None = None

    @classmethod
    def of(
        cls,
        scores: NDArray[np.float32],
        matched: Numbers,
        there: Numbers,
        depth: int | None = None,
        unmatched: Unmatched = "missing",
    ) -> Listing:
        """From scores, which documents match, and which are there at all.

        Those that score the same as the last of the first `depth` are listed too, so that every rule for ties can be
        applied to the list.
        """
        listed = matched & there
        values = scores[listed]
        if depth is not None and depth < len(values):
            listed = listed & (scores >= np.partition(values, len(values) - depth)[len(values) - depth])
        return cls(scores, listed, there & ~matched if unmatched == "last" else None)

    @property
    def last_score(self) -> np.float32:
        """What the documents behind all others score: 0, or less than any match."""
        lowest = self.scores[self.listed].min(initial=np.float32(np.inf))
        return np.float32(0) if lowest > 0 else np.float32(lowest - 1)

    def in_order(self) -> tuple[Numbers, NDArray[np.float32]]:
        """The documents, the best first and equal ones in the order of the index, with their scores."""
        docs = np.flatnonzero(self.listed)
        docs = docs[best_first(self.scores[docs])]
        scores = self.scores[docs]
        if self.behind is None:
            return docs, scores
        last = np.flatnonzero(self.behind)
        return np.concatenate([docs, last]), np.concatenate([scores, np.full(len(last), self.last_score)])

    def scores_at(self, docs: Numbers) -> FloatArray:
        """The scores of listed documents as a run has them."""
        if self.behind is None:
            return as_written(self.scores[docs])
        return as_written(np.where(self.behind[docs], self.last_score, self.scores[docs]))

    def __len__(self) -> int:
        return int(np.count_nonzero(self.listed)) + (0 if self.behind is None else int(np.count_nonzero(self.behind)))


def as_written(scores: NDArray[np.float32]) -> FloatArray:
    """Scores as a run has them: the shortest decimals of their 32 bits, so that equal ones stay equal.

    >>> as_written(np.array([0.1], dtype=np.float32)).tolist()
    [0.1]
    """
    import polars as pl

    return pl.Series(scores, dtype=pl.Float32).cast(pl.String).cast(pl.Float64).to_numpy()
