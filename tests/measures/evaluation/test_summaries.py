"""Every summary under every policy on queries, against plain arithmetic on the values of each query."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.core.errors import SettingError
from rankscope.measures.evaluation.coverage import Coverage, coverage_of
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.measure import GEOMETRIC_FLOOR
from rankscope.ranks.relevant_ranks import RelevantRanks

Lists = dict[str, list[str]]
QUERIES, ITEMS = ("q1", "q2", "q3", "q4"), ("a", "b", "c", "d")
RATIOS = {"P@2": "places", "R@2": "relevant", "Rprec": "relevant", "CappedRecall@3": "capped", "SetP": "returned"}


@st.composite
def judged_lists(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], Lists]:
    """Judgements (each query with one at least) and lists in one order over all queries; some queries are missing."""
    qrels = {
        query: draw(st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 1), min_size=1))
        for query in draw(st.lists(st.sampled_from(QUERIES), min_size=1, max_size=4, unique=True))
    }
    answered = draw(st.lists(st.sampled_from(sorted(qrels)), min_size=1, unique=True))
    pairs = [
        (query, item) for query in answered for item in draw(st.lists(st.sampled_from(ITEMS), min_size=1, unique=True))
    ]
    lists: Lists = {query: [] for query in answered}
    for query, item in draw(st.permutations(pairs)):
        lists[query].append(item)
    return qrels, lists


def scored(lists: Lists, order: list[tuple[str, str]]) -> dict[str, dict[str, float]]:
    """A run whose scores fall along the order given."""
    run: dict[str, dict[str, float]] = {query: {} for query in lists}
    for place, (query, item) in enumerate(order):
        run[query][item] = -float(place)
    return run


def merged(lists: Lists) -> list[tuple[str, str]]:
    """One order of all pairs that keeps each list's: all first items, then all second ones, ..."""
    longest = max(map(len, lists.values()))
    return [(query, lists[query][nth]) for nth in range(longest) for query in sorted(lists) if nth < len(lists[query])]


def average_precision(hits: list[bool], relevant: int) -> float:
    terms = [sum(hits[: place + 1]) / (place + 1) for place, hit in enumerate(hits) if hit]
    return sum(terms) / relevant if relevant else math.nan


def counts_in(qrels: dict[str, dict[str, int]], lists: Lists, policy: str, no_relevant: str) -> list[str]:
    return [
        query
        for query in sorted(qrels)
        if (policy == "judged" or query in lists) and (no_relevant == "zero" or any(qrels[query].values()))
    ]


POLICIES = list(product(("judged", "answered"), ("skip", "zero")))


@settings(max_examples=60)
@given(case=judged_lists())
def test_the_micro_mean_of_ap_merges_the_lists_of_the_queries_that_count(
    case: tuple[dict[str, dict[str, int]], Lists],
) -> None:
    qrels, lists = case
    order = merged(lists)
    for queries, no_relevant in POLICIES:
        inside = counts_in(qrels, lists, queries, no_relevant)
        hits = [bool(qrels[query].get(item, 0)) for query, item in order if query in inside]
        expected = average_precision(hits, sum(sum(qrels[query].values()) for query in inside))
        if math.isnan(expected) and inside and no_relevant == "zero":
            expected = 0.0
        chosen: dict[str, Any] = {"queries": queries, "no_relevant": no_relevant}
        got = evaluate(qrels, scored(lists, order), "AP", mean="micro", **chosen)["AP"]
        assert got == pytest.approx(expected, nan_ok=True), chosen


def test_a_list_without_relevant_items_and_a_missing_query_count_only_where_asked() -> None:
    """One hit behind a list of three others: 1/4 of all, 1/8 with the missing query's item; alone it is first."""
    qrels = {"good": {"a": 1}, "missing": {"b": 1}, "nothing": {"x": 0}}
    run = {"good": {"a": 1.0}, "nothing": {"x": 9.0, "y": 8.0, "z": 7.0}}

    def mean(**chosen: Any) -> float:
        return evaluate(qrels, run, "AP", mean="micro", **chosen)["AP"]

    assert mean() == 0.5
    assert mean(queries="answered") == 1
    assert mean(no_relevant="zero") == 0.125
    assert mean(no_relevant="zero", queries="answered") == 0.25


def parts(name: str, hits: list[bool], relevant: int) -> tuple[float, float]:
    """Numerator and denominator of a ratio, plainly."""
    if name == "P@2":
        return sum(hits[:2]), 2
    if name == "R@2":
        return sum(hits[:2]), relevant
    if name == "Rprec":
        return sum(hits[:relevant]), relevant
    if name == "CappedRecall@3":
        return sum(hits[:3]), min(3, relevant)
    return sum(hits), len(hits)


def mean_of(values: list[float], how: str, classes: list[str]) -> float:
    if not values:
        return math.nan
    if how == "geometric":
        return math.exp(sum(math.log(max(value, GEOMETRIC_FLOOR)) for value in values) / len(values))
    if how == "class":
        own = {label: [v for v, each in zip(values, classes, strict=True) if each == label] for label in set(classes)}
        return sum(sum(each) / len(each) for each in own.values()) / len(own)
    return sum(values) / len(values)


@settings(max_examples=60)
@given(case=judged_lists(), classes=st.lists(st.sampled_from("xy"), min_size=4, max_size=4))
def test_every_summary_counts_the_queries_that_the_policies_say(
    case: tuple[dict[str, dict[str, int]], Lists], classes: list[str]
) -> None:
    qrels, lists = case
    run, label = scored(lists, merged(lists)), dict(zip(QUERIES, classes, strict=True))
    for (queries, no_relevant), how in product(POLICIES, ("macro", "micro", "geometric", "class")):
        got = evaluate(qrels, run, list(RATIOS), mean=how, queries=queries, no_relevant=no_relevant, classes=label)
        inside = counts_in(qrels, lists, queries, no_relevant)
        for name in RATIOS:
            hits = {query: [bool(qrels[query].get(item, 0)) for item in lists.get(query, [])] for query in inside}
            both = [parts(name, hits[query], sum(qrels[query].values())) for query in inside]
            if how == "micro":
                top, bottom = (sum(each) for each in zip(*both, strict=True)) if both else (0, 0)
                expected = top / bottom if bottom else math.nan
            else:
                values = [top / bottom if bottom else 0.0 for top, bottom in both]
                expected = mean_of(values, how, [label[query] for query in inside])
            assert got[name] == pytest.approx(expected, nan_ok=True), (name, how, queries, no_relevant)


# over the orders of equal scores

TIED_QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0, "c": 0}}
TIED_RUN = {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}, "q2": {"a": 1.0, "b": 1.0, "c": 0.0}}


def test_a_micro_mean_over_orders_has_their_mean_worst_and_best() -> None:
    column = evaluate(TIED_QRELS, TIED_RUN, "R@1", ties="expected", mean="micro").systems[0].columns[0]
    assert column.summary == pytest.approx((2 / 3 + 1 / 2) / 3)
    assert column.extremes == pytest.approx((0, 2 / 3))
    assert column.summary_error == 0


def test_a_micro_mean_whose_denominator_moves_with_the_order_is_refused() -> None:
    with pytest.raises(SettingError, match="leave ties='expected' out"):
        evaluate(TIED_QRELS, TIED_RUN, "P(divisor=deepest)@2", ties="expected", mean="micro")


@pytest.mark.parametrize("how", ["macro", "geometric", "class", "micro"])
def test_the_error_of_a_summary_is_that_of_repeated_simulations(how: str) -> None:
    """A depth that cuts through groups of too many orders leaves no exact value; the spread over seeds is the error."""
    chosen: dict[str, Any] = {"ties": "expected", "mean": how, "depth": 30, "classes": {"q1": "x", "q2": "y"}}
    run = {query: dict.fromkeys(("a", "b", "c", *map(str, range(100))), 1.0) for query in TIED_RUN}
    results = [evaluate(TIED_QRELS, run, "R@30", seed=seed, **chosen).systems[0].columns[0] for seed in range(60)]
    spread = float(np.std([column.summary for column in results], ddof=1))
    assert results[0].summary_error == pytest.approx(spread, rel=0.35)
    assert all(column.summary_error > 0 for column in results)


@pytest.mark.parametrize(
    ("measures", "fate"),
    [
        ("AP", "counts as 0"),
        ("ER", "counts as 1"),
        ("ER,NMRR,E@5,hole@5", "counts as 1"),
        ("AP,ER,P@5,NMRR", "counts as 0 (ER and NMRR: as 1)"),
        ("num_ret", "counts as an empty answer"),
    ],
)
def test_queries_without_an_answer_count_as_what_they_score(measures: str, fate: str) -> None:
    """An empty list has the error rate 1, and so has a query without a relevant item where such queries count."""
    scores = evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}, measures)
    assert f"run: 1 judged query is missing from the run and {fate}: q2" in scores.warnings()
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    empty = evaluate({"q1": {"a": 1}, "q2": {"a": 0}}, run, measures.removesuffix(",hole@5"), no_relevant="zero")
    fate = fate.replace("as an empty answer", "in means")
    assert f"run: 1 query has no relevant item and {fate}: q2" in empty.warnings()


def test_what_must_be_said_is_found_out_once_for_each_system(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    scores = evaluate(qrels, {"one": {"q1": {"a": 1.0, "x": 1.0}}, "two": {"q1": {"b": 2.0, "a": 1.0}}}, ["AP"])
    looked: list[str] = []

    def counting(ranks: RelevantRanks) -> Coverage:
        looked.append(ranks.system)
        return coverage_of(ranks)

    monkeypatch.setattr("rankscope.measures.evaluation.scores.coverage_of", counting)
    lines = scores.warnings()
    assert any("missing from the run" in line for line in lines)
    lines.clear()
    assert scores.warnings() == scores.warnings() != []
    assert set(scores.coverage()) == {"one", "two"}
    assert looked == ["one", "two"]
    assert replace(scores, quiet=True).warnings() == []
