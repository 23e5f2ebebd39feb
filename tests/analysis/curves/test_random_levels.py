"""What a random order shows at equal scope and at equal recall."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.curves.precision_recall import random_at_recall_levels, random_level, random_precision_at_hits
from rankscope.core.errors import MeasureError
from rankscope.measures.quadruple import random_average_precision
from rankscope.ranks import RelevantRanks
from tests.analysis.curves.examples import THREE


def exact(relevant: int, collection: int, hit: int) -> Fraction:
    ranks = range(1, collection + 1)
    terms = [Fraction(hit * comb(k - 1, hit - 1) * comb(collection - k, relevant - hit), k) for k in ranks]
    return sum(terms, Fraction(0)) / comb(collection, relevant)


def test_the_worked_chance_curve_lies_above_generality() -> None:
    expected = [0.415154, 0.306060, 0.267464, 0.248836]
    got = random_precision_at_hits(4, 20)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6)
    assert got.mean() == pytest.approx(0.309379, rel=0, abs=1e-6)
    assert got.min() > random_level(0.2).y[0] == 0.2


@given(sizes=st.integers(1, 40).flatmap(lambda d: st.tuples(st.integers(1, d), st.just(d))))
def test_the_chance_curve_is_the_sum_over_all_ranks(sizes: tuple[int, int]) -> None:
    relevant, collection = sizes
    expected = [float(exact(relevant, collection, hit)) for hit in range(1, relevant + 1)]
    np.testing.assert_allclose(random_precision_at_hits(relevant, collection), expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("relevant", "collection"), [(8, 20000), (307, 19999), (500, 1000), (501, 1000), (3000, 10**7)]
)
def test_the_mean_of_the_chance_curve_is_the_random_ap(relevant: int, collection: int) -> None:
    got = random_precision_at_hits(relevant, collection)
    assert got.mean() == pytest.approx(random_average_precision(collection, relevant), rel=1e-9)
    assert (np.diff(got) < 0).all()
    assert got[-1] > relevant / collection


def test_a_seeded_simulation_agrees_with_the_chance_curve() -> None:
    generator = np.random.default_rng(0)
    ranks = np.sort(generator.permuted(np.tile(np.arange(1, 21), (20000, 1)), axis=1)[:, :4], axis=1)
    np.testing.assert_allclose((np.arange(1, 5) / ranks).mean(axis=0), random_precision_at_hits(4, 20), atol=0.01)


def test_the_chance_level_of_a_mean_is_the_mean_of_the_chance_levels() -> None:
    both = RelevantRanks.from_ranks([[1, 2, 3, 5], [1]], relevant=[4, 1], collection=20, depth=20)
    curve = random_at_recall_levels(both, [0.25, 0.6, 1.0])
    four, one = random_precision_at_hits(4, 20), random_precision_at_hits(1, 20)[0]
    np.testing.assert_allclose(curve.y, (four[[0, 2, 3]] + one) / 2)
    assert random_at_recall_levels(THREE).queries is not None


def test_chance_at_recall_levels_needs_the_size_of_the_collection() -> None:
    with pytest.raises(MeasureError, match="collection_size=D"):
        random_at_recall_levels(RelevantRanks.from_ranks([[1]]))
    with pytest.raises(MeasureError, match="above 0"):
        random_at_recall_levels(THREE, [0.0])
    with pytest.raises(MeasureError, match="relevant <= collection"):
        random_precision_at_hits(5, 4)
