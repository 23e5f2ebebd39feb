"""What a random order would show: flat at equal scope, and above the generality at equal recall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve
from rankscope.curves.precision_recall import level_hits
from rankscope.curves.sizes import known_sizes, with_relevant_items
from rankscope.curves.weighting import Weighting, mean_over, units_of
from rankscope.errors import MeasureError
from rankscope.measures.random_level import harmonic
from rankscope.ranks.relevant_ranks import RelevantRanks

TENTHS = tuple(level / 10 for level in range(1, 11))


def random_level(generality: float) -> Curve:
    """The level of curves averaged at equal scope (radial): p = g at every recall."""
    return Curve(x=np.array([0.0, 1.0]), y=np.full(2, generality), name="random", x_name="recall", y_name="precision")


def random_precision_at_hits(relevant: int, collection: int) -> FloatArray:
    """p_0(i): the precision to expect at the i-th hit of a random order, i = 1 to c; its mean is the random AP.

    With h_i(c) = E[1/rank of hit i of c], h_1(c) = f (H_d - H_(c-1)) and h_i(c) = f (1/(i-1) - h_(i-1)(c-1)), where
    f = c/(d-c+1); so it costs c^2 steps, not c d. Where most items are relevant f magnifies rounding: summed there.
    >>> random_precision_at_hits(4, 20).round(6)
    array([0.415154, 0.30606 , 0.267464, 0.248836])
    """
    if not 1 <= relevant <= collection:
        raise MeasureError(f"1 <= relevant <= collection is needed, got {relevant} and {collection}")
    if 2 * relevant > collection:
        return _summed(relevant, collection)
    size = np.arange(1, relevant + 1)
    factor = size / (collection - size + 1.0)
    past = np.concatenate([[0.0], np.cumsum(1.0 / size)])[:-1]
    inverse = factor * (harmonic(collection) - past)  # of the first hit, for classes of each size
    result = np.empty(relevant)
    result[0] = inverse[-1]
    for hit in range(2, relevant + 1):
        inverse = factor[hit - 1 :] * (1.0 / (hit - 1) - inverse[:-1])
        result[hit - 1] = hit * inverse[-1]
    return result


def random_at_recall_levels(
    queries: RelevantRanks, levels: Sequence[float] = TENTHS, weighting: Weighting = "per_query"
) -> Curve:
    """The level of curves averaged at recall levels, not interpolated: mean of p_0 at the hits that reach each level.

    The best precision from a level on (interpolated) lies higher still in a random order.
    """
    queries = with_relevant_items(queries)
    sizes = np.stack([queries.relevant, known_sizes(queries, "the random level at recall levels")], axis=1)
    kinds, kind = np.unique(sizes, axis=0, return_inverse=True)
    tables = [random_precision_at_hits(int(relevant), int(collection)) for relevant, collection in kinds]
    starts = np.concatenate([[0], np.cumsum([table.size for table in tables])])[kind.ravel()]
    flat = np.concatenate([np.empty(0), *tables])
    columns = [flat[starts + level_hits(queries, level) - 1] for level in levels]
    values = np.stack(columns, axis=1) if columns else np.empty((len(queries), 0))
    mean = mean_over(values, units_of(queries, weighting))
    return Curve(
        x=np.asarray(levels, dtype=np.float64),
        y=mean.value,
        name="random",
        x_name="recall",
        y_name="precision",
        queries=mean.queries,
    )


def _summed(relevant: int, collection: int) -> FloatArray:
    """Sum over ranks k of (i/k) C(k-1, i-1) C(d-k, c-i)/C(d, c)."""
    from scipy.special import gammaln

    def log_choose(n: FloatArray, k: FloatArray | float) -> FloatArray:
        return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)

    result = np.empty(relevant)
    whole = log_choose(np.array([float(collection)]), relevant)[0]
    for hit in range(1, relevant + 1):
        rank = np.arange(hit, collection - relevant + hit + 1, dtype=np.float64)
        chance = log_choose(rank - 1, hit - 1.0) + log_choose(collection - rank, float(relevant - hit)) - whole
        result[hit - 1] = hit * (np.exp(chance) / rank).sum()
    return result
