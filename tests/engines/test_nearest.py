"""Exact ranks from vectors: against plain Python, against scipy, and the same bytes however the work is cut."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from rankscope.engines.nearest import ALL, nearest_ranks
from rankscope.engines.nearest.city_block import CityBlock
from rankscope.engines.nearest.counting import FEW, best, ranks_of, too_close
from rankscope.engines.nearest.spaces import Space, by_name
from rankscope.engines.nearest.sums import in_order
from rankscope.errors import InputError, SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import load_ranks, save_ranks

unhurried = settings(deadline=None)  # the first block starts threads, and machines are shared

METRICS = [each.name for each in ALL]
SCIPY: dict[str, Literal["cosine", "euclidean", "cityblock"]] = {
    "cosine": "cosine",
    "l2": "euclidean",
    "l1": "cityblock",
}


def reference(metric: str, one: list[float], other: list[float]) -> float:
    """The definition in plain Python: terms added in the order of the features."""

    def total(terms: list[float]) -> float:
        return reduce(lambda so_far, term: so_far + term, terms, 0.0)

    if metric == "l1":
        return -total([abs(x - y) for x, y in zip(one, other, strict=True)])
    if metric == "l2":
        return -total([(x - y) * (x - y) for x, y in zip(one, other, strict=True)])
    lengths = total([x * x for x in one]) * total([y * y for y in other])
    return total([x * y for x, y in zip(one, other, strict=True)]) / math.sqrt(lengths) if lengths else 0.0


def brute_force(metric: str, rows: list[list[float]], labels: list[int]) -> dict[str, list[int]]:
    """Ranks of the class mates of each query, by sorting everything."""
    ranks = {}
    for query, label in enumerate(labels):
        if label == -1 or labels.count(label) < 2:
            continue
        others = [item for item in range(len(rows)) if item != query]
        ordered = sorted(others, key=lambda item: (-reference(metric, rows[query], rows[item]), item))
        ranks[str(query)] = [place for place, item in enumerate(ordered, start=1) if labels[item] == label]
    return {query: ranks[query] for query in sorted(ranks)}


def as_dict(ranks: RelevantRanks) -> dict[str, list[int]]:
    return dict(zip(ranks.queries, ranks.judged.lists("rank"), strict=True))


def everything(ranks: RelevantRanks) -> list[Any]:
    """All of a result as bytes, to be compared bit by bit."""
    parts = [ranks.judged, ranks.pooled, ranks.levels, ranks.ties, *([ranks.distractors] if ranks.distractors else [])]
    columns = [(part.offsets.tobytes(), {name: part[name].tobytes() for name in part.columns}) for part in parts]
    sizes = (ranks.depth.tobytes(), ranks.collection.tobytes())
    return [ranks.queries, ranks.classes, columns, sizes, ranks.provenance]


@st.composite
def labelled_rows(draw: st.DrawFn, values: st.SearchStrategy[float]) -> tuple[list[list[float]], list[int]]:
    """A few short rows and labels of which at least one class has two members."""
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=2, max_size=12))
    labels = [0, 0, *draw(st.lists(st.integers(-1, 2), min_size=len(rows) - 2, max_size=len(rows) - 2))]
    return rows, draw(st.permutations(labels))


SMALL_WHOLE = st.integers(-2, 2).map(float)
AWKWARD = st.sampled_from([0.0, 0.1, 0.2, 0.3, -0.1, 1 / 3, 1e-8, 1e8, 0.7, 1e-200, 3.0])


@pytest.mark.parametrize("metric", METRICS)
@given(case=labelled_rows(SMALL_WHOLE))
@unhurried
def test_ranks_of_whole_features_are_those_of_plain_python(
    metric: str, case: tuple[list[list[float]], list[int]]
) -> None:
    rows, labels = case
    expected = brute_force(metric, rows, labels)
    assert as_dict(nearest_ranks(np.array(rows, dtype=np.int8), labels, metric)) == expected
    assert as_dict(nearest_ranks(rows, labels, metric)) == expected


@pytest.mark.parametrize("metric", ["l1", "l2"])
@given(case=labelled_rows(AWKWARD), block=st.integers(1, 5), keep=st.booleans())
@unhurried
def test_ranks_of_fractions_are_those_of_plain_python_in_feature_order(
    metric: str, case: tuple[list[list[float]], list[int]], block: int, keep: bool
) -> None:
    rows, labels = case
    ranks = nearest_ranks(rows, labels, metric, block=block, keep_scores=keep)
    assert as_dict(ranks) == brute_force(metric, rows, labels)


@given(case=labelled_rows(AWKWARD), block=st.integers(1, 5))
@unhurried
def test_ranks_by_cosine_of_fractions_are_those_of_plain_python_on_rows_scaled_by_powers_of_two(
    case: tuple[list[list[float]], list[int]], block: int
) -> None:
    rows, labels = case
    scaled = [[math.ldexp(value, -math.frexp(max(map(abs, row)))[1]) for value in row] for row in rows]
    assert as_dict(nearest_ranks(rows, labels, "cosine", block=block)) == brute_force("cosine", scaled, labels)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
@pytest.mark.parametrize("keep", [False, True])
def test_no_bit_of_the_result_depends_on_the_block_size(metric: str, kind: str, keep: bool) -> None:
    features, labels = many_items(kind)
    whole = everything(nearest_ranks(features, labels, metric, keep_scores=keep))
    for block in (1, 7, 64):
        assert everything(nearest_ranks(features, labels, metric, block=block, keep_scores=keep)) == whole
    assert everything(nearest_ranks(features, labels, metric, memory=1, keep_scores=keep)) == whole


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
def test_kept_scores_and_ranks_are_those_of_the_reference_bit_by_bit(metric: str, kind: str) -> None:
    features, labels = many_items(kind)
    ranks = nearest_ranks(features, labels, metric, keep_scores=True, block=50)
    space = by_name(metric)(features)
    everyone = np.arange(len(labels))
    for query, rank, score, others in each_query(ranks):
        scores = space.reference(query, everyone)
        scores[query] = -np.inf
        order = np.argsort(-scores, kind="stable")[:-1]
        mate = labels[order] == labels[query]
        assert rank == (np.flatnonzero(mate) + 1).tolist()
        assert score == space.shown(scores[order[mate]]).tolist()
        assert others == space.shown(scores[order[~mate]])[:256].tolist()


def each_query(ranks: RelevantRanks) -> Iterator[tuple[int, list[int], list[float], list[float]]]:
    """Position of the query, ranks and scores of its hits, scores of its best distractors."""
    assert ranks.distractors is not None
    judged, others = ranks.judged, ranks.distractors.lists("score")
    return zip(map(int, ranks.queries), judged.lists("rank"), judged.lists("score"), others, strict=True)


def many_items(kind: str, items: int = 340, width: int = 33) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Whole features with many ties, fractions, or fractions that differ from each other by a few last bits."""
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 6, items)
    whole = rng.integers(0, 3, (items, width))
    if kind == "whole":
        return whole.astype(np.uint8), labels
    if kind == "fractions":
        return rng.standard_normal((items, width)), labels
    twins = rng.standard_normal((items // 10, width))[rng.integers(0, items // 10, items)]
    shaken = np.nextafter(twins, np.where(rng.random(twins.shape) < 0.1, np.inf, twins))
    return np.where(rng.random((items, 1)) < 0.5, shaken, twins), labels


@pytest.mark.parametrize("metric", METRICS)
def test_scores_of_the_blocks_lie_within_the_slack_of_the_reference(metric: str) -> None:
    for kind in ("whole", "fractions", "near twins"):
        features, _ = many_items(kind)
        space = by_name(metric)(features)
        for query, row in enumerate(space.scores(np.arange(len(features)))):
            assert np.abs(row - space.reference(query, np.arange(len(features)))).max() <= space.slack(query)


@pytest.mark.parametrize("metric", METRICS)
def test_kept_scores_agree_with_scipy(metric: str) -> None:
    features, labels = many_items("fractions")
    distances = cdist(features, features, SCIPY[metric])
    similarity = 1 - distances if metric == "cosine" else -distances
    ranks = nearest_ranks(features, labels, metric, keep_scores=True)
    for query, rank, score, others in each_query(ranks):
        mate = labels == labels[query]
        distractors = np.sort(similarity[query][~mate])[::-1][:256]
        mate[query] = False
        hits = np.sort(similarity[query][mate])[::-1]
        assert rank == [1 + int((np.delete(similarity[query], query) > hit).sum()) for hit in hits]
        np.testing.assert_allclose(score, hits, atol=1e-12)
        np.testing.assert_allclose(others, distractors, atol=1e-12)


def test_a_worked_example_by_hand() -> None:
    # on a line: a0 at 0, b at 1, a1 at 2, x at 2, a2 at 9; from a0 by distance: b 1, a1 2, x 2, a2 9
    ranks = nearest_ranks([[0], [1], [2], [2], [9]], ["a", "b", "a", "", "a"], "l1", keep_scores=True)
    assert as_dict(ranks) == {"0": [2, 4], "2": [3, 4], "4": [1, 4]}
    assert ranks.ties.lists("start") == [[2], [], [1]]
    assert ranks.ties.lists("size") == [[2], [], [2]]
    assert ranks.judged.lists("score") == [[-2.0, -9.0], [-2.0, -7.0], [-7.0, -9.0]]
    assert ranks.distractors is not None
    assert ranks.distractors.lists("score") == [[-1.0, -2.0], [0.0, -1.0], [-7.0, -8.0]]
    assert ranks.straddling_pairs() == 2


def test_a_class_of_two_means_one_relevant_item_among_the_other_items() -> None:
    ranks = nearest_ranks([[0.0], [1.0], [5.0]], [4, 4, -1], "l2")
    assert ranks.relevant.tolist() == [1, 1]
    assert ranks.collection.tolist() == ranks.depth.tolist() == [2, 2]
    assert ranks.levels.lists("grade") == [[1.0], [1.0]]
    assert ranks.classes == ("4", "4")
    assert ranks.pooled.size == 0


@pytest.mark.parametrize("none", [-1, None, "", "-1", np.int64(-1)])
def test_items_without_a_class_and_lone_members_are_never_queries(none: Any) -> None:
    ranks = nearest_ranks([[0], [1], [2], [3]], ["a", none, "a", "alone"])
    assert ranks.queries == ("0", "2")
    two_without = nearest_ranks([[0], [1], [2], [3]], ["a", none, "a", none])
    assert two_without.queries == ("0", "2")


def test_queries_stand_in_byte_order_of_their_ids() -> None:
    features, labels = [[0], [1], [2], [3]], [1, 1, 2, 2]
    assert nearest_ranks(features, labels, ids=["é", "z", "a", "Z"]).queries == ("Z", "a", "z", "é")
    assert nearest_ranks(features, labels, ids=[10, 9, 100, 1]).queries == ("1", "10", "100", "9")
    named = nearest_ranks(features, labels, "l1", ids=["é", "z", "a", "Z"])
    assert as_dict(named) == {"Z": [1], "a": [2], "z": [1], "é": [1]}
    assert named.classes == ("2", "2", "1", "1")


def test_the_order_of_the_items_decides_between_equal_scores() -> None:
    ranks = nearest_ranks(np.zeros((5, 2)), [-1, 7, -1, 7, 7], "l2")
    assert as_dict(ranks) == {"1": [3, 4], "3": [2, 4], "4": [2, 4]}
    assert ranks.ties.lists("start") == [[1]] * 3
    assert ranks.ties.lists("size") == [[4]] * 3


def test_a_row_of_zeros_scores_zero_with_every_item_by_cosine() -> None:
    ranks = nearest_ranks([[0, 0], [1, 0], [-1, 0], [0, 0]], [1, 1, -1, 1], "cosine", keep_scores=True)
    assert as_dict(ranks) == {"0": [1, 3], "1": [1, 2], "3": [1, 2]}
    assert ranks.judged.lists("score") == [[0.0, 0.0]] * 3


@pytest.mark.parametrize("factor", [1e-90, 1e90])
def test_very_large_and_very_small_rows_keep_their_angle(factor: float) -> None:
    features, labels = many_items("fractions")
    scale = np.where(np.arange(len(labels)) % 2, 1.0, factor)[:, None]
    assert as_dict(nearest_ranks(features * scale, labels)) == as_dict(nearest_ranks(features, labels))


@pytest.mark.parametrize("metric", METRICS)
@given(case=labelled_rows(SMALL_WHOLE), shift=st.integers(-3, 3))
@unhurried
def test_a_power_of_two_in_front_of_all_features_changes_no_rank(
    metric: str, case: tuple[list[list[float]], list[int]], shift: int
) -> None:
    rows, labels = case
    larger = np.array(rows) * 2.0**shift
    assert as_dict(nearest_ranks(larger, labels, metric)) == as_dict(nearest_ranks(rows, labels, metric))


@given(case=labelled_rows(SMALL_WHOLE))
@unhurried
def test_cosine_ranks_follow_exact_fractions_where_the_angles_differ(
    case: tuple[list[list[float]], list[int]],
) -> None:
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


@given(
    scores=st.lists(st.integers(0, 4).map(float), min_size=1, max_size=80).map(np.array),
    data=st.data(),
)
@unhurried
def test_counting_and_sorting_give_the_same_ranks(scores: NDArray[np.float64], data: st.DataObject) -> None:
    hits = np.array(sorted(data.draw(st.sets(st.integers(0, scores.size - 1), min_size=1))))
    rank, start, size = ranks_of(scores, hits)
    order = np.argsort(-scores, kind="stable").tolist()
    assert rank.tolist() == [order.index(hit) + 1 for hit in hits.tolist()]
    assert start.tolist() == [1 + int((scores > scores[hit]).sum()) for hit in hits.tolist()]
    assert size.tolist() == [int((scores == scores[hit]).sum()) for hit in hits.tolist()]


def test_many_hits_are_ranked_as_few_are() -> None:
    scores = np.random.default_rng(1).integers(0, 30, 500).astype(np.float64)
    hits = np.arange(0, 500, 5)
    assert hits.size > FEW
    one_by_one = [ranks_of(scores, hits[place : place + 1])[0].item() for place in range(hits.size)]
    assert ranks_of(scores, hits)[0].tolist() == one_by_one


def test_an_item_alone_within_reach_needs_no_second_look() -> None:
    assert too_close(np.array([0.0, 1.0, 2.0]), np.array([1]), reach=0.5).tolist() == []
    assert too_close(np.array([0.0, 1.0, 1.5]), np.array([1]), reach=0.5).tolist() == [1, 2]


def test_the_best_are_all_when_there_are_fewer() -> None:
    assert best(np.array([1.0, 3.0, 2.0]), 256).tolist() == [3.0, 2.0, 1.0]
    assert best(np.array([]), 256).tolist() == []


def test_sums_add_in_feature_order() -> None:
    row = np.array([[1e16, 1.0, 1.0, -1e16]])
    assert in_order(row, np.positive).tolist() == [0.0]
    assert in_order(row[:, ::-1], np.positive).tolist() == [2.0 - 2.0]
    assert in_order(np.array([[1.0, 1.0, 1e16, -1e16]]), np.positive).tolist() == [2.0]


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
    assert distances.between(np.arange(9)).tolist() == exact


@pytest.mark.parametrize("metric", METRICS)
def test_whole_numbers_too_large_for_exact_products_are_screened(metric: str) -> None:
    features = np.random.default_rng(3).integers(-(2**40), 2**40, (60, 20))
    labels = np.arange(60) % 4
    space: Space = by_name(metric)(features)
    assert (space.slack(0) > 0) == (metric != "l1")
    blocks = [everything(nearest_ranks(features, labels, metric, block=block)) for block in (1, 9, 60)]
    assert blocks[0] == blocks[1] == blocks[2]


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(InputError) as error:
        nearest_ranks([[0.0, np.nan], [1.0, np.inf]], [1.5, "b", "c"], ids=["x", "x", "y"])
    text = str(error.value)
    for part in (
        "item 0: features must be finite, got nan",
        "item 1: features must be finite, got inf",
        "item 0: label must be a whole number or text, got 1.5",
        "item 1: id 'x' is that of item 0 already",
        "2 rows of features, but 3 labels",
        "2 rows of features, but 3 ids",
        "no class has two members",
    ):
        assert part in text
    assert error.value.reports[0].count == 7


@pytest.mark.parametrize(
    ("features", "told"),
    [
        ([1.0, 2.0], "got shape (2,)"),
        (5.0, "got shape ()"),
        ([[1.0], [2.0, 3.0]], "got shape (2,)"),
        ([[], []], "got shape (2, 0)"),
        ([["a"], ["b"]], "features must be numbers"),
        ([[1e200], [0.0]], "must lie within"),
        ([[2**60], [0]], "must lie within"),
    ],
)
def test_features_that_are_no_table_of_numbers_are_refused(features: Any, told: str) -> None:
    with pytest.raises(InputError) as error:
        nearest_ranks(features, [1, 1])
    assert told in str(error.value)


def test_an_unknown_metric_is_named_with_those_there_are() -> None:
    with pytest.raises(SettingError, match="did you mean 'cosine'"):
        nearest_ranks([[0], [1]], [1, 1], "cosin")


@pytest.mark.parametrize("wrong", [{"block": 0}, {"memory": 0}])
def test_a_block_holds_at_least_one_query(wrong: dict[str, int]) -> None:
    with pytest.raises(SettingError, match="at least 1"):
        nearest_ranks([[0], [1]], [1, 1], **wrong)  # type: ignore[arg-type]


def test_progress_counts_up_to_all_queries() -> None:
    seen: list[tuple[int, int]] = []
    nearest_ranks([[0], [1], [2]], [1, 1, 1], block=2, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(2, 3), (3, 3)]


def test_provenance_tells_inputs_apart_and_has_no_place_or_time() -> None:
    one = nearest_ranks([[0], [1]], [1, 1], "l1").provenance
    assert one == nearest_ranks([[0], [1]], [1, 1], "l1").provenance
    assert one["settings"] == {"metric": "l1", "ties": "position", "query_item": "removed"}
    assert one["features"]["sha256"] != nearest_ranks([[0], [2]], [1, 1], "l1").provenance["features"]["sha256"]
    assert one["features"]["sha256"] != nearest_ranks([[0], [1]], [2, 2], "l1").provenance["features"]["sha256"]
    assert set(one) == {"features", "judgements", "settings", "versions"}


def test_ranks_survive_a_round_trip_through_their_file(tmp_path: Path) -> None:
    features, labels = many_items("whole")
    ranks = nearest_ranks(features, labels, keep_scores=True, system="pixels")
    save_ranks(ranks, tmp_path / "pixels.ranks.parquet")
    again = load_ranks(tmp_path / "pixels.ranks.parquet")
    assert everything(again) == everything(ranks)
    assert again.system == "pixels"
