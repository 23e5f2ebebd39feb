"""Finding items by id: exact, even when all hashes are the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.inputs.id_columns import TextIds
from rankscope.inputs.tables import SeriesIds
from rankscope.ranks.query_blocks import ItemKeys, keys_of
from tests.strategies import ITEMS

Rows = list[tuple[int, str]]  # segment and item of each row, segments ascending
ROWS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(ITEMS)), max_size=30).map(
    lambda rows: sorted(rows, key=lambda row: row[0])
)
HASHES: dict[str, Callable[[str], int]] = {
    "all equal": lambda item: 7,
    "two values": lambda item: len(item) % 2,
    "by first letter": lambda item: ord(item[0]),
    "shifted by a segment": lambda item: (len(item) * 0x9E3779B97F4A7C15) % 2**64,  # item and segment cancel out
}


@pytest.fixture(params=["as it is", *HASHES])
def hashing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    bad = HASHES.get(request.param)
    if bad is not None:
        for kind in (TextIds, SeriesIds):
            monkeypatch.setattr(
                kind, "hashes", lambda self: np.array([bad(item) for item in self.to_list()], dtype=np.uint64)
            )
    return str(request.param)


def column(rows: Rows) -> TextIds:
    return TextIds.of([item for _, item in rows])


def item_keys(rows: Rows) -> ItemKeys:
    return ItemKeys.of(column(rows), np.array([segment for segment, _ in rows], dtype=np.int64))


NO_RESET = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@NO_RESET
@given(rows=ROWS)
def test_repeated_items_are_found_as_neighbouring_pairs(hashing: str, rows: Rows) -> None:
    earlier, later = item_keys(rows).repeated()
    expected = []
    for row, pair in enumerate(rows):
        before = [other for other in range(row) if rows[other] == pair]
        if before:
            expected.append((before[-1], row))
    assert sorted(zip(earlier.tolist(), later.tolist(), strict=True)) == sorted(expected)


@NO_RESET
@given(rows=ROWS, wanted=st.lists(st.tuples(st.integers(0, 4), st.sampled_from(ITEMS)), unique=True, max_size=20))
def test_wanted_items_are_found_in_their_own_query_only(hashing: str, rows: Rows, wanted: Rows) -> None:
    items = column(wanted)
    keys = keys_of(items.hashes(), np.array([segment for segment, _ in wanted], dtype=np.int64))
    found, index = item_keys(rows).find(items, keys)
    expected = [(row, wanted.index(pair)) for row, pair in enumerate(rows) if pair in wanted]
    assert list(zip(found.tolist(), index.tolist(), strict=True)) == expected


def test_chains_of_equal_items_come_in_order(hashing: str) -> None:
    rows = [(0, "a"), (0, "b"), (0, "a"), (0, "b"), (0, "a"), (1, "a")]
    earlier, later = item_keys(rows).repeated()
    pairs = list(zip(earlier.tolist(), later.tolist(), strict=True))
    assert [pair for pair in pairs if rows[pair[0]] == (0, "a")] == [(0, 2), (2, 4)]
    assert [pair for pair in pairs if rows[pair[0]] == (0, "b")] == [(1, 3)]
