"""What a node gives: documents and their scores; and how those of many parts are put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.text.index.columns import Numbers

DENSE = 8  # a list that holds one of so many documents is also kept as a whole array of scores


@dataclass(frozen=True, eq=False)
class Matches:
    """Documents, ascending, and their scores; `count` is how many documents there are."""

    docs: Numbers
    scores: NDArray[np.float32]
    count: int

    @classmethod
    def nothing(cls, count: int) -> Matches:
        """No document."""
        return cls(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32), count)

    @classmethod
    def constant(cls, mask: Numbers, score: float) -> Matches:
        """All documents of a mask, with one score."""
        docs = np.flatnonzero(mask)
        return cls(docs, np.full(len(docs), score, dtype=np.float32), len(mask))

    @cached_property
    def whole(self) -> NDArray[np.float32] | None:
        """The score of every document, 0 where it does not match; None where few match."""
        if len(self.docs) * DENSE < self.count:
            return None
        scores = np.zeros(self.count, dtype=np.float32)
        scores[self.docs] = self.scores
        return scores

    @cached_property
    def positive(self) -> bool:
        """Whether a score of 0 means that a document does not match."""
        return bool(self.scores.min(initial=1) > 0)

    @cached_property
    def highest(self) -> float:
        """The best score."""
        return float(self.scores.max(initial=0))

    @property
    def size(self) -> int:
        """Bytes that it takes in memory."""
        return self.docs.nbytes + self.scores.nbytes + (4 * self.count if len(self.docs) * DENSE >= self.count else 0)

    def mask(self) -> Numbers:
        """Whether each document matches."""
        mask = np.zeros(self.count, dtype=bool)
        mask[self.docs] = True
        return mask

    def at(self, docs: Numbers) -> Numbers:
        """The scores of some documents, 0 where they do not match."""
        if self.whole is not None:
            return self.whole[docs]
        places = np.minimum(np.searchsorted(self.docs, docs), max(len(self.docs) - 1, 0))
        if not len(self.docs):
            return np.zeros(len(docs), dtype=np.float32)
        return np.where(self.docs[places] == docs, self.scores[places], np.float32(0))


def total_scores(parts: Iterable[Matches], count: int) -> NDArray[np.float64]:
    """The sum of the scores of each document, in 64 bits."""
    total = np.zeros(count)
    for part in parts:
        if part.whole is not None:
            np.add(total, part.whole, out=total)
        else:
            total[part.docs] += part.scores
    return total


def any_matches(parts: Iterable[Matches], count: int, total: NDArray[np.float64]) -> Numbers:
    """Whether each document matches at least one part."""
    listed = list(parts)
    if all(part.positive for part in listed):
        return total > 0
    mask = np.zeros(count, dtype=bool)
    for part in listed:
        mask[part.docs] = True
    return mask
