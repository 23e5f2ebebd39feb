"""Orders inside groups of equal scores."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.inputs.id_columns import TextIds
from rankscope.ranks import ties
from rankscope.ranks.ties import ScoredRows, item_hash, ranks_of, standing
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
@pytest.mark.parametrize("counted_at_most", [0, 2, 100])
@given(queries=QUERIES, data=st.data())
def test_ranks_follow_the_policy(policy: str, counted_at_most: int, queries: list[Query], data: st.DataObject) -> None:
    given_rows = [(number, item, score) for number, query in enumerate(queries) for item, score in query]
    rows = data.draw(st.permutations(given_rows)) if data.draw(st.booleans()) else given_rows
    segment = np.array([number for number, _, _ in rows])
    scored = ScoredRows(
        np.array([score for _, _, score in rows]), segment, np.bincount(segment, minlength=len(queries))
    )
    chosen = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    names = [f"q{number}" for number in range(len(queries))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ties, "COUNTED_AT_MOST", counted_at_most)
        got, groups = ranks_of(chosen, scored, TextIds.of([item for _, item, _ in rows]), names, policy, 5)
    ranks: dict[int, int] = {}
    expected_groups = []
    for number in range(len(queries)):
        places = [place for place, row in enumerate(rows) if row[0] == number]
        query = [(rows[place][1], rows[place][2]) for place in places]
        for rank, row in enumerate(slow_order(query, names[number], policy, 5), start=1):
            ranks[places[row]] = rank
        for score in sorted({score for _, score in query}, reverse=True):
            members = [places[row] for row, each in enumerate(query) if each[1] == score]
            if len(members) > 1 and set(members) & set(chosen.tolist()):
                expected_groups.append((number, sum(each[1] > score for each in query), len(members)))
    assert got.tolist() == [ranks[row] for row in chosen.tolist()]
    assert (
        list(zip(groups.segment.tolist(), groups.above.tolist(), groups.size.tolist(), strict=True)) == expected_groups
    )


def scored_as_one_query(*scores: float) -> ScoredRows:
    return ScoredRows(np.array(scores), np.zeros(len(scores), dtype=np.int64), np.array([len(scores)]))


def test_minus_zero_and_zero_are_equal_scores() -> None:
    for scored in (scored_as_one_query(-0.0, 0.0), scored_as_one_query(-0.0, 0.0, 1.0)):
        found = standing(np.array([0, 1]), scored)
        assert found.groups.size.tolist() == [2]
        assert found.group.tolist() == [0, 0]


def test_equal_infinities_are_a_group() -> None:
    scored = scored_as_one_query(1.0, np.inf, -np.inf, np.inf, -np.inf)
    rank, groups = ranks_of(np.arange(5), scored, TextIds.of(["a", "b", "c", "d", "e"]), ["q"], "ascending", 0)
    assert rank.tolist() == [3, 1, 4, 2, 5]
    assert groups.size.tolist() == [2, 2]


def test_ties_do_not_reach_into_the_next_query() -> None:
    scored = ScoredRows(np.array([1.0, 1.0]), np.array([0, 1]), np.array([1, 1]))
    rank, groups = ranks_of(np.array([0, 1]), scored, TextIds.of(["a", "b"]), ["p", "q"], "trec_eval", 0)
    assert rank.tolist() == [1, 1]
    assert groups.size.size == 0


def test_the_hash_is_the_same_on_every_machine() -> None:
    """The first 8 bytes of BLAKE2b of seed, query and item, written down once."""
    assert item_hash(0, "q1", "a") == int.from_bytes(hashlib.blake2b(b"0\0q1\0a").digest()[:8], "big")
    assert f"{item_hash(0, 'q1', 'a'):016x}" == "364df9f22bed2be4"


def test_ids_are_compared_as_bytes() -> None:
    items = ["9", "10", "é", "z", "Z"]
    scored = scored_as_one_query(0, 0, 0, 0, 0)
    rank, _ = ranks_of(np.arange(5), scored, TextIds.of(items), ["q"], "trec_eval", 0)
    assert [item for _, item in sorted(zip(rank.tolist(), items, strict=True))] == ["é", "z", "Z", "9", "10"]
