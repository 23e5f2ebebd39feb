"""Limits over queries: scipy's jackknife idea by hand, bounds that hold, and a simulation that would notice pairs."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.analysis.assessors.agreement import cohen_kappa, raw_agreement
from rankscope.analysis.statistics.bootstrap import jackknife_interval
from rankscope.core.arrays import FloatArray


def test_of_a_mean_far_from_its_bounds_it_is_the_t_interval() -> None:
    """A jackknife of a mean is the mean's standard error; atanh is straight where the bounds are far away."""
    from scipy import stats

    values = np.random.default_rng(0).normal(0.3, 1.0, 25)
    sums = np.column_stack([values, np.ones(25)])
    found = jackknife_interval(sums, lambda s: s[..., 0] / s[..., 1], bounds=(-1e6, 1e6))
    expected = stats.t.interval(0.95, 24, values.mean(), stats.sem(values))
    assert found == pytest.approx((values.mean(), *expected), rel=1e-6)


def test_limits_stay_within_the_bounds_and_no_spread_has_none() -> None:
    good = np.array([[[9.0, 1], [0, 10]], [[20, 0], [0, 3]], [[5, 0], [2, 5]]])
    value, low, high = jackknife_interval(good, raw_agreement, bounds=(0.0, 1.0))
    assert 0 < low < value < high < 1
    perfect = np.array([[[9.0, 0], [0, 10]], [[2, 0], [0, 3]]])
    assert np.isnan(jackknife_interval(perfect, raw_agreement, bounds=(0.0, 1.0))[1:]).all()
    assert np.isnan(jackknife_interval(good[:1], raw_agreement)[1:]).all()
    one_bad = np.array([[[9.0, 0], [0, 10]], [[2, 0], [0, 3]], [[5, 3], [0, 5]]])
    value, low, high = jackknife_interval(one_bad, raw_agreement, bounds=(0.0, 1.0))
    assert low < value < high == 1.0


def test_queries_without_pairs_are_no_units() -> None:
    tables = np.array([[[9.0, 1], [3, 10]], [[20, 2], [0, 3]], [[5, 0], [2, 5]]])
    more = np.concatenate([tables, np.zeros((4, 2, 2))])
    assert jackknife_interval(more, cohen_kappa) == jackknife_interval(tables, cohen_kappa)


def tables(chance: np.random.Generator, queries: int) -> FloatArray:
    """Queries that differ in how many items are relevant and in how well two assessors know."""
    relevant = chance.binomial(20, chance.beta(0.6, 2.4, queries))
    miss, alarm = chance.beta(1.5, 6, (2, queries)), chance.beta(1, 12, (2, queries))
    found = np.zeros((queries, 4))
    for count, (one, other) in ((relevant, 1 - miss), (20 - relevant, alarm)):
        shares = np.stack([(1 - one) * (1 - other), (1 - one) * other, one * (1 - other), one * other], axis=1)
        found += chance.multinomial(count, shares)
    return found.reshape(queries, 2, 2)


def test_kappa_of_ten_queries_lies_within_its_limits_about_as_often_as_promised() -> None:
    """Drawing pairs, not queries, would hold .75 here; the band is three standard errors of 300 trials around .937."""
    chance = np.random.default_rng(4)
    truth = float(cohen_kappa(tables(chance, 100_000).sum(axis=0)))
    found = [jackknife_interval(tables(chance, 10), cohen_kappa) for _ in range(300)]
    assert 0.895 < np.mean([low <= truth <= high for _, low, high in found]) < 0.98
