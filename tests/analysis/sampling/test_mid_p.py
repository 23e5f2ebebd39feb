"""Mid-p limits of one query: worked values, the definition by brute force, coverage by enumeration."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.sampling.intervals import class_size_limits, class_size_weights, recall_limits, weights_of_cell

STRATA = [(10, 10, 7), (90, 18, 4), (900, 45, 2)]


def test_the_worked_limits() -> None:
    assert class_size_limits(STRATA) == (31, 153)
    assert recall_limits(STRATA[:2], STRATA[2:]) == pytest.approx((0.15625, 0.8), abs=1e-12)


@pytest.mark.parametrize("cell", [(12, 5, 2), (12, 5, 0), (12, 5, 5), (7, 7, 3), (6, 0, 0), (40, 3, 1)])
def test_weights_are_the_steps_of_the_definition(cell: tuple[int, int, int]) -> None:
    size, judged, found = cell
    most = size - judged + found

    def mid(k: int) -> float:
        return float(stats.hypergeom.sf(found, size, k, judged) + stats.hypergeom.pmf(found, size, k, judged) / 2)

    below = [(mid(k) + mid(k + 1)) / 2 if k < most else 1.0 for k in range(found, most + 1)]
    steps = dict(zip(range(found, most + 1), np.diff([0.0, *below]), strict=True))
    weights = weights_of_cell(*cell)
    got = dict(zip(weights.counts.tolist(), weights.weight.tolist(), strict=True))
    assert all(got.get(float(k), 0.0) == pytest.approx(step, abs=1e-9) for k, step in steps.items())


def test_limits_of_recall_are_quantiles_of_all_pairs() -> None:
    inside, outside = [(6, 3, 1), (4, 4, 1)], [(30, 5, 1)]
    a, b = class_size_weights(inside), class_size_weights(outside)
    shares = a.counts[:, None] / np.add.outer(a.counts, b.counts)
    weight = np.multiply.outer(a.weight, b.weight).ravel()
    order = np.argsort(shares.ravel(), kind="stable")
    value, below = shares.ravel()[order], weight[order].cumsum()
    expected = value[np.argmax(below > 0.025)], value[np.argmax(below >= 0.975)]
    assert recall_limits(inside, outside) == pytest.approx(expected, abs=1e-12)


def test_where_nothing_can_be_relevant_there_is_no_recall() -> None:
    assert all(math.isnan(each) for each in recall_limits([(5, 5, 0)], [(9, 9, 0)]))
    assert recall_limits([(5, 5, 0)], [(9, 9, 2)]) == (0.0, 0.0)
    assert recall_limits([(5, 5, 2)], [(9, 9, 0)]) == (1.0, 1.0)


def test_the_class_size_is_held_in_small_strata() -> None:
    """Every outcome of two strata, for every number of relevant items."""
    sizes = [(20, 8), (30, 10)]
    limits = {
        found: class_size_limits([(*cell, r) for cell, r in zip(sizes, found, strict=True)])
        for found in product(range(9), range(11))
    }
    for relevant in product((0, 3, 10), (0, 6, 15)):
        chances = [
            stats.hypergeom.pmf(np.arange(n + 1), size, k, n) for (size, n), k in zip(sizes, relevant, strict=True)
        ]
        held = sum(
            float(chances[0][one] * chances[1][two])
            for (one, two), (low, high) in limits.items()
            if low <= sum(relevant) <= high
        )
        assert held >= 0.92
