"""The value in the middle: what measures read of it, and its other views."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.ranks import RelevantRanks
from rankscope.ranks.relevant_ranks import UNKNOWN, rank_counts
from tests.strategies import Group, Topic, ranks_of, tied_ranks, tied_topics, topic_lists

TiedTopic = tuple[list[Group], tuple[float, ...]]


@given(topics=topic_lists(), rel=st.sampled_from([1.0, 2.0, 3.0]))
def test_the_view_at_a_level_has_what_formulas_read(topics: list[Topic], rel: float) -> None:
    view = ranks_of(topics).at(rel)
    hits = [
        [(rank, grade) for rank, grade in enumerate(topic.listed, 1) if grade is not None and grade >= rel]
        for topic in topics
    ]
    assert view.ranks.tolist() == [rank for each in hits for rank, _ in each]
    assert view.grades.tolist() == [grade for each in hits for _, grade in each]
    assert view.position.tolist() == [place for each in hits for place in range(1, len(each) + 1)]
    assert view.row.tolist() == [row for row, each in enumerate(hits) for _ in each]
    assert view.found.tolist() == [len(each) for each in hits]
    assert view.relevant.tolist() == [sum(grade >= rel for grade in topic.judgements) for topic in topics]
    assert view.nonrelevant.tolist() == [sum(0 <= grade < rel for grade in topic.judgements) for topic in topics]
    above = [
        (
            sum(g is not None and 0 <= g < rel for g in topic.listed[: rank - 1]),
            sum(g is not None and g < 0 for g in topic.listed[: rank - 1]),
        )
        for topic, each in zip(topics, hits, strict=True)
        for rank, _ in each
    ]
    assert view.nonrelevant_above.tolist() == [wrong for wrong, _ in above]
    assert view.pooled_above.tolist() == [pool for _, pool in above]


@given(topics=topic_lists(), scope=st.integers(0, 20), data=st.data())
def test_hits_are_counted_within_one_scope_or_one_per_query(
    topics: list[Topic], scope: int, data: st.DataObject
) -> None:
    ranks = ranks_of(topics)
    own = data.draw(st.lists(st.integers(0, 20), min_size=len(topics), max_size=len(topics)))

    def hits(topic: Topic, limit: int, least: float) -> int:
        return sum(grade is not None and grade >= least for grade in topic.listed[:limit])

    assert ranks.hits(scope).tolist() == [hits(topic, scope, 1) for topic in topics]
    assert ranks.hits(own).tolist() == [hits(topic, limit, 1) for topic, limit in zip(topics, own, strict=True)]
    assert ranks.judged_within(own).tolist() == [
        hits(topic, limit, 0) for topic, limit in zip(topics, own, strict=True)
    ]


def test_a_view_is_made_once_and_the_own_level_is_no_view() -> None:
    ranks = RelevantRanks.from_ranks([[1]])
    assert ranks.at(1) is ranks
    assert ranks.at(2) is ranks.at(2.0)
    assert ranks.at(2).at(1).relevant.tolist() == [1]


@given(queries=st.lists(tied_topics(), min_size=1, max_size=3), depth=st.integers(1, 12))
def test_cutting_leaves_what_stands_within_the_depth(queries: list[TiedTopic], depth: int) -> None:
    cut = tied_ranks(queries).cut(depth)
    topics = []
    for groups, lost in queries:
        listed = tuple(item for group in groups for item in group)
        topics.append(Topic(listed[:depth], (*lost, *(grade for grade in listed[depth:] if grade is not None))))
    expected = ranks_of(topics)
    for part in ("judged", "pooled"):
        assert getattr(cut, part).lists("rank") == getattr(expected, part).lists("rank")
        assert getattr(cut, part).lists("grade") == getattr(expected, part).lists("grade")
    assert cut.depth.tolist() == expected.depth.tolist()
    assert cut.levels.lists("count") == expected.levels.lists("count")
    ends = cut.ties["start"] + cut.ties["size"] - 1
    assert bool(np.all(ends <= depth))
    assert bool(np.all(cut.ties["size"] >= 2))


def test_a_depth_that_cuts_nothing_changes_nothing() -> None:
    ranks = RelevantRanks.from_ranks([[1, 4]])
    assert ranks.cut(None) is ranks
    assert ranks.cut(4) is ranks
    assert ranks.cut(3).depth.tolist() == [3]


@given(queries=st.lists(tied_topics(), min_size=1, max_size=3))
def test_condensing_closes_the_ranks_of_judged_items_and_of_their_groups(queries: list[TiedTopic]) -> None:
    condensed = tied_ranks(queries).condensed()
    kept = [
        ([tuple(item for item in group if item is not None and item >= 0) for group in groups], lost)
        for groups, lost in queries
    ]
    expected = tied_ranks(kept)
    assert condensed.judged.lists("rank") == expected.judged.lists("rank")
    assert condensed.judged.lists("grade") == expected.judged.lists("grade")
    assert condensed.pooled.size == 0
    assert condensed.depth.tolist() == expected.depth.tolist()
    assert condensed.ties.lists("start") == expected.ties.lists("start")
    assert condensed.ties.lists("size") == expected.ties.lists("size")
    assert condensed.straddling_pairs() == expected.straddling_pairs()


@given(queries=st.lists(tied_topics(), min_size=1, max_size=4))
def test_straddling_pairs_are_pairs_of_equal_score_split_by_relevance(queries: list[TiedTopic]) -> None:
    expected = 0
    for groups, _ in queries:
        for group in groups:
            expected += sum(
                one is not None and one >= 1 and (other is None or other < 1) for one, other in permutations(group, 2)
            )
    assert tied_ranks(queries).straddling_pairs() == expected


@given(topics=topic_lists(2, 5), data=st.data())
def test_taking_queries_takes_all_of_them(topics: list[Topic], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(topics) - 1), min_size=1, max_size=6))
    whole = ranks_of(topics).with_classes({"q00": "first"})
    taken, expected = whole.take(np.array(rows)), ranks_of([topics[row] for row in rows])
    assert taken.queries == tuple(f"q{row:02}" for row in rows)
    for part in ("judged", "pooled"):
        assert getattr(taken, part).lists("rank") == getattr(expected, part).lists("rank")
    assert taken.levels.lists("count") == expected.levels.lists("count")
    assert taken.depth.tolist() == expected.depth.tolist()
    assert taken.collection.tolist() == expected.collection.tolist()
    assert taken.answered.tolist() == expected.answered.tolist()
    assert taken.classes == tuple("first" if row == 0 else "" for row in rows)


def test_taking_queries_takes_their_groups_and_what_was_left_out() -> None:
    ranks = tied_ranks([([(1.0, 0.0)], ()), ([(None,), (1.0, None, 2.0)], ())])
    taken = ranks.take(np.array([1]))
    assert taken.ties.lists("start") == [[2]]
    assert taken.ties.lists("size") == [[3]]


@given(topics=topic_lists(), depth=st.one_of(st.none(), st.integers(1, 10)))
def test_the_unjudged_share_is_of_what_was_returned(topics: list[Topic], depth: int | None) -> None:
    returned = [grade for topic in topics for grade in topic.listed[:depth]]
    share = ranks_of(topics).unjudged_share(depth)
    if returned:
        unjudged = sum(grade is None or grade < 0 for grade in returned)
        assert math.isclose(share, unjudged / len(returned), abs_tol=1e-12)
    else:
        assert math.isnan(share)


def test_ranks_given_by_hand_make_the_queries_they_say() -> None:
    ranks = RelevantRanks.from_ranks([[6, 1, 3], []], relevant=[10, 2], collection=50)
    assert ranks.queries == ("q1", "q2")
    assert ranks.judged.lists("rank") == [[1, 3, 6], []]
    assert ranks.relevant.tolist() == [10, 2]
    assert ranks.depth.tolist() == [6, 0]
    assert ranks.collection.tolist() == [50, 50]
    assert RelevantRanks.from_ranks([[1]]).collection.tolist() == [UNKNOWN]


def test_grades_given_by_hand_make_no_relevant_items_of_their_own() -> None:
    ranks = RelevantRanks.from_ranks([[1, 2, 3, 4]], grades=[[3, 0, -1, 1]])
    assert ranks.relevant.tolist() == [2]
    assert ranks.nonrelevant.tolist() == [1]
    assert ranks.judged.lists("grade") == [[3, 0, 1]]
    assert ranks.pooled.lists("rank") == [[3]]
    assert ranks.levels.lists("grade") == [[-1, 0, 1, 3]]
    assert ranks.top_grade == 3


def test_more_relevant_ranks_than_relevant_items_are_refused() -> None:
    with pytest.raises(ValueError, match="fewer relevant items"):
        RelevantRanks.from_ranks([[1, 2]], relevant=[1])


@settings(max_examples=50)
@given(
    topics=topic_lists(),
    wanted=st.lists(st.tuples(st.integers(0, 0), st.integers(-2, 20)), max_size=10),
)
def test_ranks_up_to_a_limit_are_counted(topics: list[Topic], wanted: list[tuple[int, int]]) -> None:
    ranks = ranks_of(topics)
    row, limit = (np.array([each[place] for each in wanted], dtype=np.int64) for place in (0, 1))
    own = ranks.judged.lists("rank")
    assert rank_counts(ranks.judged, row, limit).tolist() == [sum(r <= most for r in own[at]) for at, most in wanted]
