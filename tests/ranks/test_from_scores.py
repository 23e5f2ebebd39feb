"""Dense scores to ranks, ties and distractors, against a plain sort; and one place that puts them together."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankscope.core.threads import in_threads
from rankscope.ranks import score_tables
from rankscope.ranks.kept_scores import lots_of_numbers
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.score_tables import best_others, hit_ranks, items_of, ranks_from_scores

SOURCE = Path(score_tables.__file__).parents[1]
Table = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # scores, inside, relevant


@st.composite
def tables(draw: st.DrawFn) -> Table:
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 200))
    kind = draw(st.sampled_from(["wide", "near", "tied", "same", "infinite"]))
    scores = chance.normal(size=shape) * 10.0 ** draw(st.integers(-250, 250))
    if kind == "near":
        scores = 1.0 + np.round(chance.normal(size=shape) * 4) * 2.0**-52
    elif kind != "wide":
        scores = np.round(chance.normal(size=shape) * (3 if kind == "tied" else 0))
    if kind == "infinite":
        scores = chance.choice([-np.inf, -1e308, 0.0, 1.0, 1e308, np.inf], shape)
    inside = chance.random(shape) < chance.random()
    return scores, inside, (chance.random(shape) < chance.random() ** 3) & inside


def plain_row(scores: Any, inside: Any, relevant: Any) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """Ranks of the relevant items, groups of equal scores that hold one, and the other items best first."""
    order = sorted(np.flatnonzero(inside).tolist(), key=lambda item: (-scores[item], item))
    ranks = [rank for rank, item in enumerate(order, 1) if relevant[item]]
    groups: dict[float, list[int]] = {}
    for rank, item in enumerate(order, 1):
        groups.setdefault(float(scores[item]), []).append(rank)
    held = [group for group in groups.values() if len(group) > 1 and any(relevant[order[rank - 1]] for rank in group)]
    return ranks, [(group[0], len(group)) for group in held], [item for item in order if not relevant[item]]


@pytest.mark.parametrize("many", [0.0, 1 / 64, 2.0], ids=["sorted", "usual", "counted"])
@pytest.mark.parametrize("each", [score_tables.in_turn, in_threads], ids=["in turn", "threads"])
@given(table=tables(), cells=st.sampled_from([1, 300, 1 << 20]))
@settings(max_examples=60)
def test_ranks_and_ties_are_those_of_a_plain_sort(many: float, each: Any, table: Table, cells: int) -> None:
    scores, inside, relevant = table
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("MANY", many), ("COUNTED_CELLS", cells), ("SORTED_CELLS", cells)):
            patch.setattr(score_tables, name, value)
        patch.setattr(score_tables, "PART_CELLS", cells)
        result = ranks_from_scores(scores, relevant, inside, keep_scores=True, each=each)
    for row in range(len(scores)):
        ranks, ties, others = plain_row(scores[row], inside[row], relevant[row])
        assert result.judged.lists("rank")[row] == ranks
        assert list(zip(result.ties.lists("start")[row], result.ties.lists("size")[row], strict=True)) == ties
        assert result.distractors is not None
        assert result.distractors.lists("score")[row] == scores[row][others].tolist()
        assert result.distractors.lists("lot")[row] == lots_of_numbers(np.array(others, dtype=np.int64)).tolist()
        assert result.depth[row] == result.collection[row] == inside[row].sum()
        assert result.relevant[row] == relevant[row].sum()
        assert sorted(result.judged.lists("score")[row]) == sorted(scores[row][relevant[row]].tolist())


@given(table=tables(), number=st.integers(1, 20))
def test_the_best_of_the_others_are_those_of_a_plain_sort(table: Table, number: int) -> None:
    scores, inside, relevant = table
    result = best_others(scores, items_of(relevant), inside, number)
    for row, expected in enumerate(zip(scores, inside, relevant, strict=True)):
        assert result.lists("score")[row] == scores[row][plain_row(*expected)[2][:number]].tolist()


def test_scores_that_differ_in_the_last_bit_are_distinguished() -> None:
    scores = np.array([[1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0), 0.5]])
    found, ties = hit_ranks(scores, Ragged.of([[0, 2]], "item"))
    assert found.lists("rank") == [[2, 3]]
    assert ties.size == 0


def test_a_row_with_nan_failed_and_touches_no_other() -> None:
    ranks = ranks_from_scores([[np.nan, 1.0], [0.0, 1.0]], [False, True])
    assert (ranks.answered.tolist(), ranks.depth.tolist(), ranks.relevant.tolist()) == ([False, True], [0, 2], [1, 1])
    assert ranks.judged.lists("rank") == [[], [1]]


def test_scores_are_left_as_they_were() -> None:
    scores = np.array([[0.5, 0.9, 0.5, 0.7]])
    ranks_from_scores(scores, [True, False, True, False], [True, False, True, True], keep_scores=True)
    assert scores.tolist() == [[0.5, 0.9, 0.5, 0.7]]


def test_parts_joined_are_the_whole() -> None:
    chance = np.random.default_rng(0)
    scores, relevant = np.round(chance.normal(size=(5, 30))), chance.random((5, 30)) < 0.2
    names = [f"q{row}" for row in range(5)]
    whole = ranks_from_scores(scores, relevant, queries=names, classes=names, keep_scores=True)
    parts = [
        ranks_from_scores(scores[rows], relevant[rows], queries=names[rows], classes=names[rows], keep_scores=True)
        for rows in (slice(0, 2), slice(2, 5))
    ]
    joined = RelevantRanks.join(parts)
    assert (joined.queries, joined.classes) == (whole.queries, whole.classes)
    for name in ("judged", "pooled", "levels", "ties", "distractors"):
        for column in getattr(whole, name).columns:
            assert getattr(joined, name).lists(column) == getattr(whole, name).lists(column)


def test_reductions_are_put_together_in_one_place() -> None:
    calls = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "RelevantRanks"
    ]
    assert calls == []  # only RelevantRanks.assemble makes one, and calls itself cls
