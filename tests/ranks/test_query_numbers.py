"""Numbers of queries that come in any order."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.inputs.id_columns import IdColumn, TextIds
from rankscope.inputs.tables import SeriesIds
from rankscope.ranks.query_blocks import QueryNumbers

BLOCKS = st.lists(st.lists(st.sampled_from(["q1", "q2", "10", "é", "a much longer id"]), max_size=8), max_size=6)


def column(ids: list[str], polars: bool) -> IdColumn:
    return SeriesIds(pl.Series(ids, dtype=pl.String)) if polars else TextIds.of(ids)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@pytest.mark.parametrize("colliding", [False, True])
@given(blocks=BLOCKS, polars=st.booleans())
def test_each_query_has_a_number_by_when_it_came(
    blocks: list[list[str]], polars: bool, colliding: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = QueryNumbers()
    expected: dict[str, int] = {}
    with monkeypatch.context() as patch:
        if colliding:
            patch.setattr(TextIds, "hashes", lambda self: np.full(len(self), 7, dtype=np.uint64))
        for block in blocks:
            for query in block:
                expected.setdefault(query, len(expected))
            if block:
                assert numbers.of(column(block, polars)).tolist() == [expected[query] for query in block]
    assert numbers.queries == tuple(expected)


def test_very_many_queries_have_numbers_too() -> None:
    numbers = QueryNumbers()
    ids = TextIds.of([str(number) for number in range(30_000)])
    assert numbers.of(ids).tolist() == list(range(30_000))
    assert numbers.of(ids.take(np.arange(30_000)[::-1])).tolist() == list(range(30_000))[::-1]
