"""Ids as bytes and ids as polars holds them do the same."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.inputs import id_columns
from rankscope.inputs.id_columns import IdColumn, TextIds, are_in_order, join_columns
from rankscope.inputs.tables import SeriesIds, as_series

IDS = st.lists(
    st.one_of(
        st.sampled_from(["a", "a\0", "ab", "12345678", "123456789", "é", "漢字" * 9, "x" * 70, "x" * 71]),
        st.text(min_size=1, max_size=20),
    ),
    max_size=12,
).map(lambda ids: [each for each in ids if each.isascii() or each.encode(errors="ignore").decode() == each])
KINDS = st.sampled_from(["text", "kept", "series", "joined"])


def column(ids: list[str], kind: str) -> IdColumn:
    if kind == "series":
        return SeriesIds(pl.Series(ids, dtype=pl.String))
    if kind == "joined":
        half = len(ids) // 2
        return join_columns([TextIds.of(ids[:half]), TextIds.of(ids[half:])])
    return TextIds.of(ids).kept() if kind == "kept" else TextIds.of(ids)


@given(ids=IDS, kind=KINDS, data=st.data())
def test_a_column_is_a_list_of_ids(ids: list[str], kind: str, data: st.DataObject) -> None:
    held = column(ids, kind)
    assert held.to_list() == ids == [held[row] for row in range(len(held))]
    rows = data.draw(st.lists(st.integers(0, len(ids) - 1), max_size=10)) if ids else []
    assert held.take(np.array(rows, dtype=np.int64)).to_list() == [ids[row] for row in rows]
    start = data.draw(st.integers(0, len(ids)))
    stop = data.draw(st.integers(start, len(ids)))
    assert held.slice(start, stop).to_list() == ids[start:stop]
    assert held.as_texts().to_list() == ids == held.like(TextIds.of(ids)).to_list() == as_series(held).to_list()
    assert held.kept().to_list() == ids


@given(ids=IDS, kind=KINDS, count=st.integers(0, 12))
def test_starts_are_where_an_id_differs_from_the_one_before(ids: list[str], kind: str, count: int) -> None:
    doubled = [each for each in ids for _ in range(2)]
    held = column(doubled, kind)
    expected = [row for row in range(len(doubled)) if row == 0 or doubled[row] != doubled[row - 1]]
    assert held.starts().tolist() == expected
    assert held.slice(0, count).starts().tolist() == [row for row in expected if row < count]


@given(one=IDS, other=IDS, kind=KINDS)
def test_equal_ids_are_equal_and_have_equal_hashes(one: list[str], other: list[str], kind: str) -> None:
    size = min(len(one), len(other))
    first, second = column(one[:size], kind), column(other[:size], kind)
    assert first.equals(second).tolist() == [one[row] == other[row] for row in range(size)]
    both = column([*one, *one], kind).hashes()
    assert (both[: len(one)] == both[len(one) :]).all()
    assert len(set(both.tolist())) == len(set(one))


@given(ids=IDS, kind=KINDS, data=st.data())
def test_order_is_that_of_the_numbers_and_then_of_the_bytes(ids: list[str], kind: str, data: st.DataObject) -> None:
    first = data.draw(st.lists(st.integers(-2, 2), min_size=len(ids), max_size=len(ids)))
    found = column(ids, kind).order(np.array(first, dtype=np.int64))
    assert found.tolist() == sorted(range(len(ids)), key=lambda row: (first[row], ids[row].encode(), row))


def test_long_ids_are_sorted_one_by_one_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = TextIds.of(["b", "a" * 20, "a" * 19, "c", "a" * 20])
    expected = ids.order(np.zeros(5, dtype=np.int64)).tolist()
    monkeypatch.setattr(id_columns, "SORTED_BY_WORDS", 0)
    assert ids.order(np.zeros(5, dtype=np.int64)).tolist() == expected == [2, 1, 4, 0, 3]


def test_the_hash_of_an_id_is_the_same_for_ever() -> None:
    """Slots by its first bits, so these must be spread; the values themselves are stored nowhere."""
    hashes = TextIds.of([str(number) for number in range(20_000)]).hashes()
    assert np.unique(hashes).size == 20_000
    counts = np.bincount((hashes >> np.uint64(56)).astype(np.int64), minlength=256)
    assert counts.min() > 30
    assert counts.max() < 140


def test_rows_are_in_order_up_to_the_last_key() -> None:
    assert are_in_order([np.array([1, 1, 1]), np.array([2, 2, 3])])
    assert not are_in_order([np.array([1, 1, 1]), np.array([2, 3, 2])])
    assert are_in_order([np.array([], dtype=np.int64)])
