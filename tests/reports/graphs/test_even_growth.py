"""A collection that grows as a whole: against every way to leave items out, and in the picture."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rankscope.analysis.curves.thinning import even_growth
from rankscope.core.errors import MeasureError, SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Stroke


def by_hand(ranks: list[int], size: int, members: int, kept: int) -> float:
    """Mean recall at the scope of the class that is left, over every set of members and of distractors."""
    distractors = [rank for rank in range(1, size + 1) if rank not in ranks]
    found = [
        sum(place + sum(other < rank for other in some) <= members for place, rank in enumerate(own, 1))
        for own in combinations(ranks, members)
        for some in combinations(distractors, kept)
    ]
    return float(np.mean(found)) / members


def test_shares_are_the_means_over_all_ways_to_leave_items_out() -> None:
    ranks = [[1, 3, 6, 11], [2, 4, 5, 12]]
    grown = even_growth(RelevantRanks.from_ranks(ranks, depth=12, collection=12), [0.25, 0.5, 0.75, 1.0])
    assert grown.members.tolist() == [[1, 2, 3, 4]] * 2
    for row, own in enumerate(ranks):
        for column, (members, kept) in enumerate([(1, 2), (2, 4), (3, 6), (4, 8)]):
            assert grown.alike[row, column] == pytest.approx(by_hand(own, 12, members, kept))
            assert grown.alone[row, column] == pytest.approx(by_hand(own, 12, 4, kept))
    np.testing.assert_allclose(grown.chance, 1 / 3)
    np.testing.assert_allclose(grown.chance_alone[0], [4 / 6, 4 / 8, 4 / 10, 1 / 3])


def test_random_rankings_keep_their_level_where_both_grow_alike() -> None:
    chance = np.random.default_rng(2)
    ranks = [np.sort(chance.permutation(160)[:16] + 1) for _ in range(300)]
    grown = even_growth(RelevantRanks.from_ranks(ranks, depth=160, collection=160))
    np.testing.assert_allclose(grown.alike.mean(axis=0), 0.1, atol=0.015)
    assert grown.alone.mean(axis=0)[0] == pytest.approx(16 / 34, abs=0.02)


def test_classes_too_small_for_a_share_are_left_out_and_counted() -> None:
    queries = RelevantRanks.from_ranks([[1, 2, 3, 4], [1]], depth=20, collection=20, system="one")
    graph = graphs.even_growth_graph(queries, shares=[0.5, 1])
    assert graph.subtitle.startswith("the 1 of 2 queries with c >= 2; c = 4, d = 20, G = 2.32, random level 0.2; exact")
    alike, alone = [mark for mark in graph.marks if isinstance(mark, Stroke)]
    assert alike.x.tolist() == [0.5, 1.0]
    assert alike.y[-1] == alone.y[-1] == 1.0
    assert alike.facts["mean scope"] == ["2", "4"]
    assert alone.facts["mean scope"] == ["4", "4"]


def test_shares_go_as_far_as_half_of_the_queries_have_a_member() -> None:
    sizes = [[*range(1, size + 1)] for size in (1, 1, 4, 7, 9)]
    queries = RelevantRanks.from_ranks(sizes, depth=64, collection=64)
    assert even_growth(queries).shares.tolist() == [0.25, 0.5, 1.0]
    assert even_growth(queries.take(np.array([0, 1, 2]))).shares.tolist() == [0.5, 1.0]
    with pytest.raises(MeasureError, match="one relevant item: no class can be smaller"):
        graphs.even_growth_graph(queries.take(np.array([0, 1])))


def test_what_cannot_be_is_refused() -> None:
    one = RelevantRanks.from_ranks([[1, 2]], depth=20, collection=20, system="one")
    with pytest.raises(MeasureError, match=r"no class of one has a member left at a share of 0\.25"):
        graphs.even_growth_graph(one, shares=[0.25, 1])
    with pytest.raises(SettingError, match="shares"):
        even_growth(one, [2.0])
    with pytest.raises(MeasureError, match="at least one share"):
        even_growth(one, [])
    with pytest.raises(MeasureError, match="collection_size=D"):
        even_growth(RelevantRanks.from_ranks([[1, 2]]), [1.0])
