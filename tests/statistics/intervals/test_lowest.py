"""The lowest numbers of rows, against putting whole rows in order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.arrays import FloatArray
from rankscope.statistics.intervals.lowest import PART, lowest_places


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 700), st.data())
def test_they_are_the_first_of_the_row_put_in_order(seed: int, rows: int, width: int, data: st.DataObject) -> None:
    numbers = np.random.default_rng(seed).random((rows, width))
    count = data.draw(st.integers(1, width))
    np.testing.assert_array_equal(lowest_places(numbers, count), np.argsort(numbers, axis=1)[:, :count])


def hidden(width: int) -> FloatArray:
    """The low numbers stand where the part that is looked at has none, so that every guess is too high or too low."""
    numbers = np.arange(float(width))
    numbers[::PART] += width
    return np.stack([numbers, numbers[::-1], -numbers, np.where(np.arange(width) % PART == 0, -1.0, numbers)])


@pytest.mark.parametrize("count", [1, 40, 250, 999, 1000])
def test_numbers_in_an_order_that_misleads_the_guess_are_found_as_well(count: int) -> None:
    numbers = hidden(1000)
    found = np.take_along_axis(numbers, lowest_places(numbers, count), axis=1)
    np.testing.assert_array_equal(found, np.sort(numbers, axis=1)[:, :count])


def test_equal_numbers_are_each_found_once() -> None:
    numbers = np.tile([0.5, 0.25, 0.5, 0.75], (2, 100))
    for row in lowest_places(numbers, 150):
        assert len(set(row.tolist())) == 150
        assert sorted(numbers[0, row].tolist()) == [0.25] * 100 + [0.5] * 50
