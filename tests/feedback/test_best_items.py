"""The best items of each row, against a full sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.feedback.examples.scores import best, best_items


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
