"""Expected values under equal scores, against all orders there are."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.measures import AP, GMAP, RBP, RR, Measure, P, R, Success, nDCG
from rankscope.measures.columns import column_of, seen_of
from rankscope.measures.evaluate import evaluate
from rankscope.measures.notation import parse_measure
from rankscope.ranks.expectation import extreme_order, group_of, random_orders, shuffled
from rankscope.settings import Settings
from tests.strategies import Grade, Group, Topic, ranks_of, tied_ranks, tied_topics

TiedTopic = tuple[list[Group], tuple[float, ...]]
CLOSED: tuple[Measure, ...] = (
    P(1), P(2), P(5), P(3, rel=2), R(2), R(4, rel=2), AP(), AP(rel=2), GMAP(), nDCG(), nDCG(scope=2),
    nDCG(gain="exp", scope=4), nDCG(negative="subtract", scope=3),
    nDCG(negative="both"), nDCG(floor=2), RBP(gain="raw"), RR(), RR(scope=2), RR(rel=2), RBP(), RBP(p=0.5, rel=2),
    RBP(gain="graded"), Success(1), Success(3), Success(2, rel=2),
)  # fmt: skip


def orders(groups: list[Group]) -> list[tuple[Grade, ...]]:
    """All orders of the list, each as likely as the others."""
    each = [list(permutations(group)) for group in groups]
    return [tuple(item for part in parts for item in part) for parts in product(*each)]


def enumerated(topic: TiedTopic) -> list[Topic]:
    groups, lost = topic
    return [Topic(order, lost) for order in orders(groups)]


@settings(max_examples=40)
@given(topic=tied_topics(largest=4, most=2))
def test_closed_forms_are_means_over_all_orders(topic: TiedTopic) -> None:
    tied, each = tied_ranks([topic]), ranks_of(enumerated(topic))
    for measure in CLOSED:
        bound = measure.bind(tied)
        expected = bound.expected(tied)
        assert expected is not None, measure
        values = bound.of(each)
        np.testing.assert_allclose(expected, [values.mean()], rtol=0, atol=1e-12, err_msg=str(measure))


@settings(max_examples=40)
@given(queries=st.lists(tied_topics(), min_size=2, max_size=4))
def test_closed_forms_do_not_mix_queries(queries: list[TiedTopic]) -> None:
    together, alone = tied_ranks(queries), [tied_ranks([topic]) for topic in queries]
    for measure in CLOSED:
        bound = measure.bind(together)
        expected = bound.expected(together)
        singles = [bound.expected(one) for one in alone]
        assert expected is not None
        np.testing.assert_allclose(expected, np.concatenate([s for s in singles if s is not None]), rtol=0, atol=1e-12)


@settings(max_examples=40)
@given(topic=tied_topics(largest=4, most=2))
def test_the_worst_and_the_best_order_bound_all_others_and_are_reached(topic: TiedTopic) -> None:
    tied, each = tied_ranks([topic]), ranks_of(enumerated(topic))
    worst, best = extreme_order(tied, best=False), extreme_order(tied, best=True)
    names = "AP P@2 R@3 nDCG nDCG(gain=exp)@2 RR RBP RBP(gain=graded) success@2 Rprec bpref ERR Q F@3 binG"
    for measure in map(parse_measure, names.split()):
        bound = measure.bind(tied)
        values = bound.of(each)
        if not np.isnan(values).any():
            assert math.isclose(bound.of(worst)[0], values.min(), abs_tol=1e-12), measure
            assert math.isclose(bound.of(best)[0], values.max(), abs_tol=1e-12), measure


@settings(max_examples=40)
@given(queries=st.lists(tied_topics(), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_a_random_order_moves_items_inside_their_group_only(queries: list[TiedTopic], seed: int) -> None:
    tied = tied_ranks(queries)
    for mixed in (shuffled(tied, np.random.default_rng(seed)), extreme_order(tied, True), extreme_order(tied, False)):
        for row, (groups, _) in enumerate(queries):
            places: dict[int, Grade] = {}
            for part in (mixed.judged, mixed.pooled):
                ranks, grades = part.lists("rank")[row], part.lists("grade")[row]
                assert ranks == sorted(ranks)
                places |= dict(zip(ranks, grades, strict=True))
            start = 1
            for group in groups:
                now = sorted(str(places.get(rank)) for rank in range(start, start + len(group)))
                assert now == sorted(str(item) for item in group)
                start += len(group)
        assert mixed.levels is tied.levels


def test_every_order_of_a_group_is_as_likely() -> None:
    tied = tied_ranks([([(1.0, 2.0, None)], ())])
    counts: dict[tuple[int, ...], int] = {}
    total = 0
    for several in random_orders(tied, 6000, seed=1):
        for ranks, grades in zip(several.judged.lists("rank"), several.judged.lists("grade"), strict=True):
            order = tuple(rank for _, rank in sorted(zip(grades, ranks, strict=True)))
            counts[order] = counts.get(order, 0) + 1
            total += 1
    assert total == 6000
    assert len(counts) == 6
    assert all(abs(count - 1000) < 5 * math.sqrt(1000 * 5 / 6) for count in counts.values())


@pytest.mark.parametrize("rows_at_once", [1, 10, 10**6])
def test_random_orders_repeat_all_queries_as_often_as_asked(rows_at_once: int) -> None:
    tied = tied_ranks([([(1.0, None)], ()), ([(None, 2.0, 0.0)], ()), ([], (1.0,))])
    several = list(random_orders(tied, 25, seed=0, rows_at_once=rows_at_once))
    assert sum(len(each) for each in several) == 25 * 3
    assert all(each.queries == tied.queries * (len(each) // 3) for each in several)


def test_without_equal_scores_there_is_one_order() -> None:
    ranks = ranks_of([Topic((1.0, None, 0.0))])
    assert shuffled(ranks, np.random.default_rng(0)) is ranks
    assert extreme_order(ranks, True) is ranks


def test_the_group_of_an_item_is_told_by_its_rank() -> None:
    tied = tied_ranks([([(1.0,), (0.0, None, 1.0), (2.0,), (None, 0.0)], ()), ([(1.0, 1.0)], ())])
    assert group_of(tied, tied.judged).tolist() == [-1, 0, 0, -1, 1, 2, 2]


# through evaluate: with a depth, with judged items only, and for measures without a closed form


def evaluated(topic: TiedTopic, text: str, **chosen: Any) -> tuple[float, float, float, float]:
    """Expected, its error, worst and best, as `ties="expected"` has them."""
    tied = tied_ranks([topic])
    own = Settings.make(ties="expected", **chosen)
    column = column_of(parse_measure(text), tied, seen_of(tied, own), own)
    assert column.worst is not None
    assert column.best is not None
    error = 0.0 if column.error is None else column.error[0]
    return float(column.values[0]), float(error), float(column.worst[0]), float(column.best[0])


CASES: tuple[TiedTopic, ...] = (
    ([(None, 1.0, 0.0, 2.0), (1.0,), (None, 1.0, -1.0)], (1.0, 0.0)),
    ([(0.0,), (1.0, None), (0.0, 1.0, None, None)], ()),
    ([(2.0, 0.0, 0.0), (1.0, -1.0, None)], (2.0,)),
)


@pytest.mark.parametrize("topic", CASES, ids=["three groups", "two groups", "graded"])
@pytest.mark.parametrize(
    "chosen", [{}, {"depth": 2}, {"judged_only": True}, {"depth": 3, "judged_only": True}], ids=str
)
@pytest.mark.parametrize(
    "text", ["AP", "P@2", "nDCG", "RR", "bpref", "Rprec", "ERR", "infAP", "IPrec@0.5", "CappedRecall@2"]
)
def test_expected_values_lie_within_their_error_of_all_orders(
    topic: TiedTopic, chosen: dict[str, Any], text: str
) -> None:
    measure = parse_measure(text).bind(tied_ranks([topic]))
    each = seen_of(ranks_of(enumerated(topic)), Settings.make(**chosen))
    exact = measure.of(each).mean()
    value, error, worst, best = evaluated(topic, text, **chosen)
    assert abs(value - exact) <= 4.5 * error + 1e-9
    if text != "infAP":  # its value can rise when a hit falls below a pooled item, so that grades do not order it
        assert worst - 1e-9 <= value <= best + 1e-9


def test_an_exact_value_has_no_error_and_a_simulated_one_has() -> None:
    topic = CASES[0]
    assert evaluated(topic, "AP")[1] == 0
    assert evaluated(topic, "AP", depth=2)[1] > 0
    assert evaluated(topic, "bpref")[1] > 0
    exact, _, _, _ = evaluated(topic, "AP")
    simulated = evaluated(topic, "AP", depth=100)
    assert abs(simulated[0] - exact) <= 4.5 * simulated[1]


def test_expected_ties_come_from_the_run_itself() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    run = {"q": {"a": 1.0, "b": 1.0, "x": 1.0, "c": 0.5}}
    scores = evaluate(qrels, run, ["AP", "P@1"], ties="expected")
    by_hand = [(1 / rank + 2 / 4) / 2 for rank in (1, 2, 3)]
    column = scores.systems[0].columns[0]
    assert math.isclose(scores["AP"], sum(by_hand) / 3)
    assert column.extremes == (min(by_hand), max(by_hand))
    assert math.isclose(scores["P@1"], 1 / 3)


@settings(max_examples=40)
@given(queries=st.lists(tied_topics(), min_size=1, max_size=3))
def test_the_named_policies_give_values_between_worst_and_best(queries: list[TiedTopic]) -> None:
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for row, (groups, lost) in enumerate(queries):
        judged = qrels.setdefault(f"q{row}", {f"lost{number}": grade for number, grade in enumerate(lost)})
        judged["sure"] = 1
        listed = run.setdefault(f"q{row}", {})
        for level, group in enumerate(groups):
            for number, grade in enumerate(group):
                item = f"{(level * 7 + number * 3) % 11}-{level}{number}"
                listed[item] = -float(level)
                if grade is not None:
                    judged[item] = grade
    measures = ["AP", "P@2", "nDCG@3", "RR", "RBP"]
    column = {c.asked: c for c in evaluate(qrels, run, measures, ties="expected").systems[0].columns}
    for ties in ("trec_eval", "ascending", "given", "hash"):
        for each in evaluate(qrels, run, measures, ties=ties).systems[0].columns:
            worst, best = column[each.asked].worst, column[each.asked].best
            assert worst is not None
            assert best is not None
            assert np.all((worst <= each.values + 1e-12) & (each.values <= best + 1e-12))
            assert np.all((worst <= column[each.asked].values + 1e-12) & (column[each.asked].values <= best + 1e-12))
