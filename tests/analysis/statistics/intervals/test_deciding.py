"""By how many units a mean is decided: by hand, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.analysis.statistics.sampling_units import deciding_units
from rankscope.core.arrays import FloatArray

tables = arrays(np.float64, st.tuples(st.integers(2, 30), st.integers(1, 4)), elements=st.floats(0, 1, width=32))


def by_hand(values: list[float]) -> float:
    mean = sum(values) / len(values)
    squares = [(value - mean) ** 2 for value in values]
    return sum(squares) ** 2 / sum(square**2 for square in squares)


def test_one_of_many_decides_alone() -> None:
    values = [0.0] * 24 + [1.0]
    assert deciding_units(np.array(values)[:, None])[0] == pytest.approx(by_hand(values))
    assert by_hand(values) == pytest.approx(1.08, abs=0.01)


@given(table=tables)
def test_it_is_between_one_and_the_number_of_units(table: FloatArray) -> None:
    values = deciding_units(table)
    assert (values >= 1 - 1e-9).all()
    assert (values <= len(table) + 1e-9).all()


@given(table=tables, factor=st.floats(0.01, 100), seed=st.integers(0, 9))
def test_neither_scale_nor_order_nor_holes_matter(table: FloatArray, factor: float, seed: int) -> None:
    table = np.round(table, 3)
    mixed = np.random.default_rng(seed).permutation(np.vstack([table, np.full((3, table.shape[1]), np.nan)]))
    np.testing.assert_allclose(deciding_units(factor * mixed), deciding_units(table), rtol=1e-6)


def test_units_that_agree_all_count_and_nothing_is_decided_by_none() -> None:
    assert deciding_units(np.full((7, 1), 0.1)).tolist() == [7.0]
    assert deciding_units(np.array([[0.1 + 0.2], [0.3], [0.3], [0.3]])).tolist() == [4.0]
    assert deciding_units(np.full((3, 1), np.nan)).tolist() == [0.0]
