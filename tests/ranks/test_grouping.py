"""Blocks of whole queries, from blocks of any size."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.inputs.problems import Problems
from rankscope.inputs.run_rows import line_numbers
from rankscope.ranks.query_blocks import Scattered, WholeQueries, gather_rows, whole_queries
from tests.ranks.slow_reduction import run_of
from tests.strategies import RunRow, run_rows

Listed = list[tuple[str, list[tuple[str, float, int]]]]


def listed(parts: list[WholeQueries]) -> Listed:
    """Query, and its rows as (item, score, line)."""
    result: Listed = []
    for part in parts:
        assert len(part.rows) == part.lengths.sum()
        for number, query in enumerate(part.queries):
            block = part.rows.take(np.flatnonzero(part.segment == number))
            rows = zip(block.item.to_list(), block.score.tolist(), line_numbers(block.line).tolist(), strict=True)
            result.append((query, list(rows)))
    return result


def expected(rows: list[RunRow]) -> Listed:
    return [
        (query, [(item, score, line) for line, (each, item, score) in enumerate(rows, start=1) if each == query])
        for query in dict.fromkeys(row[0] for row in rows)
    ]


@given(rows=run_rows(scattered=False), sizes=st.lists(st.integers(0, 5), max_size=20))
def test_whole_queries_come_out_of_blocks_of_any_size(rows: list[RunRow], sizes: list[int]) -> None:
    assert listed(list(whole_queries(run_of(rows, sizes).blocks(Problems("run"))))) == expected(rows)


@settings(max_examples=60)
@given(rows=run_rows(), sizes=st.lists(st.integers(0, 5), max_size=20))
def test_scattered_queries_are_told_or_taken_all_at_once(rows: list[RunRow], sizes: list[int]) -> None:
    runs = sum(before[0] != after[0] for before, after in pairwise(rows)) + 1
    blocks = run_of(rows, sizes).blocks(Problems("run"))
    if runs > len({row[0] for row in rows}):
        with pytest.raises(Scattered):
            list(whole_queries(blocks))
    else:
        assert listed(list(whole_queries(blocks))) == expected(rows)
    parts = list(gather_rows(run_of(rows, sizes).blocks(Problems("run"))))
    assert len(parts) == bool(rows)
    assert listed(parts) == expected(rows)


def test_no_blocks_make_no_groups() -> None:
    assert list(whole_queries([])) == []
    assert list(gather_rows([])) == []


def test_a_query_that_loses_its_rows_stays() -> None:
    rows = [("p", "a", 1.0), ("q", "b", 1.0), ("q", "c", 1.0)]
    (part,) = gather_rows(run_of(rows).blocks(Problems("run")))
    kept = part.keep(np.array([item == "b" for item in part.rows.item.to_list()]))
    assert dict(zip(kept.queries, kept.lengths.tolist(), strict=True)) == {"p": 0, "q": 1}
    assert kept.segment.tolist() == [kept.queries.index("q")]
