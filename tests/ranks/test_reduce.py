"""The one reduction against a slow one, under every policy."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rankscope.core.errors import InputError
from rankscope.core.settings import Settings
from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.ranks import ties as ties_module
from rankscope.ranks.reduction import reduce
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS
from rankscope.ranks.storage import load_ranks, save_ranks
from tests.ranks.slow_reduction import assert_reduced, qrels_of, run_of, slow_reduction
from tests.strategies import ITEMS, QUERIES, QrelsRow, RunRow, qrels_rows, run_rows

TIES = ("trec_eval", "ascending", "given", "hash", "expected")
SIZES = st.lists(st.integers(0, 7), max_size=6)


def check(
    qrels: list[QrelsRow],
    run: list[RunRow],
    sizes: list[int],
    chosen: Settings,
    junk: Any = (),
    ranks: list[int] | None = None,
    lines: list[RunRow] | None = None,
) -> None:
    """The slow reduction of the run against that of its lines, which may come in another order."""
    expected, given = slow_reduction(qrels, run, chosen, junk, ranks), run_of(lines or run, sizes, ranks)
    if any(each.topic.answered for each in expected.values()):
        assert_reduced(reduce(qrels_of(qrels), given, chosen, junk=junk), expected)
    else:
        with pytest.raises(InputError, match="no query of the run is judged"):
            reduce(qrels_of(qrels), given, chosen, junk=junk)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("score_width", [64, 32])
@settings(max_examples=40)
@given(qrels=qrels_rows(), run=run_rows(), sizes=SIZES)
def test_ranks_are_those_of_a_slow_reduction(
    ties: str, score_width: int, qrels: list[QrelsRow], run: list[RunRow], sizes: list[int]
) -> None:
    check(qrels, run, sizes, Settings(ties=ties, score_width=score_width, seed=3))


@pytest.mark.parametrize("duplicates", ["best", "first", "last"])
@settings(max_examples=60)
@given(qrels=st.lists(st.sampled_from(QUERIES), min_size=1), run=run_rows(repeated=True), sizes=SIZES, data=st.data())
def test_duplicates_go_by_the_policy(
    duplicates: str, qrels: list[str], run: list[RunRow], sizes: list[int], data: st.DataObject
) -> None:
    judged = [(q, data.draw(st.sampled_from(ITEMS)), float(data.draw(st.integers(-1, 3)))) for q in qrels]
    check(judged, run, sizes, Settings(ties="given", duplicates=duplicates))


@pytest.mark.parametrize("query_item", ["kept", "removed", "kept_ignored", "counted"])
@settings(max_examples=40)
@given(qrels=qrels_rows(), run=run_rows(), sizes=SIZES, data=st.data())
def test_junk_and_the_query_itself_leave_the_list(
    query_item: str, qrels: list[QrelsRow], run: list[RunRow], sizes: list[int], data: st.DataObject
) -> None:
    pairs = [(query, item) for query in QUERIES for item in ITEMS]
    junk = data.draw(st.lists(st.sampled_from(pairs), max_size=10))
    check(qrels, run, sizes, Settings(query_item=query_item), junk)


@settings(max_examples=40)
@given(qrels=qrels_rows(), run=run_rows(scattered=False), sizes=SIZES, data=st.data())
def test_scattered_lines_give_what_grouped_lines_give(
    qrels: list[QrelsRow], run: list[RunRow], sizes: list[int], data: st.DataObject
) -> None:
    mixed = data.draw(st.permutations(run))
    for ties in ("trec_eval", "ascending", "hash"):  # these never look at the order of the lines
        for lines in (run, mixed):
            check(qrels, run, sizes, Settings(ties=ties), lines=lines)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(qrels=qrels_rows(), run=run_rows(repeated=True))
def test_colliding_hashes_change_nothing(
    monkeypatch: pytest.MonkeyPatch, qrels: list[QrelsRow], run: list[RunRow]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(TextIds, "hashes", lambda self: np.full(len(self), 7, dtype=np.uint64))
        check(qrels, run, [], Settings(duplicates="best"), [("q1", "a")])


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(qrels=qrels_rows(), run=run_rows())
def test_counting_and_sorting_agree(monkeypatch: pytest.MonkeyPatch, qrels: list[QrelsRow], run: list[RunRow]) -> None:
    for most in (0, 100):
        with monkeypatch.context() as patch:
            patch.setattr(ties_module, "COUNTED_AT_MOST", most)
            check(qrels, run, [1] * len(run), Settings())


# the rank column


@settings(max_examples=40)
@given(qrels=qrels_rows(), run=run_rows(scattered=False), first=st.integers(0, 1), sizes=SIZES, data=st.data())
def test_the_rank_column_decides_everything(
    qrels: list[QrelsRow], run: list[RunRow], first: int, sizes: list[int], data: st.DataObject
) -> None:
    ranks: list[int] = []
    for query in dict.fromkeys(row[0] for row in run):
        count = sum(row[0] == query for row in run)
        ranks += data.draw(st.permutations(range(first, first + count)))
    junk = data.draw(st.lists(st.sampled_from([(query, item) for query, item, _ in run]), max_size=3))
    chosen = Settings(ties="rank", query_item=data.draw(st.sampled_from(["kept", "removed"])))
    check(qrels, run, sizes, chosen, junk, ranks)


@pytest.mark.parametrize("ranks", [[1, 3], [1, 1], [2, 3], [0, 2], [-1, 0]])
def test_ranks_with_gaps_or_doubles_are_refused(ranks: list[int]) -> None:
    run = run_of([("q", "a", 1.0), ("q", "b", 2.0)], ranks=ranks)
    with pytest.raises(InputError, match="ranks must run 1, 2, 3"):
        reduce(qrels_of([("q", "a", 1.0)]), run, Settings(ties="rank"))


def test_junk_leaves_the_list_after_the_ranks_were_checked() -> None:
    """What revisitop's users have: ranks, junk, and the query itself in the list."""
    frame = pl.DataFrame({"query": "q", "item": ["q", "junk", "x", "a"], "rank": [1, 2, 3, 4]})
    scores = evaluate({"q": {"a": 1}}, frame, "RR", compat="revisitop", junk=[("q", "junk")])
    assert scores["RR"] == 0.5


@pytest.mark.parametrize("ranks", [[1, 2, 3], [1, 1, 2]])
def test_duplicates_may_have_ranks_of_their_own_or_not(ranks: list[int]) -> None:
    run = run_of([("q", "b", 3.0), ("q", "b", 3.0), ("q", "a", 1.0)], ranks=ranks)
    reduced = reduce(qrels_of([("q", "a", 1.0)]), run, Settings(ties="rank", duplicates="first"))
    assert reduced.judged.lists("rank") == [[2]]


# single cases worth their own name


def reduced_dict(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], **chosen: Any) -> list[list[int]]:
    lists: list[list[int]] = reduce(Qrels.of(qrels), Run.of(run), Settings(**chosen)).judged.lists("rank")
    return lists


def test_the_best_of_three_duplicates_is_kept_wherever_it_stands() -> None:
    for scores in ([2.0, 1.0, 3.0], [3.0, 1.0, 2.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]):
        rows = [("q", "a", score) for score in scores] + [("q", "x", 2.5)]
        reduced = reduce(qrels_of([("q", "a", 1.0)]), run_of(rows), Settings(duplicates="best"), keep_scores=True)
        assert reduced.judged.lists("rank") == [[1]]
        assert reduced.judged.lists("score") == [[3.0]]


def test_close_scores_are_equal_in_32_bits_only() -> None:
    run = {"q": {"a": 1.00000001, "z": 1.0}}
    assert reduced_dict({"q": {"a": 1}}, run) == [[1]]
    assert reduced_dict({"q": {"a": 1}}, run, score_width=32) == [[2]]
    assert reduced_dict({"q": {"a": 1}}, run, compat="trec_eval-9") == [[2]]
    assert reduced_dict({"q": {"a": 1}}, run, compat="trec_eval-10") == [[1]]


def test_minus_zero_equals_zero() -> None:
    assert reduced_dict({"q": {"a": 1}}, {"q": {"a": 0.0, "z": -0.0}}) == [[2]]
    assert reduced_dict({"q": {"a": 1}}, {"q": {"z": -0.0, "a": 0.0}}, ties="ascending") == [[1]]


def test_infinite_scores_stand_at_the_ends() -> None:
    run = {"q": {"a": float("-inf"), "b": 0.0, "c": float("inf"), "d": float("inf")}}
    assert reduced_dict({"q": {"a": 1, "c": 1}}, run) == [[2, 4]]


def test_a_duplicate_is_an_error_that_names_both_lines() -> None:
    rows = [("q", "a", 1.0), ("q", "b", 0.5), ("q", "a", 0.2)]
    with pytest.raises(InputError, match=r"query q: item 'a' is ranked twice \(lines 1 and 3\)"):
        reduce(qrels_of([("q", "a", 1.0)]), run_of(rows))


def test_every_duplicate_is_counted() -> None:
    rows = [("q", f"d{number % 150}", 1.0) for number in range(450)]
    with pytest.raises(InputError, match="run: 300 problems"):
        reduce(qrels_of([("q", "d1", 1.0)]), run_of(rows))


def test_an_item_of_two_queries_is_no_duplicate() -> None:
    ranks = reduce(qrels_of([("p", "a", 1.0), ("q", "a", 1.0)]), run_of([("p", "a", 1.0), ("q", "a", 1.0)]))
    assert ranks.judged.lists("rank") == [[1], [1]]


def test_a_run_without_any_judged_query_is_an_error_that_shows_ids_of_both() -> None:
    with pytest.raises(InputError, match=r"(?s)no query of the run is judged.*'other'.*'q'"):
        reduce(qrels_of([("q", "a", 1.0)]), run_of([("other", "a", 1.0)]))


def test_a_query_that_lost_all_its_items_was_answered_all_the_same() -> None:
    ranks = reduce(
        qrels_of([("q", "a", 1.0), ("p", "b", 1.0)]), run_of([("q", "x", 1.0), ("p", "b", 1.0)]), junk=[("q", "x")]
    )
    assert ranks.queries == ("p", "q")
    assert ranks.depth.tolist() == [1, 0]
    assert ranks.answered.tolist() == [True, True]


def test_queries_of_the_run_without_judgements_are_named() -> None:
    ranks = reduce(qrels_of([("q", "a", 1.0)]), run_of([("z", "a", 1.0), ("q", "a", 1.0), ("é", "a", 1.0)]))
    assert ranks.not_judged == ("z", "é")


# the collection


def test_the_collection_lacks_junk_and_the_removed_query() -> None:
    """method.md: removing the query shrinks d by 1 (and c, where it is relevant); junk is not in d."""
    qrels = {"q": {"q": 1, "a": 1, "j": 1}, "p": {"a": 1}}
    run = {"q": {"q": 3.0, "a": 2.0, "j": 1.0}, "p": {"a": 1.0}}
    junk = [("q", "j"), ("q", "j"), ("q", "k")]
    for query_item, size in (("kept", 100), ("removed", 99), ("kept_ignored", 99)):
        chosen = Settings(collection_size=100, query_item=query_item)
        ranks = reduce(Qrels.of(qrels), Run.of(run), chosen, junk=junk)
        assert ranks.collection.tolist() == [size, size - 2]
        assert ranks.with_collection(1000).collection.tolist() == [900 + size, 900 + size - 2]
        scores = evaluate(qrels, run, "generality", junk=junk, collection_size=100, query_item=query_item)
        expected = [1 / size, (2 if query_item == "kept" else 1) / (size - 2)]
        assert scores.systems[0].columns[0].values.tolist() == pytest.approx(expected)


def test_saved_ranks_remember_what_the_collection_lacks(tmp_path: Path) -> None:
    ranks = reduce(Qrels.of({"q": {"a": 1}}), Run.of({"q": ["q", "a"]}), Settings(query_item="removed"))
    save_ranks(ranks, tmp_path / "saved.ranks.parquet")
    again = load_ranks(tmp_path / "saved.ranks.parquet")
    assert again.collection.tolist() == ranks.collection.tolist() == [-1]
    assert again.with_collection(10).collection.tolist() == [9]


# scores kept for the growth forecast


@settings(max_examples=40)
@given(qrels=qrels_rows(), run=run_rows(), limit=st.integers(1, 4))
def test_kept_scores_are_those_of_judged_items_and_of_the_best_others(
    qrels: list[QrelsRow], run: list[RunRow], limit: int
) -> None:
    assume(not {row[0] for row in run}.isdisjoint(row[0] for row in qrels))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankscope.ranks.reduction.KEPT_DISTRACTORS", limit)
        ranks = reduce(qrels_of(qrels), run_of(run), keep_scores=True)
    grade_of = {(query, item): grade for query, item, grade in qrels}
    assert ranks.distractors is not None
    for row, query in enumerate(ranks.queries):
        others = [s for q, item, s in run if q == query and grade_of.get((q, item), 0) < 1]
        assert ranks.distractors.lists("score")[row] == sorted(others, reverse=True)[:limit]
        judged = [s for q, item, s in run if q == query and grade_of.get((q, item), -1) >= 0]
        assert ranks.judged.lists("score")[row] == sorted(judged, reverse=True)


def test_256_distractors_are_kept() -> None:
    rows = [("q", f"d{number}", float(number)) for number in range(400)]
    ranks = reduce(qrels_of([("q", "d399", 1.0), ("q", "d398", 0.0)]), run_of(rows), keep_scores=True)
    assert ranks.distractors is not None
    assert ranks.distractors["score"].tolist() == [float(number) for number in range(398, 398 - KEPT_DISTRACTORS, -1)]


# provenance


def test_equal_inputs_have_equal_provenance_whatever_the_order_of_lines() -> None:
    rows = [(f"q{number % 7}", f"d{number}", float(number % 5)) for number in range(50)]
    qrels = qrels_of([(f"q{number % 7}", f"d{number}", float(number % 3)) for number in range(50)])
    first = reduce(qrels, run_of(rows))
    again = reduce(qrels, run_of(rows, [5] * 9))
    shuffled = list(rows)
    random.Random(1).shuffle(shuffled)
    mixed = reduce(qrels, run_of(shuffled))
    for other in (again, mixed):
        assert other.provenance == first.provenance
        assert other.judged.lists("rank") == first.judged.lists("rank")
        np.testing.assert_array_equal(other.ties["start"], first.ties["start"])


def test_progress_says_how_much_of_which_run_is_read(tmp_path: Path) -> None:
    path, seen = tmp_path / "bm25.run", list[tuple[str, float]]()
    path.write_text("".join(f"q{query} Q0 d{item} 0 {-item} t\n" for query in range(3) for item in range(4)))
    reduce({"q1": {"d2": 1}}, path, progress=lambda name, share: seen.append((name, share)))
    assert {name for name, _ in seen} == {"bm25"}
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
