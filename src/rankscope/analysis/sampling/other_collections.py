"""The same runs on other collections: some of the items that are not relevant are left out, drawn at random.

An item that is drawn is left out of every ranking, but stays where it is relevant: the collection loses distractors, as
in the exact means of `rankscope.analysis.curves.thinning`, and nothing is ranked again. Half of the items left out
makes values vary as much from draw to draw as they would from one whole collection to another (delete-half jackknife,
Shao & Wu 1989). It holds, as there, where the score of an item does not depend on which others are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.measures.evaluation.scores import Scores
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class ListedItems:
    """The items of one run as numbers, query by query from rank 1 on, next to its reduction."""

    ranks: RelevantRanks
    item: IntArray
    start: IntArray  # of each query

    def without(self, gone: BoolArray) -> RelevantRanks:
        """The reduction where the items so marked, by number, are left out; relevant ones stay."""
        ranks = self.ranks
        places, lost = self._places(ranks.judged), gone[self.item]
        lost[places[ranks.judged["grade"] >= ranks.rel]] = False
        before = np.concatenate([[0], np.cumsum(lost)])
        lengths = np.diff(np.append(self.start, self.item.size))
        judged, pooled = (self._moved(each, lost, before) for each in (ranks.judged, ranks.pooled))
        return replace(
            ranks,
            judged=judged,
            pooled=pooled,
            depth=ranks.depth - (before[self.start + lengths] - before[self.start]),
            ties=Ragged.empty(len(ranks), "start", "size"),
            distractors=None,
        )

    def _places(self, items: Ragged) -> IntArray:
        return np.asarray(self.start[items.row] + items["rank"].astype(np.int64) - 1)

    def _moved(self, items: Ragged, lost: BoolArray, before: IntArray) -> Ragged:
        """Those that are left, each as many ranks higher as items above it are lost."""
        places = self._places(items)
        above = before[places] - before[self.start[items.row]]
        return items.with_columns(rank=items["rank"] - above).where(~lost[places])


@dataclass(frozen=True, eq=False)
class ThinnedRuns:
    """The runs behind some scores, item by item, and how many different items they name."""

    scores: Scores
    runs: tuple[ListedItems, ...]
    items: int

    @classmethod
    def of(cls, scores: Scores, rankings: Mapping[str, pl.DataFrame]) -> ThinnedRuns:
        """From tables (query, item, rank) of the systems; lists that were shortened before are refused."""
        import polars as pl

        every = pl.concat([rankings[each.name].select("item") for each in scores.systems]).unique().sort("item")
        numbers = every.with_row_index("number")
        listed = tuple(_listed(each.ranks, rankings[each.name], numbers) for each in scores.systems)
        return cls(scores, listed, len(every))

    def draws(self, left_out: float, draws: int, seed: int = 0) -> Iterator[ScoreTable]:
        """Values of the first measure on so many other collections, each without such a share of its items."""
        chance = np.random.default_rng(seed)
        count = round(left_out * self.items)
        for _ in range(draws):
            gone = np.zeros(self.items, dtype=np.bool_)
            gone[chance.choice(self.items, count, replace=False)] = True
            thinned = [each.without(gone) for each in self.runs]
            yield ScoreTable.of(evaluate_ranks(thinned, list(self.scores.measures[:1]), self.scores.settings))


def _listed(ranks: RelevantRanks, ranking: pl.DataFrame, numbers: pl.DataFrame) -> ListedItems:
    import polars as pl

    order = pl.DataFrame({"query": list(ranks.queries)}, schema={"query": pl.String}).with_row_index("place")
    own = ranking.join(order, on="query").join(numbers, on="item").sort("place", "rank")
    lengths = np.bincount(own.get_column("place").to_numpy(), minlength=len(ranks)).astype(np.int64)
    if (lengths != ranks.depth).any():
        raise SettingError(
            f"{ranks.system}: items were removed from its lists (junk, depth, judged-only), which other collections do "
            "not allow: leave that out"
        )
    return ListedItems(ranks, own.get_column("number").to_numpy().astype(np.int64), np.cumsum(lengths) - lengths)
