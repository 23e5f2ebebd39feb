"""What shards count, and how it adds up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.arrays import IntArray
from rankscope.engines.shards.arrays_form import Arrays, lists_from_arrays, lists_to_arrays
from rankscope.ranks.dense import best_first
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS

ROOM = 2  # times as many distractors as are kept wait before they are merged


@dataclass(frozen=True, eq=False)
class ShardCounts:
    """What shards count for each hit of a block, and the best distractors of each query by number and reference.

    `before` items stand before a hit; `others` have the score of a hit that is the first with it, and `earlier` of
    these stand before it.
    """

    before: IntArray
    others: IntArray
    earlier: IntArray
    best: Ragged | None

    @classmethod
    def none(cls, queries: int, hits: int, keep_scores: bool) -> ShardCounts:
        """Nothing counted yet."""
        zero = np.zeros(hits, dtype=np.int64)
        best = Ragged(np.zeros(queries + 1, np.int64), {"item": zero[:0], "score": np.empty(0)})
        return cls(before=zero, others=zero, earlier=zero, best=best if keep_scores else None)

    @classmethod
    def join(cls, parts: Sequence[ShardCounts]) -> ShardCounts:
        """Of several parts of the queries, one behind the other."""
        best = [part.best for part in parts if part.best is not None]
        columns = ("before", "others", "earlier")
        before, others, earlier = (np.concatenate([getattr(part, name) for part in parts]) for name in columns)
        return cls(before=before, others=others, earlier=earlier, best=Ragged.join(best) if best else None)

    def to_arrays(self) -> Arrays:
        """Arrays by name."""
        plain = {"before": self.before, "others": self.others, "earlier": self.earlier}
        return plain | ({} if self.best is None else lists_to_arrays("best", self.best))

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> ShardCounts:
        """The same again."""
        best = lists_from_arrays("best", arrays) if "best.offsets" in arrays else None
        return cls(before=arrays["before"], others=arrays["others"], earlier=arrays["earlier"], best=best)


def merge_best(several: Sequence[Ragged]) -> Ragged:
    """The best of each query of all these, the earlier item of two equals first.

    >>> one = Ragged(np.array([0, 2]), {"item": np.array([3, 1]), "score": np.array([.9, .5])})
    >>> other = Ragged(np.array([0, 1]), {"item": np.array([0]), "score": np.array([.5])})
    >>> merge_best([one, other]).lists("item")
    [[3, 0, 1]]
    """
    row = np.concatenate([each.row for each in several])
    item, score = (np.concatenate([each[name] for each in several]) for name in ("item", "score"))
    order = np.lexsort((item, row))
    together = Ragged.from_rows(row[order], len(several[0]), item=item[order], score=score[order])
    best = best_first(together)
    return best.where(best.position <= KEPT_DISTRACTORS)


class BlockTotals:
    """The counts of all shards for one block of queries, added one after the other, in any order."""

    def __init__(self) -> None:
        self.counts: ShardCounts | None = None
        self.waiting: list[Ragged] = []  # best distractors that are not merged yet
        self.least = np.empty(0)  # as many others as are kept have at least this score

    def add(self, more: ShardCounts) -> None:
        """The counts of one more shard."""
        known = self.counts
        if known is None:
            self.counts = known = ShardCounts(
                before=more.before.copy(), others=more.others.copy(), earlier=more.earlier.copy(), best=None
            )
        else:
            known.before[:] += more.before
            known.others[:] += more.others
            known.earlier[:] += more.earlier
        if more.best is not None:
            self._add_best(more.best)

    def _add_best(self, best: Ragged) -> None:
        if not self.waiting:
            self.least = np.full(len(best), -np.inf)
        self.waiting.append(best.where(best["score"] >= self.least[best.row]))
        if sum(each.size for each in self.waiting) > ROOM * KEPT_DISTRACTORS * len(best):
            merged = merge_best(self.waiting)
            last = merged.position == KEPT_DISTRACTORS
            self.least[merged.row[last]] = merged["score"][last]
            self.waiting = [merged]

    def result(self) -> ShardCounts:
        """All of them."""
        assert self.counts is not None
        return replace(self.counts, best=merge_best(self.waiting) if self.waiting else None)
