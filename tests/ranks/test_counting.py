"""Counting above limits, by bins and without, against plain comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankscope.ranks import counting
from rankscope.ranks.counting import count_block
from rankscope.ranks.keys import float32_limits, items_of, keys_of, rows_of
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.settling import Close, final_ranks

EXTREME = [-np.inf, -3e38, -1.0, -1e-38, -1e-45, -0.0, 0.0, 1e-45, 1e-38, 1.0, 1.0000001, 3e38]
VALUES = st.sampled_from(EXTREME) | st.floats(-2, 2, width=32)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[NDArray[np.float32], list[list[tuple[float, float]]]]:
    rows, width = draw(st.integers(1, 4)), draw(st.integers(1, 30))
    cells = draw(st.lists(VALUES, min_size=rows * width, max_size=rows * width))
    pair = st.tuples(VALUES.filter(np.isfinite), VALUES.filter(np.isfinite)).map(lambda each: tuple(sorted(each)))
    limits = [sorted(draw(st.lists(pair, max_size=4))) for _ in range(rows)]
    ascending = [list(zip(sorted(a for a, _ in row), sorted(b for _, b in row), strict=True)) for row in limits]
    return np.array(cells, dtype=np.float32).reshape(rows, width), ascending


@pytest.mark.parametrize("few", [0.0, 1 / 6, 2.0])
@given(case=blocks())
def test_counts_are_those_of_comparing_each_score_with_each_limit(
    few: float, case: tuple[NDArray[np.float32], list[list[tuple[float, float]]]]
) -> None:
    scores, pairs = case
    limits = Ragged.of([[low for low, _ in row] for row in pairs], "low", np.float32)
    limits = limits.with_columns(
        high=Ragged.of([[high for _, high in row] for row in pairs], "high", np.float32)["high"]
    )
    before, counting.FEW = counting.FEW, few
    try:
        found = count_block(scores, limits)
    finally:
        counting.FEW = before
    low, high = limits["low"], limits["high"]
    rows = [scores[row] for row in limits.row]
    assert found.above.tolist() == [int((row > top).sum()) for row, top in zip(rows, high, strict=True)]
    assert found.within.tolist() == [
        int(((row >= base) & (row <= top)).sum()) for row, base, top in zip(rows, low, high, strict=True)
    ]
    close = {
        (place, item)
        for place, base, top in zip(limits.row.tolist(), low, high, strict=True)
        for item in np.flatnonzero((scores[place] >= base) & (scores[place] <= top)).tolist()
    }
    assert sorted(zip(found.row.tolist(), found.item.tolist(), strict=True)) == sorted(close)
    assert (found.score == scores[found.row, found.item]).all()


@given(values=st.lists(st.sampled_from(EXTREME) | st.floats(width=32, allow_nan=False), min_size=1, max_size=30))
def test_keys_stand_in_the_order_of_row_score_and_item(values: list[float]) -> None:
    scores = np.array(values, dtype=np.float32)
    row, item = np.arange(scores.size) % 3, np.arange(scores.size)[::-1].copy()
    keys = np.sort(keys_of(row, scores, item))
    expected = sorted(zip(row.tolist(), (scores + 0).tolist(), item.tolist(), strict=True))
    assert rows_of(keys).tolist() == [each[0] for each in expected]
    assert items_of(keys).tolist() == [each[2] for each in expected]


@given(low=st.floats(-1e39, 1e39), gap=st.floats(0, 1))
def test_limits_are_rounded_outwards(low: float, gap: float) -> None:
    below, above = float32_limits(np.array([low]), np.array([low + gap]))
    assert float(below[0]) <= low
    assert float(above[0]) >= low + gap


def test_close_items_are_put_in_order_by_their_references() -> None:
    # hits at .9 (item 3) and .5 (item 5); close: item 1 at .9, item 7 at .9, item 2 at .6; two certain ones above .5
    hits = Ragged(np.array([0, 2]), {"item": np.array([3, 5]), "score": np.array([0.9, 0.5])})
    close = Close(
        np.array([0, 0, 0]), np.array([1, 2, 7]), np.array([0.9, 0.6, 0.9]), np.array([0, 3]), np.array([2, 1])
    )
    ranked = final_ranks(hits, np.array([0, 5]), close)
    assert ranked.rank.tolist() == [2, 7]
    assert ranked.ties.lists("start") == [[1]]
    assert ranked.ties.lists("size") == [[3]]
