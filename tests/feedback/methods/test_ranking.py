"""Ranks from scores: who is in the list, ties by position, failed sessions, and pieces put together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.feedback.methods import QueryPoint
from rankscope.feedback.methods.method import list_ranks, rank_sessions
from rankscope.feedback.normalization.example_sets import ExampleSets
from rankscope.measures import AP
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.score_tables import ranks_from_scores
from tests.feedback.problems import drawn

tables = st.integers(2, 12).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, (3, n), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])),
        arrays(np.bool_, (3, n)),
        arrays(np.bool_, (3, n)),
    )
)


@given(tables)
def test_ranks_are_those_of_a_plain_sort(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    values, relevant, counted = table
    ranks = ranks_from_scores(values, relevant, counted)
    for row in range(3):
        order = sorted(np.flatnonzero(counted[row]), key=lambda item: (-values[row, item], item))
        assert ranks.judged.lists("rank")[row] == [rank for rank, item in enumerate(order, 1) if relevant[row, item]]
        assert ranks.collection[row] == ranks.depth[row] == len(order)
        assert ranks.relevant[row] == (relevant & counted)[row].sum()
        assert [list_ranks(values, counted)[row, item] for item in order] == list(range(1, len(order) + 1))


@given(tables)
def test_tied_pairs_that_straddle_relevance_are_counted(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    values, relevant, counted = table
    pairs = sum(
        values[row, one] == values[row, other]
        for row in range(3)
        for one in np.flatnonzero(relevant[row] & counted[row])
        for other in np.flatnonzero(~relevant[row] & counted[row])
    )
    assert ranks_from_scores(values, relevant, counted).straddling_pairs() == pairs


def test_the_worked_lists_score_as_they_should() -> None:
    scores, relevant = [[5.0, 4.0, 3.0, 2.0, 1.0]], [True, True, False, True, False]  # a b y c x
    assert AP().of(ranks_from_scores(scores, relevant))[0] == pytest.approx(0.916667, abs=1e-6)
    residual = ranks_from_scores(scores, relevant, [False, False, True, True, False])
    assert AP().of(residual)[0] == pytest.approx(0.5)
    assert (residual.relevant[0], residual.collection[0]) == (1, 2)


def test_a_failed_session_has_no_answer_and_touches_no_other() -> None:
    ranks = ranks_from_scores([[np.nan, np.nan], [0.0, 1.0]], [False, True])
    assert ranks.answered.tolist() == [False, True]
    assert ranks.depth.tolist() == [0, 2]
    assert ranks.judged.lists("rank") == [[], [1]]
    assert ranks.relevant.tolist() == [1, 1]


def test_blocks_of_sessions_put_together_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    items, target = drawn()
    examples = ExampleSets.drawn(target, 7, (3, 3)).of_size(3, 3)
    counted = ~examples.judged(len(items))
    whole = rank_sessions(QueryPoint(), items, examples, target, counted, topic="a")
    monkeypatch.setattr(type(items), "sessions_at_once", 2)
    parts = rank_sessions(QueryPoint(), items, examples, target, counted, topic="a")
    assert parts.queries == whole.queries == tuple(f"a/{number}" for number in range(1, 8))
    assert parts.judged.lists("rank") == whole.judged.lists("rank")
    assert parts.classes == whole.classes == ("a",) * 7
    assert parts.collection.tolist() == whole.collection.tolist() == [194] * 7
    assert RelevantRanks.join([whole]) is whole
