"""Counting above limits, by bins and without, against plain comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankscope.ranks import screening
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.screening import Close, count_block, final_ranks, float32_limits

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


@pytest.mark.parametrize("few", [0.0, 1 / 24, 2.0])
@pytest.mark.parametrize("cells", [1, 1 << 18])
@given(case=blocks())
def test_counts_are_those_of_comparing_each_score_with_each_limit(
    few: float, cells: int, case: tuple[NDArray[np.float32], list[list[tuple[float, float]]]]
) -> None:
    scores, pairs = case
    limits = Ragged.of([[low for low, _ in row[::-1]] for row in pairs], "low", np.float32)
    highs = Ragged.of([[high for _, high in row[::-1]] for row in pairs], "high", np.float32)
    limits = limits.with_columns(high=highs["high"])
    usual = screening.FEW, screening.CELLS
    screening.FEW, screening.CELLS = few, cells
    try:
        found = count_block(scores, limits)
    finally:
        screening.FEW, screening.CELLS = usual
    close = {
        (row, item): min(places)
        for row, values in enumerate(scores)
        for item, value in enumerate(values.tolist())
        if (places := [place for place in hits_of(limits, row) if within(limits, place, value)])
    }
    pairs_found = zip(found.row.tolist(), found.item.tolist(), strict=True)
    assert dict(zip(pairs_found, found.place.tolist(), strict=True)) == close
    expected = [
        sum(
            value > limits["high"][place] and (row, item) not in close
            for item, value in enumerate(scores[row].tolist())
        )
        for row in range(len(scores))
        for place in hits_of(limits, row)
    ]
    assert found.before.tolist() == expected


def hits_of(limits: Ragged, row: int) -> range:
    return range(limits.offsets[row], limits.offsets[row + 1])


def within(limits: Ragged, place: int, value: float) -> bool:
    return bool(limits["low"][place] <= value <= limits["high"][place])


@given(low=st.floats(-1e39, 1e39), gap=st.floats(0, 1))
def test_limits_are_rounded_outwards(low: float, gap: float) -> None:
    below, above = float32_limits(np.array([low]), np.array([low + gap]))
    assert float(below[0]) <= low
    assert float(above[0]) >= low + gap


def test_close_items_are_put_in_order_by_their_references() -> None:
    # hits at .9 (item 3) and .5 (item 5); close: item 1 at .9, item 7 at .9, item 2 at .6; two certain ones above .5
    hits = Ragged(np.array([0, 2]), {"item": np.array([3, 5]), "score": np.array([0.9, 0.5])})
    close = Close(
        row=np.array([0, 0, 0]),
        item=np.array([1, 2, 7]),
        score=np.array([0.9, 0.6, 0.9]),
        place=np.array([0, 1, 0]),
    )
    ranked = final_ranks(hits, np.array([0, 2]), close)
    assert ranked.rank.tolist() == [2, 7]
    assert ranked.ties.lists("start") == [[1]]
    assert ranked.ties.lists("size") == [[3]]
