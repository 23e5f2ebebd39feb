"""Other collections: a band of how far a curve would move with other items, and the same runs without some items.

The queries stay the same; a band over queries is `band`. For a band every item of the collection is drawn as often as
a
Poisson number of mean 1 says, at once for all queries (the Poisson bootstrap); an item that was drawn twice stands
twice in every ranking. The band is that of percentiles, for the whole curve: at each level the k-th smallest and the
k-th largest value, with k so that 95 % of the curves lie within at all levels (Mandel & Betensky 2008).

For the same runs some of the items that are not relevant are left out, drawn at random. An item that is drawn is left
out of every ranking, but stays where it is relevant: the collection loses distractors, as in the exact means of
`rankscope.analysis.curves.thinning`, and nothing is ranked again. Half of the items left out makes values vary as
much
from draw to draw as they would from one whole collection to another (delete-half jackknife, Shao & Wu 1989). It
holds,
as there, where the score of an item does not depend on which others are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.measures.evaluation.scores import Scores
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks

if TYPE_CHECKING:
    import polars as pl


RESAMPLES = 1000
AT_ONCE = 1 << 23  # numbers in memory
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class CollectionBand:
    """Precision at recall levels: the curve of the collection as it is, and what other collections would give."""

    levels: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    error: FloatArray  # standard deviation over the draws
    resamples: int

    def rows(self) -> list[dict[str, object]]:
        columns = (self.levels, self.mean, self.low, self.high, self.error)
        names = ("recall", "precision", "low", "high", "error")
        return [dict(zip(names, row, strict=True)) for row in zip(*map(np.ndarray.tolist, columns), strict=True)]


def collection_band(
    order: IntArray,
    relevant: BoolArray,
    points: int = 10,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> CollectionBand:
    """The band of the mean curve of some queries.

    `order`: queries x places, the items of each ranking from the best on; -1 behind the last. `relevant`: queries x
    items. Relevant items that are not ranked are never found.
    """
    if order.ndim != 2 or relevant.ndim != 2 or len(order) != len(relevant) or not len(order):
        raise SettingError("a band over the collection needs one ranking and one row of relevant items for each query")
    items = relevant.shape[1]
    chance = np.random.default_rng(seed)
    step = max(1, AT_ONCE // (items * max(1, points)))
    levels = np.linspace(0.0, 1.0, points)
    parts = []
    for start in range(0, resamples, step):
        drawn = chance.poisson(1.0, (min(step, resamples - start), items)).astype(np.float64)
        parts.append(mean_curves(order, relevant, drawn, levels))
    curves = np.concatenate(parts)
    curves = curves[~np.isnan(curves).any(axis=1)]
    low, high = simultaneous_percentiles(curves, level)
    mean = mean_curves(order, relevant, np.ones((1, items)), levels)[0]
    return CollectionBand(
        levels=levels, mean=mean, low=low, high=high, error=curves.std(axis=0, ddof=1), resamples=len(curves)
    )


def mean_curves(order: IntArray, relevant: BoolArray, drawn: FloatArray, levels: FloatArray) -> FloatArray:
    """Draws x levels: mean precision over the queries of which anything relevant was drawn."""
    total = np.zeros((len(drawn), levels.size))
    count = np.zeros(len(drawn))
    for ranking, wanted in zip(order, relevant, strict=True):
        curve = weighted_curve(ranking[ranking >= 0], wanted, drawn, levels)
        there = ~np.isnan(curve[:, 0])
        total[there] += curve[there]
        count += there
    with np.errstate(invalid="ignore", divide="ignore"):
        result: FloatArray = total / count[:, None]
    return result


def weighted_curve(ranking: IntArray, wanted: BoolArray, drawn: FloatArray, levels: FloatArray) -> FloatArray:
    """Draws x levels: precision of one ranking whose items stand there as often as drawn; NaN where no hit was drawn.

    Knots at the last copy of each hit, linear between them, level before the first; what is not ranked is found
    nowhere, at precision 0.
    >>> wanted, levels = np.array([True, False, True]), np.array([0.5, 1.0])
    >>> weighted_curve(np.array([0, 1, 2]), wanted, np.ones((1, 3)), levels).round(6).tolist()
    [[1.0, 0.666667]]
    """
    places = np.flatnonzero(wanted[ranking])
    missing = np.setdiff1d(np.flatnonzero(wanted), ranking)
    found = np.cumsum(drawn[:, ranking[places]], axis=1)
    depth = np.cumsum(drawn[:, ranking], axis=1)[:, places]
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(depth > 0, found / depth, 0.0)
        later = (found[:, -1:] if places.size else 0.0) + np.cumsum(drawn[:, missing], axis=1)
        hits = np.hstack([found, later])
        recall = hits / hits[:, -1:] if hits.shape[1] else np.full((len(drawn), 1), np.nan)
    precision = np.hstack([precision, np.zeros((len(drawn), missing.size))])
    return _interpolated(recall, precision, levels)


def _interpolated(recall: FloatArray, precision: FloatArray, levels: FloatArray) -> FloatArray:
    """Linear between knots of rising recall, row by row; before the first knot its own precision."""
    reached = recall[:, None, :] >= levels[None, :, None] - SLACK
    reached &= recall[:, None, :] > 0  # a hit that was not drawn is no knot
    right = reached.argmax(axis=2)
    row = np.arange(len(recall))[:, None]
    high, top = recall[row, right], precision[row, right]
    before = np.where(recall[:, None, :] < high[:, :, None], recall[:, None, :], -1.0).argmax(axis=2)
    low, base = recall[row, before], precision[row, before]
    first = ~((low < high) & (low > 0))
    share = np.where(first, 1.0, (levels - low) / np.where(high > low, high - low, 1.0))
    curve = np.where(first, top, base + share * (top - base))
    return np.where(np.isnan(recall[:, -1:]), np.nan, curve)


def simultaneous_percentiles(curves: FloatArray, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Limits within which this share of the curves lies at every level.

    >>> low, high = simultaneous_percentiles(np.arange(100.0)[:, None])
    >>> low.tolist(), high.tolist()
    ([2.0], [97.0])
    """
    from scipy.stats import rankdata

    count = len(curves)
    below = rankdata(curves, method="max", axis=0)
    above = count + 1 - rankdata(curves, method="min", axis=0)
    depth = np.maximum(below, above).max(axis=1)
    k = int(np.quantile(depth, level, method="inverted_cdf"))
    ordered = np.sort(curves, axis=0)
    return ordered[count - k], ordered[k - 1]


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
