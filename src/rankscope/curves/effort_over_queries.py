"""What users of a system look at for a wanted recall, over all its queries; and their decision tables added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.precision_recall import level_hits
from rankscope.curves.sizes import with_relevant_items
from rankscope.measures.quadruple import Contingency
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks

RECALLS = (0.1, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class EffortOverQueries:
    """Medians over queries at each recall; a query that never reaches it counts as an infinite window."""

    system: str
    queries: int
    recalls: tuple[float, ...]
    reached: FloatArray  # share of the queries
    window: FloatArray
    relevant_scope: FloatArray  # the window over the class size, which queries of all sizes share
    cost: FloatArray  # items for each hit since the recall before

    def rows(self) -> list[dict[str, object]]:
        """One row for each recall."""
        shown = zip(self.recalls, self.reached, self.window, self.relevant_scope, self.cost, strict=True)
        return [
            {
                "system": self.system,
                "recall": recall,
                "reached by": float(reached),
                "median window": _finite(window),
                "median s/c": _finite(scope),
                "median items per further hit": _finite(cost),
            }
            for recall, reached, window, scope, cost in shown
        ]


def windows(queries: RelevantRanks, recalls: Sequence[float] = RECALLS) -> FloatArray:
    """Queries x recalls: the scope that holds ceil(r c) relevant items; infinite where the ranking ends before.

    >>> windows(RelevantRanks.from_ranks([[1, 3, 10], [2]], relevant=[4, 1]), [0.5, 1.0])
    array([[ 3., inf],
           [ 2.,  2.]])
    """
    columns = [_rank_of_hit(queries, level_hits(queries, level)) for level in recalls]
    return np.stack(columns, axis=1) if columns else np.empty((len(queries), 0))


def median_effort(queries: RelevantRanks, recalls: Sequence[float] = RECALLS) -> EffortOverQueries:
    """Windows of all queries that have a relevant item.

    >>> done = median_effort(RelevantRanks.from_ranks([[1, 4], [2, 3], [1]], relevant=[2, 2, 2]), [0.5, 1])
    >>> done.reached.round(3), done.window, done.cost
    (array([1.   , 0.667]), array([1., 4.]), array([1., 3.]))
    """
    there = with_relevant_items(queries)
    window = windows(there, recalls)
    hits = np.stack([level_hits(there, level) for level in recalls], axis=1)
    return EffortOverQueries(
        system=queries.system,
        queries=len(there),
        recalls=tuple(recalls),
        reached=np.isfinite(window).mean(axis=0),
        window=np.median(window, axis=0),
        relevant_scope=np.median(window / there.relevant[:, None], axis=0),
        cost=_median_cost(window, hits),
    )


def pooled_contingency(queries: RelevantRanks) -> Contingency | None:
    """The decision tables of all queries at scope s = c added up; None where the collection is not known.

    A ranking that ends before c counts what it has found.
    >>> pooled_contingency(RelevantRanks.from_ranks([[1, 4], [1]], relevant=[2, 1], collection=[10, 10]))
    Contingency(true_positives=2, false_positives=1, false_negatives=1, true_negatives=16)
    """
    there = with_relevant_items(queries)
    if not len(there) or (there.collection == UNKNOWN).any():
        return None
    hits, relevant, items = (int(each.sum()) for each in (there.hits(there.relevant), there.relevant, there.collection))
    return Contingency(
        true_positives=hits,
        false_positives=relevant - hits,
        false_negatives=relevant - hits,
        true_negatives=items - 2 * relevant + hits,
    )


def _rank_of_hit(queries: RelevantRanks, hits: IntArray) -> FloatArray:
    there = queries.position == hits[queries.row]
    rank = np.full(len(queries), np.inf)
    rank[queries.row[there]] = queries.ranks[there]
    return rank


def _median_cost(window: FloatArray, hits: IntArray) -> FloatArray:
    """The median over queries for which the recall takes further hits; NaN where it takes none in any."""
    further = np.diff(hits, axis=1, prepend=0)
    with np.errstate(invalid="ignore"):
        items = np.diff(window, axis=1, prepend=0.0)
    medians = []
    for column in range(window.shape[1]):
        some = further[:, column] > 0
        cost = np.where(np.isfinite(items[some, column]), items[some, column], np.inf) / further[some, column]
        medians.append(float(np.median(cost)) if cost.size else float("nan"))
    return np.array(medians)


def _finite(value: float) -> float:
    return float(value) if np.isfinite(value) else float("nan")
