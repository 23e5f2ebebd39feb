"""Sums of tails against the slow form: one element at a time, every ratio written out, nothing left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.curves.distributions import (
    NEGLIGIBLE,
    UNSEEN,
    BetaBinomial,
    Binomial,
    Counts,
    Hypergeometric,
    at_most,
    far_above,
    mean_of,
    tail_sums,
)
from rankscope.analysis.curves.generality import generality_table
from rankscope.analysis.curves.hits import hits_of
from rankscope.analysis.curves.thinning import recall_when_kept
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.ranks import RelevantRanks

Ratio = Callable[[float, int], float]  # of a count and a step: the probability of the next count over this one's


def ratio_of(counts: Counts, number: int) -> Ratio:
    """The ratio of neighbours of one element, as its definition says."""
    if isinstance(counts, Hypergeometric):
        e, b, m = (float(each[number]) for each in (counts.population, counts.marked, counts.drawn))
        return lambda k, step: (
            (b - k) * (m - k) / ((k + 1) * (e - b - m + k + 1))
            if step > 0
            else k * (e - b - m + k) / ((b - k + 1) * (m - k + 1))
        )
    if isinstance(counts, Binomial):
        n, p = float(counts.trials[number]), float(counts.chance[number])
        return lambda k, step: (n - k) * p / ((k + 1) * (1 - p)) if step > 0 else k * (1 - p) / ((n - k + 1) * p)
    assert isinstance(counts, BetaBinomial)
    n, x, y = (float(each[number]) for each in (counts.trials, counts.wins, counts.losses))
    return lambda k, step: (
        (n - k) * (x + k) / ((k + 1) * (y + n - k - 1)) if step > 0 else k * (y + n - k) / ((n - k + 1) * (x + k - 1))
    )


def slow_sum(counts: Counts, number: int, start: float, step: int, weight: Callable[[float], float]) -> float:
    """Term after term from the first on, until one no longer matters or there is none."""
    ratio = ratio_of(counts, number)
    first = float(np.exp(counts.take(np.array([number])).log_probability(np.array([start]))[0]))
    least, most = float(counts.least[number]), float(counts.most[number])
    term, count, total = first, start, 0.0
    while True:
        total += term * weight(count)
        if not least <= count + step <= most:
            return total
        term *= ratio(count, step)
        count += step
        if not term > NEGLIGIBLE * first:
            return total


def slow_at_most(counts: Counts, limit: FloatArray) -> FloatArray:
    """P(count <= limit), each by itself: the shorter tail, summed."""
    result = []
    for number, end in enumerate(limit.tolist()):
        if end >= counts.most[number] or end < counts.least[number]:
            result.append(float(end >= counts.most[number]))
        elif end < counts.mean[number]:
            result.append(slow_sum(counts, number, end, -1, lambda _count: 1.0))
        else:
            result.append(1.0 - slow_sum(counts, number, end + 1, +1, lambda _count: 1.0))
    return np.clip(np.array(result), 0.0, 1.0)


def slow_mean(counts: Counts, place: FloatArray) -> FloatArray:
    """The mean of 1 / (place + count), each by itself."""
    result = []
    for number, at in enumerate(place.tolist()):
        middle = float(np.clip(np.floor(counts.mean[number]), counts.least[number], counts.most[number]))
        value = slow_sum(counts, number, middle, -1, lambda count, at=at: 1.0 / (at + count))  # type: ignore[misc]
        if middle < counts.most[number]:
            value += slow_sum(counts, number, middle + 1, +1, lambda count, at=at: 1.0 / (at + count))  # type: ignore[misc]
        result.append(value)
    return np.array(result)


def drawn_counts(size: int, largest: int) -> list[Counts]:
    random = np.random.default_rng(7)
    e = random.integers(1, largest, size).astype(np.float64)
    b, m = np.floor(e * random.random(size) ** 3), np.floor(e * random.random(size))
    return [
        Hypergeometric(e, b, m),
        Binomial(e, np.clip(random.random(size) ** 4, 1e-9, 1 - 1e-9)),
        BetaBinomial(m, b + 0.5, e - b + 0.5),
    ]


NAMES = ["hypergeometric", "binomial", "beta-binomial"]


@pytest.mark.parametrize("counts", drawn_counts(400, 5000), ids=NAMES)
@pytest.mark.parametrize("away", [2.0, 12.0], ids=["near the mean", "far out"])
def test_chances_are_those_of_the_slow_sums_bit_for_bit(counts: Counts, away: float) -> None:
    """But for chances too small to be seen: those are about what they were."""
    random = np.random.default_rng(3)
    limit = np.floor(counts.mean + away * np.sqrt(counts.mean + 1) * random.normal(size=counts.mean.size))
    fast, slow = at_most(counts, limit), slow_at_most(counts, limit)
    seen = slow >= UNSEEN
    np.testing.assert_array_equal(fast[seen], slow[seen])
    assert (np.abs(fast - slow) < UNSEEN).all()
    assert ((fast > 0) == (slow > 0)).all()


@pytest.mark.parametrize("counts", drawn_counts(300, 3000), ids=NAMES)
def test_weighted_means_are_those_of_the_slow_sums_bit_for_bit(counts: Counts) -> None:
    place = np.random.default_rng(4).integers(1, 30, counts.mean.size).astype(np.float64)
    fast = mean_of(counts, lambda rank: 1.0 / rank, place, np.full(place.size, np.inf))
    np.testing.assert_array_equal(fast, slow_mean(counts, place))


def test_a_tail_of_many_tiny_terms_is_summed() -> None:
    """Thousands of terms below what can be seen: what counts is their sum, not the first of them."""
    wide = Binomial(np.array([4e6]), np.array([0.5]))
    start = wide.mean + 8000.0  # eight standard deviations
    first = np.exp(wide.log_probability(start))
    assert first[0] < UNSEEN
    expected = stats.binom.sf(start - 1, 4_000_000, 0.5)
    np.testing.assert_allclose(tail_sums(first, wide.ratios(start, +1)), expected, rtol=1e-6)
    assert expected[0] > 50 * UNSEEN


def queries_of_many_classes() -> RelevantRanks:
    random = np.random.default_rng(5)
    sizes = random.integers(1, 12, 80)
    ranks = [np.sort(random.choice(700, size, replace=False)) + 1 for size in sizes.tolist()]
    return RelevantRanks.from_ranks(ranks, relevant=sizes + (np.arange(80) % 3 == 0), depth=700, collection=1000)


@pytest.mark.parametrize("n", [1.0, 0.5, 2.0])
def test_each_level_has_the_values_of_the_queries_that_reach_it_taken_alone(n: float) -> None:
    queries = queries_of_many_classes()
    table = generality_table(queries, n, levels=range(1, 10), members="varying")
    for column, level in enumerate(range(1, 10)):
        kept: IntArray = queries.relevant * (2**level - 1)
        rows = np.flatnonzero(kept <= queries.collection - queries.relevant)
        alone = recall_when_kept(hits_of(queries.take(rows)), kept[rows], n)
        np.testing.assert_array_equal(table.low[rows, column], alone.low)
        np.testing.assert_array_equal(table.high[rows, column], alone.high)
        np.testing.assert_array_equal(table.variance[rows, column], alone.variance)
        assert np.isnan(np.delete(table.low[:, column], rows)).all()


@pytest.mark.parametrize("counts", drawn_counts(400, 5000)[:2], ids=NAMES[:2])
def test_what_hardly_exceeds_a_count_has_a_tail_that_is_not_seen(counts: Counts) -> None:
    random = np.random.default_rng(11)
    count = np.floor(counts.mean + 10 * np.sqrt(counts.mean + 1) * random.random(counts.mean.size))
    beyond = (
        stats.hypergeom.sf(count, counts.population, counts.marked, counts.drawn)
        if isinstance(counts, Hypergeometric)
        else stats.binom.sf(count, counts.trials, counts.chance)  # type: ignore[attr-defined]
    )
    certain = counts.hardly_exceeds(count)
    assert (beyond[certain] < UNSEEN).all()
    assert (certain & (count < counts.most)).any()
    assert not counts.hardly_exceeds(counts.mean - 1.0).any()


def test_a_chance_that_may_be_any_is_never_certain() -> None:
    wide, count = BetaBinomial(np.array([1000.0]), np.array([0.5]), np.array([20.0])), np.array([300.0])
    assert far_above(wide.mean, count).all()
    assert not wide.hardly_exceeds(count).any()
    assert at_most(wide, count)[0] == pytest.approx(stats.betabinom.cdf(300, 1000, 0.5, 20.0), rel=1e-9)
    assert at_most(wide, count)[0] < 1.0
