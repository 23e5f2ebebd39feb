"""Orders inside groups of equal scores."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.ranks.ties import Ordered, groups_with, item_hash, ranks_of
from tests.strategies import ITEMS, SCORES

Query = list[tuple[str, float]]
QUERY = st.lists(
    st.tuples(st.sampled_from(ITEMS), st.sampled_from(SCORES)), min_size=1, max_size=8, unique_by=lambda row: row[0]
)
QUERIES = st.lists(QUERY, min_size=1, max_size=4)
POLICIES = ("trec_eval", "expected", "ascending", "given", "hash")


def slow_order(query: Query, name: str, policy: str, seed: int) -> list[int]:
    """Positions of the rows, best first."""

    def key(row: int) -> object:
        item = query[row][0]
        digest = hashlib.blake2b(f"{seed}\0{name}\0{item}".encode()).digest()[:8]
        return {"given": row, "ascending": item.encode(), "hash": (digest, item.encode())}[policy]

    rows = list(range(len(query)))
    if policy in ("trec_eval", "expected"):
        rows.sort(key=lambda row: query[row][0].encode(), reverse=True)
    else:
        rows.sort(key=key)  # type: ignore[arg-type]
    return sorted(rows, key=lambda row: -query[row][1])


@pytest.mark.parametrize("policy", POLICIES)
@given(queries=QUERIES, data=st.data())
def test_ranks_follow_the_policy(policy: str, queries: list[Query], data: st.DataObject) -> None:
    rows = [row for query in queries for row in query]
    lengths = np.array([len(query) for query in queries])
    starts, segment = np.cumsum(lengths) - lengths, np.repeat(np.arange(len(queries)), lengths)
    ordered = Ordered.of(np.array([score for _, score in rows]), segment, starts)
    chosen = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    names = [f"q{number}" for number in range(len(queries))]
    got, groups = ranks_of(chosen, ordered, pl.Series([item for item, _ in rows]), names, policy, 5)
    ranks = {}
    expected_groups = []
    for number, query in enumerate(queries):
        for rank, row in enumerate(slow_order(query, names[number], policy, 5), start=1):
            ranks[int(starts[number]) + row] = rank
        scores = sorted({score for _, score in query}, reverse=True)
        for score in scores:
            members = [int(starts[number]) + row for row, each in enumerate(query) if each[1] == score]
            if len(members) > 1 and set(members) & set(chosen.tolist()):
                first = int(starts[number]) + sum(each[1] > score for each in query)
                expected_groups.append((number, first, len(members)))
    assert got.tolist() == [ranks[row] for row in chosen.tolist()]
    assert (
        list(zip(groups.segment.tolist(), groups.first.tolist(), groups.size.tolist(), strict=True)) == expected_groups
    )


def test_minus_zero_and_zero_are_equal_scores() -> None:
    ordered = Ordered.of(np.array([-0.0, 0.0]), np.array([0, 0]), np.array([0]))
    groups, group_of = groups_with(np.array([0, 1]), ordered)
    assert groups.size.tolist() == [2]
    assert group_of.tolist() == [0, 0]


def test_equal_infinities_are_a_group() -> None:
    score = np.array([1.0, np.inf, -np.inf, np.inf, -np.inf])
    ordered = Ordered.of(score, np.zeros(5, dtype=np.int64), np.array([0]))
    rank, groups = ranks_of(np.arange(5), ordered, pl.Series(["a", "b", "c", "d", "e"]), ["q"], "ascending", 0)
    assert rank.tolist() == [3, 1, 4, 2, 5]
    assert groups.size.tolist() == [2, 2]


def test_ties_do_not_reach_into_the_next_query() -> None:
    ordered = Ordered.of(np.array([1.0, 1.0]), np.array([0, 1]), np.array([0, 1]))
    rank, groups = ranks_of(np.array([0, 1]), ordered, pl.Series(["a", "b"]), ["p", "q"], "trec_eval", 0)
    assert rank.tolist() == [1, 1]
    assert groups.size.size == 0


def test_the_hash_is_the_same_on_every_machine() -> None:
    """The first 8 bytes of BLAKE2b of seed, query and item, written down once."""
    assert item_hash(0, "q1", "a") == int.from_bytes(hashlib.blake2b(b"0\0q1\0a").digest()[:8], "big")
    assert f"{item_hash(0, 'q1', 'a'):016x}" == "364df9f22bed2be4"


def test_ids_are_compared_as_bytes() -> None:
    items = ["9", "10", "é", "z", "Z"]
    ordered = Ordered.of(np.zeros(5), np.zeros(5, dtype=np.int64), np.array([0]))
    rank, _ = ranks_of(np.arange(5), ordered, pl.Series(items), ["q"], "trec_eval", 0)
    assert [item for _, item in sorted(zip(rank.tolist(), items, strict=True))] == ["é", "z", "Z", "9", "10"]
