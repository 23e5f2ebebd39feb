"""What comes of a part, in a file and back, and whether parts hold whole queries."""

from __future__ import annotations

import pytest

from rankscope.inputs.problems import Problems
from rankscope.ranks.parts.reduction import has_torn_queries
from rankscope.ranks.parts.work import PartFacts, PartRanks
from rankscope.ranks.reduction import reduce
from rankscope.ranks.relevant_ranks import RelevantRanks
from tests.ranks.parts.test_parts_and_whole import bytes_of


def ranks_of(*queries: str) -> RelevantRanks:
    """Of a run of these queries; all but x are judged."""
    qrels = {query: {"a": 1} for query in queries if query != "x"}
    return reduce(qrels, {query: {"b": 2.0, "a": 1.0} for query in queries}, keep_scores=True)


@pytest.mark.parametrize("file", [None, (3, "part-3.parquet")])
def test_a_part_is_the_same_once_it_was_in_a_file(file: tuple[int, str] | None) -> None:
    problems = Problems("bm25")
    problems.add("row 3", "score is empty", order=3)
    facts = PartFacts(problems, rows=4, tag="t", gives_scores=False, file=file, digests={"part-3.parquet": (9, "0a")})
    kept = PartRanks.from_bytes(PartRanks(ranks_of("q1", "q2"), facts).to_bytes())
    assert kept.ranks is not None
    assert bytes_of(kept.ranks) == bytes_of(ranks_of("q1", "q2"))
    assert (kept.facts, kept.scattered) == (facts, False)
    assert PartRanks.from_bytes(PartRanks(None, facts, scattered=True).to_bytes()) == PartRanks(None, facts, True)


def test_queries_are_torn_where_two_parts_have_one_or_a_part_was_too_large_to_see() -> None:
    one, two, other, unseen = [
        PartRanks(ranks, PartFacts(Problems("bm25")))
        for ranks in (ranks_of("q1", "x"), ranks_of("q2"), ranks_of("q3", "x"), None)
    ]
    assert not has_torn_queries([])
    assert not has_torn_queries([one, two])
    assert has_torn_queries([one, two, other])
    assert has_torn_queries([two, unseen])
