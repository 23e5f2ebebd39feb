"""The low end of rows, against putting whole rows in order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.ranks.score_tables import SAMPLE_STEP, low_numbers


def lowest_places(numbers: FloatArray, count: int) -> IntArray:
    return low_numbers(numbers, count).in_order(count)


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 700), st.data())
def test_they_are_the_first_of_the_row_put_in_order(seed: int, rows: int, width: int, data: st.DataObject) -> None:
    numbers = np.random.default_rng(seed).random((rows, width))
    count = data.draw(st.integers(1, width))
    np.testing.assert_array_equal(lowest_places(numbers, count), np.argsort(numbers, axis=1)[:, :count])


def hidden(width: int) -> FloatArray:
    """The low numbers stand where the part that is looked at has none, so that every guess is too high or too low."""
    numbers = np.arange(float(width))
    numbers[::SAMPLE_STEP] += width
    return np.stack([numbers, numbers[::-1], -numbers, np.where(np.arange(width) % SAMPLE_STEP == 0, -1.0, numbers)])


@pytest.mark.parametrize("count", [1, 40, 100, 250, 1000])
def test_numbers_in_an_order_that_misleads_the_guess_are_found_as_well(count: int) -> None:
    numbers = hidden(1000)
    found = np.take_along_axis(numbers, lowest_places(numbers, count), axis=1)
    np.testing.assert_array_equal(found, np.sort(numbers, axis=1)[:, :count])


def test_equal_numbers_are_each_found_once() -> None:
    numbers = np.tile([0.5, 0.25, 0.5, 0.75, *[0.9] * 36], (2, 100))
    for row in lowest_places(numbers, 150):
        assert len(set(row.tolist())) == 150
        assert sorted(numbers[0, row].tolist()) == [0.25] * 100 + [0.5] * 50


def test_numbers_that_cannot_be_left_out_are_all_there() -> None:
    """Infinite ones too, where a row has too few others."""
    numbers = np.full((3, 400), np.inf)
    numbers[0, 7], numbers[1, ::3] = 1.0, np.arange(134.0)
    assert np.isfinite(low_numbers(numbers, 40).values).sum(axis=1).tolist()[0] == 1
    assert lowest_places(numbers, 40)[0, 0] == 7
    assert lowest_places(numbers, 40)[1].tolist() == [3 * place for place in range(40)]
