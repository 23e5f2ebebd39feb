"""The studentised range: scipy's, and Student's t for two means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.studentised_range import StudentisedRange


@pytest.mark.parametrize(("count", "nu"), [(2, 1), (3, 2), (3, 8), (6, 24), (10, 3.7), (25, 696), (100, 50)])
def test_tails_are_those_of_scipy(count: int, nu: float) -> None:
    q = np.array([0.5, 2.0, 3.5, 6.0])
    theirs = stats.studentized_range.sf(q, count, nu)
    np.testing.assert_allclose(StudentisedRange(count).tail(q, nu), theirs, atol=1e-8)


@pytest.mark.parametrize("nu", [1.0, 2.5, 12.0, 400.0, 1e5])
def test_two_means_are_a_t_test(nu: float) -> None:
    q = np.array([0.0, 0.3, 2.0, 7.0])
    np.testing.assert_allclose(StudentisedRange(2).tail(q, nu), 2 * stats.t.sf(q / np.sqrt(2), nu), atol=1e-9)


@pytest.mark.parametrize(("count", "nu"), [(2, 1), (3, 8), (6, 24), (25, 696)])
def test_quantiles_are_those_of_scipy(count: int, nu: float) -> None:
    theirs = stats.studentized_range.ppf(0.95, count, nu)
    assert float(StudentisedRange(count).quantile(0.95, nu)) == pytest.approx(theirs, abs=1e-6)


def test_many_degrees_of_freedom_are_interpolated_without_harm() -> None:
    nu = np.random.default_rng(0).uniform(2.0, 80.0, 600)
    chance = StudentisedRange(8)
    np.testing.assert_allclose(chance.tail(chance.quantile(0.95, nu), nu), 0.05, atol=1e-7)


def test_the_tail_falls_from_one_to_nothing() -> None:
    tail = StudentisedRange(5).tail(np.linspace(0, 60, 200), 7)
    assert tail[0] == pytest.approx(1.0)
    assert (np.diff(tail) <= 1e-12).all()
    assert 0 <= tail[-1] < 1e-6


def test_very_many_tails_are_interpolated_without_harm() -> None:
    q = np.append(np.linspace(0, 9, 5_000), [40.0, 1e4, np.nan])
    chance = StudentisedRange(12)
    together = chance.tail(q, 30.0)
    np.testing.assert_allclose(together, chance.tail(q, np.full(q.size, 30.0)), atol=1e-8)
