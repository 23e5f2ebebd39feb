"""Columns of numbers: to the last bit what Python makes of each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankscope.core.arrays import FloatArray
from rankscope.inputs import lines as module
from rankscope.inputs.id_columns import BEFORE, padded
from rankscope.inputs.lines import WRITTEN, decimals


def read(texts: list[str]) -> FloatArray | None:
    raw = " ".join(texts).encode()
    end = BEFORE + np.cumsum([len(text.encode()) + 1 for text in texts]) - 1
    start = np.concatenate([[BEFORE], end[:-1] + 1])
    return decimals(padded(raw), start, end)


def bits(values: FloatArray | None) -> list[int] | None:
    return None if values is None else values.view(np.int64).tolist()


WHOLE = st.integers(0, 10**22).map(str)
PLAIN = st.builds(
    lambda sign, whole, part: f"{sign}{whole}.{part}" if part else f"{sign}{whole}",
    st.sampled_from(["", "-"]),
    WHOLE,
    st.one_of(st.just(""), st.text("0123456789", max_size=20)),
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(repr)
SINGLES = st.floats(-1e4, 1e4, width=32).map(repr)
FIXED = st.floats(-1000, 1000).map(lambda value: f"{value:.6f}")


@given(st.one_of(*(st.lists(kind, min_size=1, max_size=40) for kind in (PLAIN, FLOATS, SINGLES, FIXED))))
@example(["9007199254740993", "9007199254740995", "0.30000000000000004", "-0.0", "-0", "18446744073709551615"])
@example(["9007199254740993.0"] * 9 + ["9007199254740992.5", "4503599627370497.5", "1e-3"])
def test_numbers_are_read_to_the_last_bit(texts: list[str]) -> None:
    found = read(texts)
    assert found is None or bits(found) == bits(np.array([float(text) for text in texts]))


@given(st.lists(st.one_of(SINGLES, FIXED).filter(lambda text: "e" not in text), min_size=1, max_size=40))
def test_numbers_as_runs_have_them_are_all_read_here(texts: list[str]) -> None:
    assert bits(read(texts)) == bits(np.array([float(text) for text in texts]))


def test_numbers_half_way_between_two_doubles_are_rounded_as_python_does() -> None:
    """2^53 + an odd number is no double; behind it stands nothing, a little or a little less."""
    texts = [f"{2**53 + odd}{more}" for odd in range(1, 40, 2) for more in (".0", ".01", ".1")]
    texts += [f"{2**53 + even}.99" for even in range(0, 40, 2)]
    texts += ["1.5"] * 400  # so that those that go one by one are few
    assert bits(read(texts)) == bits(np.array([float(text) for text in texts]))


def test_without_wide_numbers_the_result_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["17.283899307250977"] + ["1.5"] * 20
    expected = bits(read(texts))
    monkeypatch.setattr(module, "_WIDE", False)
    assert bits(read(texts)) == expected == bits(np.array([float(text) for text in texts]))


@pytest.mark.parametrize(
    "odd", ["", "-", ".", "-.", "1.2.3", "1..2", "+1", "inf", "nan", "1_0", "12a", "a", "1-2", "e5"]
)
def test_what_is_no_plain_number_is_left_to_others(odd: str) -> None:
    assert read([odd, *["1.0"] * 20]) is None
    assert not WRITTEN.fullmatch(odd.encode())


@pytest.mark.parametrize("odd", [".5", "1.", "-.5", "1e5", "1E-5", "00012", "1e400", "1" * 40, "0." + "3" * 40])
def test_a_few_odd_ones_are_read_one_by_one(odd: str) -> None:
    assert bits(read([odd, *["1.0"] * 20])) == bits(np.array([float(odd), *[1.0] * 20]))


def test_many_odd_ones_are_left_to_others() -> None:
    assert read(["1e5"] * 10) is None


SMALL = st.builds(
    lambda sign, zeros, digits: f"{sign}0.{'0' * zeros}{digits}",
    st.sampled_from(["", "-"]),
    st.integers(0, 5),
    st.integers(1, 10**20).map(str),
)


@given(st.lists(SMALL, min_size=1, max_size=40))
@example(["0.0009900990099009901"] * 3 + ["0.10000000000000000000", "0.9999999999999999999", "0.99999999999999999999"])
@example(["0.0000000000000000000001", "-0.0000000000000000000000", "0.00018446744073709551616"])
def test_numbers_below_one_are_read_to_the_last_bit(texts: list[str]) -> None:
    found = read(texts)
    assert found is None or bits(found) == bits(np.array([float(text) for text in texts]))


def test_zeros_in_front_do_not_count_as_digits() -> None:
    """As reciprocal ranks and small chances are written: all of them are read at full speed."""
    texts = [repr(1.0 / rank) for rank in range(1, 3000)]
    assert max(map(len, texts)) > 21
    assert bits(read(texts)) == bits(np.array([float(text) for text in texts]))
