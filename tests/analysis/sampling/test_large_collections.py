"""Estimates for collections of any size: exact chances in closed form, no memory that grows with them."""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.curves.distributions import LARGE, Hypergeometric, log_binomial, log_hypergeometric
from rankscope.analysis.sampling.estimate import estimate, needed_sample
from rankscope.analysis.statistics.proportions import _chance_of_at_most, _Chances, hypergeometric
from rankscope.core.errors import SettingError


def exact(population: int, relevant: int, judged: int, found: int) -> Fraction:
    """In whole numbers."""
    ways = sum(
        math.comb(relevant, count) * math.comb(population - relevant, judged - count)
        for count in range(max(0, judged + relevant - population), found + 1)
    )
    return Fraction(ways, math.comb(population, judged))


@pytest.mark.parametrize("population", [5, 40, 300, 3000, pytest.param(9000, marks=pytest.mark.thorough)])
def test_chances_equal_those_of_whole_numbers(population: int) -> None:
    chance = np.random.default_rng(population)
    for _ in range(12):
        relevant, judged = chance.integers(0, population + 1, size=2).tolist()
        mean = judged * relevant / population
        found = min(judged, max(0, round(mean + chance.normal(0, 2) * math.sqrt(mean + 1))))
        wanted = float(exact(population, relevant, judged, found)) if found >= judged + relevant - population else 0.0
        assert _chance_of_at_most(population, relevant, judged, found) == pytest.approx(wanted, rel=1e-12, abs=1e-290)


@pytest.mark.parametrize("population", [10**5, 10**7, 10**9])
def test_single_chances_agree_with_scipy(population: int) -> None:
    judged, relevant = population // 7, population // 90
    mean = judged * relevant // population
    counts = mean + np.arange(-50, 51, 10)
    sizes = (np.full(counts.size, float(each)) for each in (population, relevant, judged))
    found = log_hypergeometric(counts.astype(float), *sizes)
    np.testing.assert_allclose(
        np.diff(found), np.diff(stats.hypergeom.logpmf(counts, population, relevant, judged)), atol=1e-4
    )
    whole = np.arange(0, judged // 8) if population == 10**5 else mean + np.arange(-60000, 60000)
    sizes = (np.full(whole.size, float(each)) for each in (population, relevant, judged))
    assert np.exp(log_hypergeometric(whole.astype(float), *sizes)).sum() == pytest.approx(1, abs=1e-11)


def test_the_table_and_the_closed_form_agree_where_both_are() -> None:
    population = LARGE - 1.0
    sizes = [np.full(5, each) for each in (population, population // 3, 5000.0)]
    counts = np.array([1500.0, 1600, 1667, 1700, 1800])
    np.testing.assert_allclose(
        Hypergeometric(*sizes).log_probability(counts), log_hypergeometric(counts, *sizes), atol=1e-6
    )


def test_binomial_chances_at_the_edges_are_exact() -> None:
    count, trials = np.array([0.0, 5, 0, 2]), np.array([5.0, 5, 0, 5])
    found = np.exp(log_binomial(count, trials, np.full(4, 0.25), np.full(4, 0.75)))
    np.testing.assert_allclose(found, stats.binom.pmf(count, trials, 0.25), rtol=1e-14)
    certain = log_binomial(np.array([3.0, 2.0]), np.full(2, 3.0), np.ones(2), np.zeros(2))
    assert certain.tolist() == [0.0, -math.inf]


@pytest.mark.parametrize("deviations", [-6, -1, 0, 1, 6])
def test_a_long_tail_by_its_integral_is_its_sum(deviations: int) -> None:
    population, relevant, judged = 10**8, 4 * 10**7, 5 * 10**7
    chances = _Chances(population, relevant, judged)
    found = round(judged * relevant / population + deviations * chances._deviation)
    direction = -1 if deviations < 0 else 1
    width = 40 * round(chances._deviation)
    summed = float(chances._of(found + direction * np.arange(width + 1.0)).sum())
    assert chances._integral(found, direction, width) == pytest.approx(summed, rel=1e-9)


@pytest.mark.parametrize(
    ("collection", "judged", "found"),
    [(10**9, 1000, 3), (10**9, 10**6, 1000), (10**9, 5 * 10**8, 10**8), (2**53, 2**50, 2**40), (10**12, 10, 0)],
)
def test_the_interval_of_a_very_large_collection_takes_no_time(collection: int, judged: int, found: int) -> None:
    before = time.process_time()
    low, high = hypergeometric(collection, judged, found)
    assert time.process_time() - before < 10
    assert low <= found / judged <= high
    share = found / judged
    spread = 1.96 * math.sqrt(share * (1 - share) / judged * (1 - judged / collection))
    if found > 100:
        assert (high - low) / 2 == pytest.approx(spread, rel=0.1)


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_collection() -> None:
    """Twelve gigabytes on old code."""
    command = [sys.executable, "-m", "rankscope", "estimate", "--collection-size", str(10**9)]
    more = ["--scope", "100", "--hits", "6", "--judged", "1000", "--found", "3"]
    limit = 4 << 30
    done = subprocess.run(
        [*command, *more],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 0, done.stderr
    assert "3000005.7" in done.stdout.replace(",", "")


def test_a_collection_beyond_exact_numbers_is_refused() -> None:
    with pytest.raises(SettingError, match="must be a whole number of at least 1 and at most 9007199254740992"):
        estimate(2**53 + 1, 0, 0, 10, 1)
    with pytest.raises(SettingError, match="collection"):
        needed_sample(10**400, 1, 0.2)


@pytest.mark.parametrize("error", [1.0, 1e200, math.inf])
@pytest.mark.parametrize("collection", [1, 7, 10**9])
def test_an_error_beyond_everything_needs_one_item(error: float, collection: int) -> None:
    assert needed_sample(collection, collection, error).judged == 1
    assert needed_sample(collection, 1, math.inf).judged == 1


@pytest.mark.parametrize("error", [1e-300, 1e-160, 5e-324])
def test_an_error_next_to_nothing_needs_everything(error: float) -> None:
    assert needed_sample(1000, 10, error).judged == 1000
