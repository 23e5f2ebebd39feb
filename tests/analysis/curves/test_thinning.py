"""Means over thinned collections: worked values, other people's distributions, and thinning done by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankscope.analysis.curves import thinning
from rankscope.analysis.curves.distributions import (
    BetaBinomial,
    Binomial,
    Counts,
    Hypergeometric,
    at_most,
    mean_inverse,
    mean_of,
)
from rankscope.analysis.curves.thinning import expected_hits, expected_hits_of_class, expected_value
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.measures import AP, RR, Measure, P, R, Rprec, nDCG
from rankscope.ranks import RelevantRanks
from tests.strategies import relevant_ranks

ONE = RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100)
TRUNCATED = RelevantRanks.from_ranks([[1, 3, 10]], relevant=[4], depth=20, collection=100)
MEASURES = [AP(), AP(scope=9), AP(scope=3, divisor="min"), P(4), R(7), Rprec(), Rprec(a=2.0), nDCG(), nDCG(scope=10)]


# worked values of the method

KEPT = [4, 12, 28, 60, 96]


def at_each_level(values: list[float]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("kept", "value"), list(zip(KEPT, values, strict=True)))


@at_each_level([0.780272, 0.697871, 0.584614, 0.502626, 0.5])
def test_precision_equals_recall_at_each_generality(kept: int, value: float) -> None:
    assert expected_value(ONE, kept, Rprec()).low == pytest.approx(value, abs=5e-7)


@at_each_level([0.099320, 0.102931, 0.118296, 0.025489, 0.0])
def test_the_spread_over_thinnings(kept: int, value: float) -> None:
    assert np.sqrt(expected_value(ONE, kept, Rprec()).variance) == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize(
    ("kept", "value"), list(zip(KEPT, [0.916429, 0.813902, 0.703584, 0.590888, 0.516667], strict=True))
)
def test_average_precision_at_each_generality(kept: int, value: float) -> None:
    assert expected_value(ONE, kept, AP()).low == pytest.approx(value, abs=5e-7)


@at_each_level([1.0, 0.877067, 0.749922, 0.704097, 0.5])
def test_recall_at_twice_the_class_size(kept: int, value: float) -> None:
    assert expected_hits(ONE, kept, 8).over(4).low == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize(
    ("kept", "value"), list(zip(KEPT, [0.280272, 0.447871, 0.459614, 0.440126, 0.46], strict=True))
)
def test_the_gain_over_random_at_each_generality(kept: int, value: float) -> None:
    assert expected_value(ONE, kept, Rprec()).low - 4 / (4 + kept) == pytest.approx(value, abs=5e-7)


def test_the_class_thinned_too() -> None:
    assert expected_hits_of_class(ONE, 2, 12, 2).over(2).low == pytest.approx(0.619248, abs=5e-7)


def test_a_truncated_run_gives_both_ends() -> None:
    thinned = expected_value(TRUNCATED, 12, Rprec())
    assert thinned.low == pytest.approx(0.697311, abs=5e-7)
    assert thinned.high == pytest.approx(0.717806, abs=5e-7)


# thinning done by hand


def thinned_ranks(
    ranks: Sequence[int], collection: int, kept: int, draws: int, members: int | None = None
) -> list[IntArray]:
    """Ranks of the hits in each of many random thinnings."""
    random = np.random.default_rng(0)
    relevant = np.isin(np.arange(1, collection + 1), ranks)
    result = []
    for _ in range(draws):
        there = np.zeros(collection, dtype=np.bool_)
        there[random.choice(np.flatnonzero(~relevant), kept, replace=False)] = True
        there[random.choice(np.flatnonzero(relevant), members or len(ranks), replace=False)] = True
        result.append(np.flatnonzero(relevant[there]) + 1)
    return result


@pytest.mark.sampled(3)
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_the_mean_over_thinnings_done_by_hand(measure: Measure) -> None:
    drawn = measure.of(RelevantRanks.from_ranks(thinned_ranks([1, 3, 10, 40], 100, 24, 8000), collection=28))
    assert expected_value(ONE, 24, measure).low == pytest.approx(
        drawn.mean(), abs=5 * drawn.std() / np.sqrt(8000) + 1e-9
    )


def test_the_variance_over_thinnings_done_by_hand() -> None:
    drawn = Rprec().of(RelevantRanks.from_ranks(thinned_ranks([1, 3, 10, 40], 100, 24, 8000), collection=28))
    assert expected_value(ONE, 24, Rprec()).variance == pytest.approx(drawn.var(), rel=0.05)


def test_mean_and_variance_of_a_thinned_class_done_by_hand() -> None:
    ranks = thinned_ranks([1, 3, 10, 40], 100, 12, 8000, members=2)
    drawn = RelevantRanks.from_ranks(ranks, collection=14).hits(2)
    thinned = expected_hits_of_class(ONE, 2, 12, 2)
    assert thinned.low == pytest.approx(drawn.mean(), abs=5 * drawn.std() / np.sqrt(8000))
    assert thinned.variance == pytest.approx(drawn.var(), rel=0.05)


def test_grades_stay_with_their_items() -> None:
    graded = RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100, grades=[[1, 3, 2, 1]])
    thin = thinned_ranks([1, 3, 10, 40], 100, 24, 8000)
    measure = nDCG(gain="exp", scope=6)
    drawn = measure.of(RelevantRanks.from_ranks(thin, collection=28, grades=[[1, 3, 2, 1]] * 8000))
    assert expected_value(graded, 24, measure).low == pytest.approx(drawn.mean(), abs=5 * drawn.std() / np.sqrt(8000))


# properties


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@given(queries=relevant_ranks())
@settings(max_examples=25)
def test_nothing_changes_when_everything_is_kept(measure: Measure, queries: RelevantRanks) -> None:
    level = np.nextafter(0, 1) if isinstance(measure, nDCG) else 1.0
    view = queries.at(rel=level)
    thinned = expected_value(queries, queries.collection - view.relevant, measure)
    complete = view.found == view.relevant
    now = measure.of(queries)
    np.testing.assert_allclose(thinned.low[complete], now[complete], atol=1e-9)
    np.testing.assert_allclose(thinned.high[complete], now[complete], atol=1e-9)
    assert (thinned.high[~complete] >= now[~complete] - 1e-9).all()


@given(queries=relevant_ranks(), kept=st.integers(0, 40))
@settings(max_examples=50)
def test_the_ends_stand_in_order_and_fewer_distractors_never_hurt(queries: RelevantRanks, kept: int) -> None:
    more, less = expected_value(queries, kept + 1, AP()), expected_value(queries, kept, AP())
    fine = np.isfinite(more.low)
    assert (less.low[fine] <= less.high[fine] + 1e-12).all()
    assert (less.low[fine] >= more.low[fine] - 1e-12).all()


@given(queries=relevant_ranks(), kept=st.integers(0, 20))
@settings(max_examples=50)
def test_a_class_kept_whole_is_no_thinned_class(queries: RelevantRanks, kept: int) -> None:
    whole = expected_hits_of_class(queries, queries.relevant, kept, 5)
    plain = expected_hits(queries, kept, 5)
    np.testing.assert_allclose(whole.low, plain.low, atol=1e-9)
    np.testing.assert_allclose(whole.variance, plain.variance, atol=1e-9)


def test_without_distractors_everything_is_perfect() -> None:
    assert expected_value(ONE, 0, AP()).low == pytest.approx(1.0)
    assert expected_value(ONE, 0, Rprec()).low == pytest.approx(1.0)


def test_more_than_there_are_cannot_be_kept() -> None:
    assert np.isnan(expected_value(ONE, 97, AP()).low).all()
    assert np.isnan(expected_hits_of_class(ONE, 5, 12, 2).low).all()


def test_a_query_without_relevant_items_has_no_value() -> None:
    nothing = RelevantRanks.from_ranks([[]], relevant=[0], depth=5, collection=10)
    assert np.isnan(expected_value(nothing, 5, AP()).low).all()


def test_items_not_found_keep_the_order_of_their_grades_open() -> None:
    queries = RelevantRanks.from_ranks([[1], [1, 7, 8]], relevant=[1, 3], depth=[5, 8], collection=20)
    assert (expected_value(queries, 6, nDCG()).low == expected_value(queries, 6, nDCG()).high).all()
    cut = RelevantRanks.from_ranks([[1, 7, 8]], grades=[[1, 3, 2]], collection=20).cut(5)
    ends = expected_value(cut, 6, nDCG())
    whole = expected_value(RelevantRanks.from_ranks([[1, 7, 8]], grades=[[1, 3, 2]], collection=20), 6, nDCG())
    assert ends.low < whole.low < ends.high


# what is refused


def test_an_unknown_collection_is_an_error_that_names_the_option() -> None:
    with pytest.raises(MeasureError, match="collection_size=D"):
        expected_hits(RelevantRanks.from_ranks([[1, 3]]), 1, 1)


def test_a_collection_too_small_for_its_ranks_is_an_error() -> None:
    with pytest.raises(MeasureError, match="q1 ranks a hit at 30"):
        expected_hits(RelevantRanks.from_ranks([[1, 30]], collection=20), 1, 1)


@pytest.mark.parametrize("measure", [RR(), AP(area="oxford"), P(5, divisor="min"), nDCG(negative="both")], ids=str)
def test_a_measure_without_an_exact_mean_is_refused(measure: Measure) -> None:
    with pytest.raises(MeasureError, match="no exact mean"):
        expected_value(ONE, 12, measure)


# very large collections


@pytest.mark.parametrize("distractors", [2_000, 50_000, 1_000_000])
def test_up_to_a_million_distractors_the_chances_are_those_of_draws_without_return(distractors: int) -> None:
    """A hit low in the list and half of the distractors kept: drawn one by one they would spread three times as far."""
    above, kept = distractors * 9 // 10, distractors // 2
    queries = RelevantRanks.from_ranks([[above + 1]], collection=distractors + 1)
    stay = stats.hypergeom(distractors, above, kept)
    scope = int(stay.mean() + stay.std()) + 1
    assert expected_hits(queries, kept, scope).low == pytest.approx(stay.cdf(scope - 1), abs=1e-8)


@pytest.mark.parametrize("measure", [AP(), Rprec(), nDCG(scope=10), nDCG()], ids=str)
def test_beyond_a_million_distractors_each_is_kept_by_itself(measure: Measure, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = RelevantRanks.from_ranks([[1, 3, 10, 400], [2, 90, 5000]], collection=50_000)
    exact = expected_value(queries, 5000, measure)
    monkeypatch.setattr(thinning, "MOST_EXACT", 1000)
    np.testing.assert_allclose(expected_value(queries, 5000, measure).low, exact.low, atol=2e-3)
    np.testing.assert_allclose(
        expected_value(queries, 49_000, measure).low, expected_value(queries, 49_000, measure).high
    )


def test_a_hundred_million_items_are_no_trouble() -> None:
    queries = RelevantRanks.from_ranks([[1, 3, 10, 40_000]], relevant=[5], depth=100_000, collection=10**8)
    thinned = expected_value(queries, 10**4, AP())
    assert 0.5 < thinned.low[0] < thinned.high[0] < 1.0
    assert expected_value(queries, 10**4, nDCG()).low[0] < 1.0


# against scipy


def random_counts(size: int) -> list[tuple[Counts, object]]:
    random = np.random.default_rng(1)
    e = random.integers(1, 3000, size)
    b, m = (e * random.random(size) ** 4).astype(int), (e * random.random(size)).astype(int)
    chance = random.random(size) ** 3
    return [
        (Hypergeometric(e.astype(float), b.astype(float), m.astype(float)), stats.hypergeom(e, b, m)),
        (Binomial(e.astype(float), chance), stats.binom(e, chance)),
        (BetaBinomial(m.astype(float), b + 0.5, e - b + 0.5), stats.betabinom(m, b + 0.5, e - b + 0.5)),
    ]


@pytest.mark.parametrize(("ours", "theirs"), random_counts(300), ids=["hypergeometric", "binomial", "beta-binomial"])
def test_probabilities_and_means_agree_with_scipy(ours: Counts, theirs: stats.rv_frozen) -> None:
    random = np.random.default_rng(2)
    limit = np.floor(ours.mean + 5 * random.normal(size=300))
    np.testing.assert_allclose(at_most(ours, limit), theirs.cdf(limit), atol=1e-10)
    place = random.integers(1, 50, 300).astype(float)
    count = np.arange(3001)[:, None]
    chance: FloatArray = theirs.pmf(count)
    np.testing.assert_allclose(mean_inverse(ours, place), (chance / (place + count)).sum(axis=0), rtol=1e-9)
    root = mean_of(ours, lambda rank: 1 / np.sqrt(rank), place, np.full(300, np.inf))
    np.testing.assert_allclose(root, (chance / np.sqrt(place + count)).sum(axis=0), rtol=1e-9)
    cut = mean_of(ours, lambda rank: 1 / rank, place, limit)
    np.testing.assert_allclose(cut, (chance / (place + count) * (count <= limit)).sum(axis=0), atol=1e-10)


def test_all_icons_as_queries_at_fourteen_levels_take_seconds() -> None:
    random = np.random.default_rng(0)
    sizes = np.repeat(random.integers(2, 20, 15_000), 1)
    ranks = [np.sort(random.choice(19_000, size, replace=False)) + 1 for size in sizes]
    queries = RelevantRanks.from_ranks(ranks, collection=20_000)
    for level in range(1, 15):
        kept = np.minimum(queries.relevant * (2**level - 1), 20_000 - queries.relevant)
        assert np.isfinite(expected_hits(queries, kept, queries.relevant).low).all()
