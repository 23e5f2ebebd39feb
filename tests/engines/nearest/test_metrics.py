"""Each metric against plain Python, bit by bit where it counts, and against scipy."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial import distance

from rankscope.core.errors import InputError, SettingError
from rankscope.engines.nearest import ALL, Mixture, WeightedMetric, nearest_ranks
from rankscope.engines.nearest.metrics import METRICS, CityBlock, Metric, metric_named, space_of
from rankscope.engines.nearest.space import short_buffers, sums_in_order, sums_of_all_pairs, sums_of_pairs
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS
from tests.engines.nearest.plain import (
    OF_HISTOGRAMS,
    PLAIN,
    as_dict,
    brute_force,
    each_query,
    everything,
    fit_for,
    labelled_rows,
    many_items,
    scaled,
)

Case = tuple[list[list[float]], list[int]]

NAMES = [each.name for each in ALL]
SMALL_WHOLE = st.integers(-2, 2).map(float)
AWKWARD = st.sampled_from(
    [0.0, 0.1, 0.2, 0.3, -0.1, 1 / 3, 1e-8, 1e8, 0.7, 1e-200, 3.0, 5e-324, 1e-40, 1e90, 1 + 2**-52, 1 + 2**-23]
)
SCIPY: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "cosine": lambda x: 1 - distance.cdist(x, x, "cosine"),
    "ip": lambda x: x @ x.T,
    "l2": lambda x: -distance.cdist(x, x, "euclidean"),
    "l1": lambda x: -distance.cdist(x, x, "cityblock"),
    "js": lambda x: -np.nan_to_num(distance.cdist(x, x, "jensenshannon")),
    "jeffrey": lambda x: -2 * x[0].sum() * distance.cdist(x, x, "jensenshannon") ** 2,
    "hamming": lambda x: -x.shape[1] * distance.cdist(x, x, "hamming"),
}


LEVELS = [
    (metric, level)
    for metric in NAMES
    for level in range(space_of(metric, fit_for(metric, many_items("whole")[0])).levels)
]


def tables(metric: str, features: NDArray[Any], *others: NDArray[Any]) -> list[NDArray[Any]]:
    """Features and what is made of them by arithmetic, which bits are not fit for."""
    return [features] if metric == "hamming_bits" else [features, *others]


def test_every_metric_has_a_plain_definition() -> None:
    assert set(PLAIN) == set(NAMES)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("metric", NAMES)
@given(case=labelled_rows(SMALL_WHOLE))
@settings(max_examples=25)
def test_ranks_of_whole_features_are_those_of_plain_python(metric: str, case: Case) -> None:
    rows = np.abs(case[0]) if metric in OF_HISTOGRAMS or metric == "hamming_bits" else np.array(case[0])
    expected = brute_force(metric, rows.tolist(), case[1])
    assert as_dict(nearest_ranks(rows.astype(np.int8), case[1], metric)) == expected
    if metric != "hamming_bits":
        assert as_dict(nearest_ranks(rows, case[1], metric)) == expected


@pytest.mark.parametrize("metric", [name for name in NAMES if name != "hamming_bits"])
@given(case=labelled_rows(AWKWARD))
@settings(max_examples=15)
def test_features_may_lie_column_by_column_or_with_gaps(metric: str, case: Case) -> None:
    rows = np.abs(case[0]) if metric in OF_HISTOGRAMS else np.array(case[0])
    rows[-1] = 0  # cosine leaves such a row as it is
    expected = as_dict(nearest_ranks(rows, case[1], metric))
    for laid in (np.asfortranarray(rows), np.repeat(rows, 2, axis=1)[:, ::2], rows[::-1][::-1]):
        assert as_dict(nearest_ranks(laid, case[1], metric)) == expected


@pytest.mark.parametrize("metric", [name for name in NAMES if name != "hamming_bits"])
@given(case=labelled_rows(AWKWARD), block=st.integers(1, 5), keep=st.booleans())
@settings(max_examples=25)
def test_ranks_of_fractions_are_those_of_plain_python_in_feature_order(
    metric: str, case: Case, block: int, keep: bool
) -> None:
    rows = np.abs(case[0]) if metric in OF_HISTOGRAMS else np.array(case[0])
    ranks = nearest_ranks(rows, case[1], metric, block=block, keep_scores=keep)
    whole = bool((rows == np.rint(rows)).all()) and rows.max() < 2**20
    plain = [scaled(row) for row in rows.tolist()] if metric == "cosine" and not whole else rows.tolist()
    assert as_dict(ranks) == brute_force(metric, plain, case[1])


@pytest.mark.sampled(12)
@pytest.mark.parametrize("metric", NAMES)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
def test_kept_scores_and_ranks_are_those_of_the_reference_bit_by_bit(metric: str, kind: str) -> None:
    features, labels = many_items(kind)
    features = fit_for(metric, features)
    ranks = nearest_ranks(features, labels, metric, keep_scores=True, block=50)
    space = space_of(metric, features)
    everyone = np.arange(len(labels))
    for query, rank, score, others in each_query(ranks):
        scores = space.reference(np.full(len(labels), query), everyone)
        scores[query] = -np.inf
        order = np.argsort(-scores, kind="stable")[:-1]
        mate = labels[order] == labels[query]
        assert rank == (np.flatnonzero(mate) + 1).tolist()
        assert score == space.shown(scores[order[mate]]).tolist()
        assert others == space.shown(scores[order[~mate]])[:256].tolist()


@pytest.mark.sampled(14)
@pytest.mark.parametrize(("metric", "level"), LEVELS)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
def test_screened_scores_lie_within_the_limits_of_their_reference(metric: str, kind: str, level: int) -> None:
    features = fit_for(metric, many_items(kind)[0])
    more = features * np.float64(1e-30), features + 100.0, features.astype(np.float32)
    for table in tables(metric, features, *more):
        space = space_of(metric, table)
        everyone = np.arange(len(table))
        reference = space.reference_table(everyone, everyone)
        query = np.repeat(everyone, everyone.size)
        low, high = space.limits(query, reference.ravel(), level)
        scores = space.scores(everyone, slice(0, len(table)), level).ravel()
        assert ((low <= scores) & (scores <= high)).all()
        if space.exact:
            assert (scores == reference.ravel()).all()


@pytest.mark.parametrize("metric", NAMES)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
def test_estimates_are_off_by_no_more_than_they_say(metric: str, kind: str) -> None:
    features = fit_for(metric, many_items(kind, items=90)[0])
    more = features * np.float64(1e-30), features + 100.0, features * np.logspace(-9, 9, 90)[:, None]
    for table in tables(metric, features, *more):
        space = space_of(metric, table)
        query, item = np.divmod(np.arange(len(table) ** 2), len(table))
        score, room = space.estimate(query, item)
        assert (np.abs(score - space.reference(query, item)) <= room).all()


@pytest.mark.parametrize(("metric", "level"), LEVELS)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
def test_what_screens_below_a_lowered_score_has_a_lower_reference(metric: str, kind: str, level: int) -> None:
    space = space_of(metric, fit_for(metric, many_items(kind, items=120)[0]))
    everyone = np.arange(len(space))
    scores = space.scores(everyone, slice(0, len(space)), level).astype(np.float64)
    reference = space.reference_table(everyone, everyone)
    for item in everyone.tolist():
        below = scores < space.lowered(everyone, scores[:, item], level)[:, None]
        assert (~below | (reference < reference[:, [item]])).all()


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2", "l1"])
def test_the_best_of_many_near_equals_are_those_of_plain_python(metric: str) -> None:
    """More distractors than are kept: the same features, each time in another order and changed by very little, so
    that rounding to single precision decides which of them screen higher.
    """
    rng = np.random.default_rng(0)
    others = rng.permuted(np.tile(rng.standard_normal(24), (KEPT_DISTRACTORS + 100, 1)), axis=1)
    features = np.vstack([np.ones((2, 24)), others + 1e-9 * rng.standard_normal(others.shape)])
    labels = [1, 1, *[-1] * len(others)]
    assert not space_of(metric, features).exact
    rows = [scaled(row) for row in features.tolist()] if metric == "cosine" else features.tolist()
    nearest = sorted((PLAIN[metric](rows[0], row) for row in rows[2:]), reverse=True)[:KEPT_DISTRACTORS]
    kept = next(each_query(nearest_ranks(features, labels, metric, keep_scores=True)))[3]
    assert kept == space_of(metric, features).shown(np.array(nearest)).tolist()


@pytest.mark.parametrize("metric", NAMES)
def test_one_pair_and_a_table_of_pairs_have_the_same_references(metric: str) -> None:
    features = fit_for(metric, many_items("fractions")[0])
    space = space_of(metric, features)
    query, item = np.divmod(np.arange(40 * 280), 280)
    table = space.reference_table(np.arange(40), np.arange(280))
    assert space.reference(query, item).tobytes() == table.ravel().tobytes()


@pytest.mark.parametrize("metric", SCIPY)
def test_kept_scores_agree_with_scipy(metric: str) -> None:
    features, labels = many_items("whole" if metric == "hamming" else "fractions")
    features = fit_for(metric, features)
    if metric == "jeffrey":
        features = features / features.sum(axis=1, keepdims=True)
    similarity = SCIPY[metric](features.astype(np.float64))
    ranks = nearest_ranks(features, labels, metric, keep_scores=True)
    for query, _, score, others in each_query(ranks):
        mate = labels == labels[query]
        np.testing.assert_allclose(others, np.sort(similarity[query][~mate])[::-1][:256], atol=1e-9)
        mate[query] = False
        np.testing.assert_allclose(score, np.sort(similarity[query][mate])[::-1], atol=1e-9)


@pytest.mark.parametrize(
    ("metric", "one", "other", "score"),
    [
        ("chi2", [1, 3, 0], [3, 1, 0], -2.0),
        ("intersection", [1, 3, 0], [3, 1, 5], 2.0),
        ("d1", [1, 3, 0], [3, 1, 0], -2 * 2 / 5),
        ("tanimoto", [1, 1, 0], [1, 0, 1], -(1 - 1 / 3)),
        ("tanimoto", [0, 0, 0], [0, 0, 0], 0.0),
        ("jeffrey", [1, 0, 0], [0, 1, 0], -2 * math.log(2)),
        ("js", [4, 0, 0], [0, 1, 0], -math.sqrt(math.log(2))),
        ("hamming", [1, 7, 0], [2, 7, 9], -2.0),
        ("hamming_bits", [0b1011, 255, 0], [0b1000, 0, 0], -10.0),
        ("ip", [1, 2, 3], [4, 5, 6], 32.0),
    ],
)
def test_worked_values(metric: str, one: list[int], other: list[int], score: float) -> None:
    ranks = nearest_ranks(np.array([one, other]), [1, 1], metric, keep_scores=True)
    np.testing.assert_allclose(ranks.judged["score"], [score, score], rtol=1e-15)


@pytest.mark.parametrize("metric", [name for name in NAMES if name not in ("ip", "intersection", "cosine")])
def test_a_distance_is_symmetric_and_zero_for_equal_rows(metric: str) -> None:
    features = fit_for(metric, many_items("fractions", items=60)[0])
    space = space_of(metric, features)
    table = space.shown(space.reference_table(np.arange(60), np.arange(60)))
    assert (table == table.T).all()
    assert (np.diagonal(table) == 0).all()


@given(case=labelled_rows(SMALL_WHOLE))
@settings(max_examples=25)
def test_cosine_ranks_follow_exact_fractions_where_the_angles_differ(case: Case) -> None:
    rows, labels = case
    ranks = as_dict(nearest_ranks(rows, labels, "cosine"))
    for query, found in ranks.items():
        own = [Fraction(value) for value in rows[int(query)]]
        others = [item for item in range(len(rows)) if str(item) != query]
        exact = {item: signed_square_of_cosine(own, [Fraction(value) for value in rows[item]]) for item in others}
        mates = [item for item in others if labels[item] == labels[int(query)]]
        certain = [1 + sum(exact[other] > exact[item] for other in others) for item in mates]
        latest = [sum(exact[other] >= exact[item] for other in others) for item in mates]
        assert all(low <= rank <= high for low, rank, high in zip(sorted(certain), found, sorted(latest), strict=True))


def signed_square_of_cosine(one: list[Fraction], other: list[Fraction]) -> Fraction:
    product = sum((x * y for x, y in zip(one, other, strict=True)), Fraction(0))
    lengths = sum((x * x for x in one), Fraction(0)) * sum((y * y for y in other), Fraction(0))
    return product * abs(product) / lengths if lengths else Fraction(0)


@pytest.mark.parametrize("factor", [1e-90, 1e90])
def test_very_large_and_very_small_rows_keep_their_angle(factor: float) -> None:
    features, labels = many_items("fractions")
    scale = np.where(np.arange(len(labels)) % 2, 1.0, factor)[:, None]
    assert as_dict(nearest_ranks(features * scale, labels)) == as_dict(nearest_ranks(features, labels))


def test_a_row_of_zeros_scores_zero_with_every_item_by_cosine() -> None:
    ranks = nearest_ranks([[0, 0], [1, 0], [-1, 0], [0, 0]], [1, 1, -1, 1], "cosine", keep_scores=True)
    assert as_dict(ranks) == {"0": [1, 3], "1": [1, 2], "3": [1, 2]}
    assert ranks.judged.lists("score") == [[0.0, 0.0]] * 3


@pytest.mark.parametrize(
    ("dtype", "low", "high", "narrow"),
    [
        (np.uint8, 0, 255, np.int16),
        (np.int8, -128, 127, np.int16),
        (np.int64, -(10**6), 10**6, np.int32),
        (np.int64, -(10**12), 10**12, np.float64),
    ],
)
def test_city_block_sums_are_exact_in_every_width(dtype: type[Any], low: int, high: int, narrow: type[Any]) -> None:
    matrix = np.random.default_rng(2).integers(low, high, (9, 700), dtype=dtype, endpoint=True)
    matrix[0], matrix[1] = low, high
    distances = CityBlock.of(matrix)
    assert distances.columns.dtype == narrow
    exact = [[sum(abs(int(x) - int(y)) for x, y in zip(one, other, strict=True)) for other in matrix] for one in matrix]
    assert distances.between(np.arange(9), slice(0, 9)).tolist() == exact


def test_sums_add_in_feature_order() -> None:
    row = np.array([[1e16, 1.0, 1.0, -1e16]])
    assert sums_in_order(row, np.positive).tolist() == [0.0]
    assert sums_in_order(np.array([[1.0, 1.0, 1e16, -1e16]]), np.positive).tolist() == [2.0]
    ones = np.ones_like(row)
    assert sums_of_pairs(
        np.concatenate([row, ones]).__getitem__, np.array([0]), np.array([1]), np.multiply
    ).tolist() == [0.0]
    assert sums_of_all_pairs(row, ones, np.multiply).tolist() == [[0.0]]


def test_rows_of_float32_that_no_power_of_two_keeps_in_range_are_scaled_in_float64() -> None:
    rows = np.array([[1e38, 1e-38], [1e38, 3e-38], [1.0, 1.0], [2.0, 1e-30]], dtype=np.float32)
    space = space_of("cosine", rows)
    assert (space.rows_at(np.arange(4))[:, 1] > 0).all()  # type: ignore[attr-defined]
    everyone = np.arange(4)
    table = space.reference_table(everyone, everyone)
    plain = [scaled(row) for row in rows.astype(np.float64).tolist()]
    assert table.tolist() == [[PLAIN["cosine"](one, other) for other in plain] for one in plain]


def test_buffers_are_as_long_as_before_behind_short_ones() -> None:
    before = np.getbufsize()
    with short_buffers():
        assert np.getbufsize() < before
    assert np.getbufsize() == before


def test_a_mixture_adds_weighted_scores() -> None:
    features, labels = many_items("fractions")
    mixed = nearest_ranks(features, labels, "0.7*l1[0:4] + 0.3*cosine[4:]", keep_scores=True)
    one = -distance.cdist(features[:, :4], features[:, :4], "cityblock")
    other = 1 - distance.cdist(features[:, 4:], features[:, 4:], "cosine")
    similarity = 0.7 * one + 0.3 * other
    for query, _, score, _ in each_query(mixed):
        mate = (labels == labels[query]) & (np.arange(len(labels)) != query)
        np.testing.assert_allclose(score, np.sort(similarity[query][mate])[::-1], atol=1e-9)
    same = nearest_ranks(
        features, labels, Mixture([WeightedMetric("l1", 0.7, 0, 4), WeightedMetric("cosine", 0.3, 4)]), keep_scores=True
    )
    assert everything(same) == everything(mixed)
    assert mixed.provenance["settings"]["metric"] == "0.7*l1[0:4] + 0.3*cosine[4:]"


def test_a_mixture_of_one_is_that_metric() -> None:
    features, labels = many_items("fractions")
    assert as_dict(nearest_ranks(features, labels, "2*l1[:]")) == as_dict(nearest_ranks(features, labels, "l1"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0.7*l1[0:4] + ", "cannot read ''"),
        ("x*l1", "cannot read 'x*l1'"),
        ("-1*l1[0:2]", "weight of a metric must be above 0"),
        ("1*cosin[0:2]", "did you mean 'cosine'"),
        ("1*l1[2:99]", "there are 3"),
    ],
)
def test_a_mixture_that_cannot_be_is_told(text: str, told: str) -> None:
    with pytest.raises(SettingError) as error:
        nearest_ranks(np.zeros((2, 3)), [1, 1], text)
    assert told in str(error.value)


def test_a_function_of_ones_own_is_a_metric() -> None:
    features, labels = many_items("fractions")

    def furthest_feature(row: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
        return np.abs(rows - row).max(axis=1)

    ranks = nearest_ranks(features, labels, furthest_feature, keep_scores=True, block=7)
    similarity = -distance.cdist(features, features, "chebyshev")
    for query, _, score, _ in each_query(ranks):
        mate = (labels == labels[query]) & (np.arange(len(labels)) != query)
        assert score == np.sort(similarity[query][mate])[::-1].tolist()
    assert ranks.provenance["settings"]["metric"] == "function furthest_feature"
    assert everything(ranks) == everything(nearest_ranks(features, labels, furthest_feature, keep_scores=True))


@pytest.mark.parametrize("wrong", [lambda row, rows: np.zeros(3), lambda row, rows: np.full(len(rows), np.nan)])
def test_a_function_that_returns_no_distances_is_refused(wrong: Any) -> None:
    with pytest.raises(SettingError, match="a metric must return"):
        nearest_ranks(np.zeros((5, 2)), [1, 1, 2, 2, 2], wrong)


@pytest.mark.parametrize("metric", OF_HISTOGRAMS)
def test_histograms_have_no_negative_values(metric: str) -> None:
    with pytest.raises(InputError, match="must not be negative"):
        nearest_ranks([[0.0], [-1.0]], [1, 1], metric)


def test_packed_bits_are_whole_numbers() -> None:
    with pytest.raises(InputError, match="packed bits"):
        nearest_ranks([[0.5], [1.0]], [1, 1], "hamming_bits")


def test_an_unknown_metric_is_named_with_those_there_are() -> None:
    with pytest.raises(SettingError, match="did you mean 'cosine'"):
        nearest_ranks([[0], [1]], [1, 1], "cosin")
    wrong: Any = 3
    with pytest.raises(SettingError, match="a name, a Mixture or a function"):
        metric_named(wrong)
    known: Metric = "l1"
    assert metric_named(known) == "l1"
    assert METRICS.find("l1").name == "l1"
