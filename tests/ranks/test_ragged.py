"""The engine room against plain Python lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.ranks.ragged import Ragged, column_sums_by, in_order_sum, ranges

Lists = list[list[int]]
LISTS = st.lists(st.lists(st.integers(-50, 50), max_size=6), max_size=6)
FLOATS = st.lists(st.lists(st.floats(-1e6, 1e6, width=32), max_size=6), max_size=6)


def flat(lists: list[list[float]]) -> list[float]:
    return [value for each in lists for value in each]


@given(lists=LISTS)
def test_lists_come_back_as_they_went_in(lists: Lists) -> None:
    ragged = Ragged.of(lists, "rank")
    assert ragged.lists("rank") == lists
    assert len(ragged) == len(lists)
    assert ragged.size == sum(map(len, lists))
    assert ragged.lengths.tolist() == [len(each) for each in lists]
    assert ragged.row.tolist() == [row for row, each in enumerate(lists) for _ in each]
    assert ragged.position.tolist() == [place for each in lists for place in range(1, len(each) + 1)]
    assert "rank" in ragged
    assert "grade" not in ragged


@given(lists=LISTS)
def test_rows_that_name_their_list_make_the_same(lists: Lists) -> None:
    ragged = Ragged.of(lists, "rank")
    again = Ragged.from_rows(ragged.row, len(lists), rank=ragged["rank"])
    assert again.lists("rank") == lists


@given(lists=FLOATS)
def test_totals_add_in_order_from_zero(lists: list[list[float]]) -> None:
    ragged = Ragged.of(lists, "value", np.float64)
    expected = []
    for each in lists:
        total = 0.0
        for value in each:
            total += value
        expected.append(total)
    totals = ragged.total(ragged["value"])
    assert totals.dtype == np.float64  # of nothing too
    assert totals.tolist() == expected
    assert ragged.total(1).tolist() == [len(each) for each in lists]


@given(lists=FLOATS)
def test_running_totals_of_floats_know_nothing_of_other_lists(lists: list[list[float]]) -> None:
    ragged = Ragged.of(lists, "value", np.float64)
    expected = []
    for each in lists:
        total = 0.0
        for value in each:
            total += value
            expected.append(total)
    assert ragged.running_in_order(ragged["value"]).tolist() == expected


@given(lists=LISTS)
def test_running_totals_of_whole_numbers_are_exact(lists: Lists) -> None:
    ragged = Ragged.of(lists, "rank")
    expected = [sum(each[:place]) for each in lists for place in range(1, len(each) + 1)]
    assert ragged.running(ragged["rank"]).tolist() == expected
    assert ragged.running_in_order(ragged["rank"].astype(np.float64)).tolist() == expected


def test_running_totals_in_several_batches_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).normal(size=200)
    ragged = Ragged.from_rows(np.sort(np.random.default_rng(4).integers(0, 40, 200)), 45, value=values)
    whole = ragged.running_in_order(values)
    batches = Ragged._batches
    monkeypatch.setattr(Ragged, "_batches", lambda self, width: batches(self, width, cells=3 * width))
    assert ragged.running_in_order(values).tolist() == whole.tolist()


@given(lists=LISTS, data=st.data())
def test_choosing_rows_keeps_every_list(lists: Lists, data: st.DataObject) -> None:
    ragged = Ragged.of(lists, "rank")
    chosen = data.draw(st.lists(st.booleans(), min_size=ragged.size, max_size=ragged.size))
    mask = np.array(chosen, dtype=np.bool_)
    marks = iter(chosen)
    expected = [[value for value in each if next(marks)] for each in lists]
    assert ragged.where(mask).lists("rank") == expected
    assert ragged.count(mask).tolist() == [len(each) for each in expected]


@given(lists=LISTS.filter(len), data=st.data())
def test_taking_lists_in_any_order_and_more_than_once(lists: Lists, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=8))
    taken = Ragged.of(lists, "rank").take(np.array(wanted, dtype=np.int64))
    assert taken.lists("rank") == [lists[row] for row in wanted]


@given(lists=LISTS)
def test_sorting_stays_inside_each_list(lists: Lists) -> None:
    ragged = Ragged.of(lists, "rank")
    ragged = ragged.with_columns(twice=ragged["rank"] * 2, odd=ragged["rank"] % 2)
    assert ragged.sorted_by(ragged["rank"]).lists("rank") == [sorted(each) for each in lists]
    by_two = ragged.sorted_by(ragged["odd"], -ragged["rank"])
    assert by_two.lists("twice") == [[2 * v for v in sorted(each, key=lambda v: (v % 2, -v))] for each in lists]


@given(parts=st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 6)), max_size=8))
def test_ranges_run_one_behind_the_other(parts: list[tuple[int, int]]) -> None:
    starts, lengths = (np.array(each, dtype=np.int64) for each in (list(zip(*parts, strict=True)) or [(), ()]))
    assert ranges(starts, lengths).tolist() == [start + k for start, length in parts for k in range(length)]


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="one value for each row"):
        Ragged(np.array([0, 2]), {"rank": np.array([1])})


@settings(max_examples=50)
@given(values=st.lists(st.floats(-1e9, 1e9), max_size=20))
def test_sums_add_one_after_the_other(values: list[float]) -> None:
    total = 0.0
    for value in values:
        total += value
    assert in_order_sum(np.array(values, dtype=np.float64)) == total


def test_sums_of_columns_add_one_after_the_other() -> None:
    random = np.random.default_rng(0)
    number, table = random.integers(0, 7, 500), random.normal(size=(500, 3)) * 10.0 ** random.integers(-8, 8, (500, 3))
    expected = np.zeros((9, 3))
    for row, values in zip(number.tolist(), table, strict=True):
        expected[row] += values
    np.testing.assert_array_equal(column_sums_by(number, table, 9), expected)
    assert column_sums_by(np.empty(0, dtype=np.int64), np.empty((0, 3)), 0).shape == (0, 3)


def test_nothing_has_no_rows() -> None:
    nothing = Ragged.of([], "rank")
    assert (len(nothing), nothing.size, nothing.lists("rank")) == (0, 0, [])
    assert nothing.total(nothing["rank"]).size == 0
