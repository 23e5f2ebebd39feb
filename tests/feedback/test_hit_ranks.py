from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.feedback.hit_ranks import best_items, hit_ranks
from rankscope.feedback.ranking import ranks_from_scores
from rankscope.feedback.scored import best
from rankscope.ranks.ragged import Ragged


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 200), st.integers(-250, 250), st.booleans())
@settings(max_examples=150)
def test_ranks_and_ties_are_those_of_a_full_sort(seed: int, rows: int, items: int, scale: int, tied: bool) -> None:
    chance = np.random.default_rng(seed)
    scores = chance.normal(size=(rows, items)) * 10.0**scale
    if tied:
        scores = np.round(chance.normal(size=(rows, items)) * 3)
    out = chance.random(scores.shape) < chance.random()
    wanted = (chance.random(scores.shape) < chance.random()) & ~out
    row, item = np.nonzero(wanted)
    found, ties = hit_ranks(scores, out, Ragged.from_rows(row, rows, item=item))
    plain = ranks_from_scores(scores, wanted, ~out)
    assert found.lists("rank") == plain.judged.lists("rank")
    assert [ties.lists(name) for name in ("start", "size")] == [plain.ties.lists(name) for name in ("start", "size")]


def test_scores_that_differ_in_the_last_bit_are_told_apart() -> None:
    scores = np.array([[1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0), 0.5]])
    found, ties = hit_ranks(scores, np.zeros((1, 4), np.bool_), Ragged.of([[0, 2]], "item"))
    assert found.lists("rank") == [[2, 3]]
    assert ties.size == 0


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 400), st.integers(1, 40), st.booleans())
@settings(max_examples=150)
def test_the_best_items_are_those_of_a_full_sort(seed: int, rows: int, items: int, count: int, tied: bool) -> None:
    chance = np.random.default_rng(seed)
    scores = chance.normal(size=(rows, items))
    scores = np.round(scores) if tied else scores
    out = chance.random(scores.shape) < chance.random()
    assert np.array_equal(best_items(scores, out, count), best(scores, count, out))


@pytest.mark.parametrize("items", [1000, 5000])
def test_the_best_stand_together_where_items_are_sorted(items: int) -> None:
    scores = np.arange(items, dtype=np.float64)[None, :]
    assert best_items(scores, np.zeros((1, items), np.bool_), 20)[0].tolist() == list(range(items - 1, items - 21, -1))
