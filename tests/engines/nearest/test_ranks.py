"""Ranks from vectors: the same bytes however the work is cut, worked examples, and clear errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.core.errors import InputError, SettingError
from rankscope.engines.nearest import ALL, blocks, metrics, nearest_ranks, space
from rankscope.engines.nearest.metrics import space_of
from rankscope.engines.nearest.products import ProductSpace
from rankscope.engines.nearest.space import Space
from rankscope.ranks.storage import load_ranks, save_ranks
from tests.engines.nearest.plain import as_dict, everything, fit_for, labelled_rows, many_items

METRICS = [each.name for each in ALL]


@pytest.mark.sampled(9)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["whole", "fractions", "near twins"])
@pytest.mark.parametrize("keep", [False, True])
def test_no_bit_of_the_result_depends_on_blocks_or_threads(metric: str, kind: str, keep: bool) -> None:
    features, labels = many_items(kind)
    features = fit_for(metric, features)
    whole = everything(nearest_ranks(features, labels, metric, keep_scores=keep))
    for more in ({"block": 37}, {"block": 64, "threads": 1}):
        assert everything(nearest_ranks(features, labels, metric, keep_scores=keep, **more)) == whole  # type: ignore[arg-type]
    assert everything(nearest_ranks(features, labels, metric, memory=300_000, keep_scores=keep)) == whole


@pytest.mark.sampled(4)
@pytest.mark.parametrize("metric", ["cosine", "ip", "l2", "l1"])
@pytest.mark.parametrize("dear", [(-1.0, -1.0), (-1.0, 1e9), (1e9, 1e9)])
def test_no_bit_of_the_result_depends_on_how_precise_the_screening_is(
    metric: str, dear: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("fractions", "near twins"):
        features, labels = many_items(kind)
        whole = everything(nearest_ranks(features, labels, metric, keep_scores=True))
        for each in (Space, *ALL):
            monkeypatch.setattr(each, "dear", dear)
        assert everything(nearest_ranks(features, labels, metric, keep_scores=True)) == whole


def test_a_few_queries_say_how_precise_the_first_block_is_screened(monkeypatch: pytest.MonkeyPatch) -> None:
    features = np.random.default_rng(0).standard_normal((400, 9)).astype(np.float32)
    monkeypatch.setattr(ProductSpace, "dear", (-1.0, 1e9))  # the first level never does
    screened: list[tuple[int, int]] = []
    plain = ProductSpace.products

    def products(space: ProductSpace, queries: Any, items: slice, level: int) -> Any:
        screened.append((level, queries.size))
        return plain(space, queries, items, level)

    monkeypatch.setattr(ProductSpace, "products", products)
    nearest_ranks(features, np.arange(400) % 5, "cosine", threads=1)
    assert [(level, size <= 2 * blocks.PROBED) for level, size in screened] == [(0, True), (1, True), (1, False)]


def test_the_best_of_small_chunks_are_the_best_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    features = np.random.default_rng(0).standard_normal((700, 5))
    labels = [1, 1, *[-1] * 698]  # chunks without a hit, and with fewer items than are kept
    whole = everything(nearest_ranks(features, labels, keep_scores=True))
    for most in (40, 300):
        monkeypatch.setattr(blocks.Ranker, "most_items", most)
        assert everything(nearest_ranks(features, labels, keep_scores=True)) == whole


def test_items_come_in_chunks_where_rows_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    features, labels = many_items("near twins")
    whole = everything(nearest_ranks(features, labels, keep_scores=True))
    monkeypatch.setattr(blocks.Ranker, "most_items", 50)
    monkeypatch.setattr(ProductSpace, "copies", 0)
    assert everything(nearest_ranks(features, labels, keep_scores=True, block=20)) == whole


@pytest.mark.parametrize("metric", METRICS)
def test_features_larger_than_memory_come_in_slabs(
    metric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    features, labels = many_items("fractions")
    features = fit_for(metric, features)
    whole = everything(nearest_ranks(features, labels, metric, keep_scores=True))
    np.save(tmp_path / "features.npy", features)
    mapped = np.load(tmp_path / "features.npy", mmap_mode="r")
    monkeypatch.setattr(space, "SLAB", 500)
    monkeypatch.setattr(metrics, "LARGE", 0)
    monkeypatch.setattr(ProductSpace, "copies", 0)
    assert everything(nearest_ranks(mapped, labels, metric, keep_scores=True, memory=1 << 20)) == whole


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
    assert ranks.provenance["judgements"]["queries_without_relevant"] == 1
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


@pytest.mark.parametrize("metric", [each for each in METRICS if each not in ("hamming_bits", "d1")])
@given(case=labelled_rows(st.integers(0, 2).map(float)), shift=st.integers(-3, 3))
@settings(max_examples=20)
def test_a_power_of_two_in_front_of_all_features_changes_no_rank(
    metric: str, case: tuple[list[list[float]], list[int]], shift: int
) -> None:
    """Bits are no numbers, and d1 has a one that stays."""
    rows, labels = case
    larger = np.array(rows) * 2.0**shift
    assert as_dict(nearest_ranks(larger, labels, metric)) == as_dict(nearest_ranks(rows, labels, metric))


@pytest.mark.parametrize("metric", ["cosine", "l1", "l2"])
def test_whole_numbers_too_large_for_exact_products_are_screened(metric: str) -> None:
    features = np.random.default_rng(3).integers(-(2**40), 2**40, (60, 20))
    labels = np.arange(60) % 4
    assert space_of(metric, features).exact == (metric == "l1")
    results = [everything(nearest_ranks(features, labels, metric, block=block)) for block in (1, 9, 60)]
    assert results[0] == results[1] == results[2]


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


@pytest.mark.parametrize("wrong", [{"block": 0}, {"memory": 0}, {"threads": 0}])
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
