"""Windows, costs and decision tables of one query and of all, against counting by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.analysis.curves.effort import (
    effort_json,
    effort_notes,
    expected_windows,
    median_effort,
    pooled_contingency,
    search_effort,
    windows,
)
from rankscope.core.errors import MeasureError
from rankscope.measures.quadruple import Quadruple
from rankscope.ranks.relevant_ranks import RelevantRanks


def test_the_decision_table_of_the_worked_quadruple() -> None:
    rows = Quadruple(20000, 8, 16, 6).decision_rows()
    assert [row["ratio"] for row in rows[:1]] == ["r = 0.7500"]
    assert [row["not retrieved"] for row in rows[:3]] == [2, 19982, 19984]
    assert rows[3] == {"": "ratio", "retrieved": "p = 0.3750", "sum": "g = 0.0004"}


def test_windows_and_costs_of_a_worked_query() -> None:
    ranks = RelevantRanks.from_ranks([[1, 3, 10, 40]], depth=[100], collection=[100], queries=["7"])
    effort = search_effort(ranks, "7", recalls=[0.25, 0.3, 0.75, 1.0])
    told = [(each.hits, each.window, each.cost) for each in effort.wanted]
    assert told == [(1, 1, 1.0), (2, 3, 2.0), (3, 10, 7.0), (4, 40, 30.0)]
    assert [each.precision for each in effort.wanted] == [1.0, 2 / 3, 0.3, 0.1]
    assert [(one.scope, one.hits) for one in effort.at] == [(2, 1), (4, 2), (8, 2)]
    assert [row["items per further hit"] for row in effort.scope_rows()] == [2.0, 2.0, float("inf")]


@given(st.sets(st.integers(1, 40), min_size=1, max_size=8), st.floats(0.01, 1.0))
def test_a_window_is_the_shortest_list_with_that_recall(hits: set[int], recall: float) -> None:
    ranks = RelevantRanks.from_ranks([sorted(hits)])
    wanted = recall * len(hits) - 1e-9
    scopes = [scope for scope in range(1, 41) if len({rank for rank in hits if rank <= scope}) >= max(wanted, 1e-12)]
    assert windows(ranks, [recall])[0, 0] == scopes[0]


def test_the_window_to_expect_of_random_order_is_k_over_g() -> None:
    """Over all orders of 3 relevant items among 8 the mean recall at scope s is s/8, so k/p = k / g = 8k/3."""
    every = [list(each) for each in combinations(range(1, 9), 3)]
    ranks = RelevantRanks.from_ranks(every, depth=[8] * len(every), collection=[8] * len(every))
    assert expected_windows(ranks, 3, [1 / 3, 2 / 3, 1.0]) == pytest.approx([8 / 3, 16 / 3, 8.0])


def test_the_window_to_expect_is_hits_over_precision_of_the_mean_curve() -> None:
    """The radial check of method.md: at a = 1 the mean has recall and precision .583333, so k/p is a c = 4."""
    lists = [[1, 2, 3, 5], [1, 4, 9, 12], [2, 3, 8, 20]]
    ranks = RelevantRanks.from_ranks(lists, depth=[20] * 3, collection=[100] * 3)
    recall = 7 / 12
    hits = [sum(rank <= scope for each in lists for rank in each) / 12 for scope in range(1, 21)]
    assert hits[3] == pytest.approx(recall)
    at_three = expected_windows(ranks, 12, [recall])[0]  # a class of 12: k = 7
    assert at_three == pytest.approx(7 / (7 / 12))


def test_only_queries_of_the_same_generality_are_read_from() -> None:
    small, large = [[1]] * 6, [[50]] * 6
    ranks = RelevantRanks.from_ranks(small + large, collection=[64] * 6 + [2**14] * 6)
    effort = search_effort(ranks, ranks.queries[-1], recalls=[1.0])
    assert effort.plane == "c = 1, d = 16384, 6 queries"
    assert effort.wanted[0].expected == pytest.approx(50)


def test_few_equal_queries_make_way_for_those_of_one_bin() -> None:
    ranks = RelevantRanks.from_ranks([[1, 2], [1, 2, 3]], depth=[64] * 2, collection=[64, 96])
    assert search_effort(ranks, ranks.queries[0]).plane == "G = 5, 2 queries"


def test_what_is_beyond_the_ranking_is_not_known() -> None:
    ranks = RelevantRanks.from_ranks([[2]], relevant=[4], depth=[5], collection=[50], queries=["9"])
    effort = search_effort(ranks, "9")
    assert [one.scope for one in effort.at] == [2, 4]  # 2c = 8 is beyond the ranking
    assert np.isnan([each.window for each in effort.wanted[2:]]).all()
    assert "3 relevant items not found" in effort_notes(effort)[-1]


def test_without_the_collection_there_is_no_table_but_windows() -> None:
    effort = search_effort(RelevantRanks.from_ranks([[1, 3]], queries=["9"]), "9")
    assert effort.at == ()
    assert [each.window for each in effort.wanted] == [1, 1, 1, 3, 3]
    assert "collection_size=D" in effort_notes(effort)[0]
    assert "Decision table" not in effort.render()


def test_a_query_that_is_not_there_or_has_nothing_to_find_is_told() -> None:
    ranks = RelevantRanks.from_ranks([[1], []], queries=["a", "b"])
    with pytest.raises(MeasureError, match=r"run: no query 'c'\. There are: a, b"):
        search_effort(ranks, "c")
    with pytest.raises(MeasureError, match="nothing to find"):
        search_effort(ranks, "b")


def test_over_queries_medians_count_those_that_never_arrive() -> None:
    ranks = RelevantRanks.from_ranks([[1, 4], [2, 3], [1]], relevant=[2, 2, 2])
    done = median_effort(ranks, [0.5, 1.0])
    assert done.window.tolist() == [1.0, 4.0]
    assert done.rows()[1]["reached by"] == pytest.approx(2 / 3)
    never = median_effort(RelevantRanks.from_ranks([[1], [1]], relevant=[2, 2]), [1.0])
    assert np.isnan(float(str(never.rows()[0]["median window"])))


def test_the_pooled_table_adds_up_the_tables_of_the_queries() -> None:
    lists = [[1, 3, 10], [2, 5], [1]]
    ranks = RelevantRanks.from_ranks(lists, collection=[100, 80, 60])
    tables = [
        Quadruple(d, len(each), len(each), sum(rank <= len(each) for rank in each)).contingency
        for each, d in zip(lists, (100, 80, 60), strict=True)
    ]
    pooled = pooled_contingency(ranks)
    assert pooled is not None
    for name, value in vars(pooled).items():
        assert value == sum(getattr(each, name) for each in tables), name
    assert pooled_contingency(RelevantRanks.from_ranks(lists)) is None


def test_text_and_json_tell_the_same() -> None:
    ranks = RelevantRanks.from_ranks([[1, 3, 10, 40]], depth=[100], collection=[100], queries=["7"])
    effort = search_effort(ranks, "7")
    text, (told,) = effort.render(), effort_json([effort])["explained"]
    assert "Decision table at scope 4 (s = c)" in text
    assert told["decision_tables"][1]["true_positives"] == 2
    assert [row["window"] for row in told["wanted"]] == [1, 1, 3, 10, 40]
