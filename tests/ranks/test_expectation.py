"""Expected values under equal scores, against all orders there are."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.core.settings import Settings
from rankscope.measures import (
    ALL,
    AP,
    EBR,
    NCU,
    Accuracy,
    Compat,
    ContextPrecision,
    D_nDCG,
    G,
    InfAP,
    IPrec,
    IPrec11,
    Measure,
    P,
    Pmeasure,
    Pplus,
    Q,
    Rndcg,
    nDCG,
)
from rankscope.measures.diversity import SubtopicMeasure
from rankscope.measures.evaluation.columns import (
    column_of,
    mean_over_orders,
    proven_extremes,
    worst_and_best,
)
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.notation import parse_measure
from rankscope.measures.user_models import Adaptive
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import (
    MOST_ORDERS,
    RANDOM_ORDERS,
    all_items,
    every_order,
    group_of,
    order_counts,
    random_orders,
    shuffle_ties,
    sorted_by_worth,
)
from tests.measures.examples import examples
from tests.strategies import Grade, Group, Topic, ranks_of, tied_ranks, tied_topics

TiedTopic = tuple[list[Group], tuple[float, ...]]
NUMBERS = [measure for measure in examples(ALL) if measure.summary != "none"]


def is_simulated(measure: Measure) -> bool:
    """The few that have no closed form."""
    if isinstance(measure, AP):
        return measure.divisor == "found" and measure.scope is not None
    if isinstance(measure, ContextPrecision):
        return measure.count == "ranks" and measure.scope is not None
    if isinstance(measure, Accuracy):
        return measure.scope is not None
    if isinstance(measure, NCU):
        return measure.stop == "biased"
    if isinstance(measure, D_nDCG):
        return False
    if isinstance(measure, InfAP | IPrec | IPrec11 | G | Pplus | EBR | Compat | Adaptive | SubtopicMeasure):
        return True
    return isinstance(measure, P) and measure.divisor == "deepest"


CLOSED = [measure for measure in NUMBERS if not is_simulated(measure)]


FINE = st.one_of(st.none(), st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0]))


def orders(groups: list[Group]) -> list[tuple[Grade, ...]]:
    """All orders of the list, each as likely as the others."""
    each = [list(permutations(group)) for group in groups]
    return [tuple(item for part in parts for item in part) for parts in product(*each)]


def enumerated(topic: TiedTopic) -> list[Topic]:
    groups, lost = topic
    return [Topic(order, lost) for order in orders(groups)]


def both_ways(topic: TiedTopic) -> tuple[RelevantRanks, RelevantRanks]:
    """The tied ranking, and every order of it as a query; in a collection of three more items."""
    pair = tied_ranks([topic]), ranks_of(enumerated(topic))
    return tuple(each.with_collection(int(each.collection[0]) + 3) for each in pair)  # type: ignore[return-value]


@settings(max_examples=40)
@given(topic=tied_topics(largest=4, most=2, grade=FINE))
def test_closed_forms_are_means_over_all_orders(topic: TiedTopic) -> None:
    tied, each = both_ways(topic)
    for view in (Settings(), Settings(judged_only=True)):
        one, all_of_them = (ranks.seen(view) for ranks in (tied, each))
        for measure in CLOSED:
            bound = measure.bind(tied)
            expected = bound.expected(one)
            assert expected is not None, measure
            mean = bound.of(all_of_them).mean()
            np.testing.assert_allclose(expected, [mean], rtol=0, atol=1e-12, err_msg=str(measure))


def test_what_has_no_closed_form_says_so() -> None:
    tied = tied_ranks([([(1.0, 0.0, None)], (1.0,))]).with_collection(9)
    assert [each for each in NUMBERS if each.expected(tied) is None] == [each for each in NUMBERS if is_simulated(each)]


def test_two_hits_among_three_equal_scores_by_hand() -> None:
    """Hits at ranks 1 and 2, 1 and 3, 2 and 3, each as likely as the others."""
    tied = tied_ranks([([(1.0, 1.0, None)], ())])
    assert AP().expected(tied) == pytest.approx((1 + 5 / 6 + 7 / 12) / 3)
    assert Q(beta=1.0).expected(tied) == pytest.approx((1 + 0.9 + 0.65) / 3)


@settings(max_examples=40)
@given(queries=st.lists(tied_topics(), min_size=2, max_size=4))
def test_closed_forms_do_not_mix_queries(queries: list[TiedTopic]) -> None:
    together = tied_ranks(queries).with_collection(30)
    alone = [tied_ranks([topic]).with_collection(30) for topic in queries]
    for measure in CLOSED:
        bound = measure.bind(together)
        expected = bound.expected(together)
        singles = [bound.expected(one) for one in alone]
        assert expected is not None
        np.testing.assert_allclose(expected, np.concatenate([s for s in singles if s is not None]), rtol=0, atol=1e-12)


# worst and best

NEVER_KNOWN = Pmeasure | Pplus | EBR | Compat | Adaptive | SubtopicMeasure  # what comes first changes what counts later
VIEWS = [Settings(depth=depth, judged_only=condensed) for depth in (None, 1, 2, 3, 4) for condensed in (False, True)]


def is_known(measure: Measure, topic: TiedTopic, view: Settings) -> bool:
    """For which measures and groups of equal scores the extremes must be known; the reason for each that need not."""
    grades = [[-9.0 if grade is None else grade for grade in group] for group in topic[0] if len(group) > 1]
    cut_and_condensed = view.depth is not None and view.judged_only
    if isinstance(measure, AP) and measure.area == "printed":
        return not grades  # a hit at rank 1 adds nothing
    if (isinstance(measure, AP) and measure.divisor == "found") or isinstance(measure, ContextPrecision):
        return not (cut_and_condensed and grades)  # how many of the judged items are left decides the divisor
    if isinstance(measure, P) and measure.divisor == "deepest":
        return not (view.depth is not None and grades)  # the deepest hit may fall behind the cut
    if isinstance(measure, InfAP):  # pooled items help or harm, and a cut decides which hits count
        return view.depth is None or view.judged_only or not any(-1 <= each < 0 for group in grades for each in group)
    if isinstance(measure, Q | NCU):  # a gain that is no hit helps the hits below it
        sure = not any(0 < each < measure.rel for group in grades for each in group)
        by_gain = isinstance(measure, NCU) and measure.stop == "graded"  # now the higher gain first, now the lower
        return sure and (not by_gain or all(len({each for each in group if each > 0}) < 2 for group in grades))
    if isinstance(measure, Accuracy) and (measure.scope is not None or view.depth is not None):
        return not grades  # which items are paired depends on the order
    if isinstance(measure, G):  # of two gains now the higher should stand first, now the lower
        return all(len({each for each in group if each > 0}) < 2 for group in grades)
    if isinstance(measure, Rndcg) or (isinstance(measure, nDCG) and measure.negative == "both"):
        return not (cut_and_condensed and grades)  # the number of judged items left is in the formula
    return True


@pytest.mark.thorough
@settings(max_examples=15)
@given(topic=tied_topics(largest=4, most=2, grade=FINE))
def test_the_worst_and_the_best_order_bound_all_others_and_are_reached(topic: TiedTopic) -> None:
    tied, each = both_ways(topic)
    for view in VIEWS:
        seen = each.seen(view)
        for measure in NUMBERS:
            if isinstance(measure, NEVER_KNOWN):
                continue
            bound = measure.bind(tied)
            values = bound.of(seen)
            low, high = (float(value[0]) for value in proven_extremes(bound, tied, view))
            if math.isnan(low):
                assert np.isnan(values).any() or not is_known(measure, topic, view), measure
            elif not np.isnan(values).any():
                assert math.isclose(low, values.min(), abs_tol=1e-9), (measure, view.depth, view.judged_only)
                assert math.isclose(high, values.max(), abs_tol=1e-9), (measure, view.depth, view.judged_only)


def test_measures_without_a_proven_order_have_extremes_where_orders_can_be_gone_through() -> None:
    topic: TiedTopic = ([(1.0, 2.0, None)], (1.0,))
    tied, each = both_ways(topic)
    many = tied_ranks([([(1.0, 2.0, *[None] * 71)], (1.0,))]).with_collection(99)  # 5,256 orders
    for measure in NUMBERS:
        if isinstance(measure, NEVER_KNOWN):
            assert np.isnan(proven_extremes(measure.bind(tied), tied, Settings())).all(), measure
            assert np.isnan(worst_and_best(measure.bind(many), many, Settings())).all(), measure
            values, (worst, best) = measure.bind(tied).of(each), worst_and_best(measure.bind(tied), tied, Settings())
            low, high = (best, worst) if measure.lower_is_better else (worst, best)
            np.testing.assert_array_equal([low[0], high[0]], [values.min(), values.max()], err_msg=str(measure))


WITHOUT_FORM = [each for each in NUMBERS if is_simulated(each) or isinstance(each, Q | nDCG)]


@pytest.mark.sampled(1)
@settings(max_examples=8)
@given(topics=st.lists(tied_topics(largest=3, most=2, grade=FINE), min_size=1, max_size=2))
@pytest.mark.parametrize("view", [Settings(), Settings(depth=2), Settings(depth=3, judged_only=True)], ids=str)
def test_few_orders_are_all_gone_through_whatever_the_measure(topics: list[TiedTopic], view: Settings) -> None:
    """The mean without an error, the worst and the best: as of all orders written out one by one."""
    tied = tied_ranks(topics).with_collection(30)
    several = [ranks_of(enumerated(topic)).with_collection(30) for topic in topics]
    for measure in WITHOUT_FORM:
        bound = measure.bind(tied)
        values = [bound.of(each.seen(view)) for each in several]
        mean, error = mean_over_orders(bound, tied, view)
        low, high = worst_and_best(bound, tied, view)[:: -1 if measure.lower_is_better else 1]
        assert error is None
        np.testing.assert_allclose(mean, [each.mean() for each in values], rtol=0, atol=1e-12, err_msg=str(measure))
        for row, each in enumerate(values):
            if not np.isnan(each).any():
                assert low[row] == pytest.approx(each.min(), abs=1e-9), measure
                assert high[row] == pytest.approx(each.max(), abs=1e-9), measure


@settings(max_examples=60)
@given(topics=st.lists(tied_topics(largest=5, most=3, grade=FINE), min_size=1, max_size=3), rows=st.integers(1, 40))
def test_every_order_that_differs_comes_once(topics: list[TiedTopic], rows: int) -> None:
    tied = replace(tied_ranks(topics), subtopics=None)
    seen: list[list[tuple[Grade, ...]]] = [[] for _ in topics]
    for owner, several in every_order(tied, rows_at_once=rows):
        for row, at in enumerate(owner.tolist()):
            listed: list[Grade] = [None] * sum(len(group) for group in topics[at][0])
            for part in (several.judged, several.pooled):
                for rank, grade in zip(part.lists("rank")[row], part.lists("grade")[row], strict=True):
                    listed[rank - 1] = grade
            seen[at].append(tuple(listed))
    assert [len(each) for each in seen] == order_counts(tied).tolist()
    assert [sorted(map(str, each)) for each in seen] == [sorted({*map(str, orders(topic[0]))}) for topic in topics]


def test_how_many_orders_are_gone_through() -> None:
    """Seven items that all differ have 5,040 orders; one more kind of item, and orders are drawn."""
    seven: TiedTopic = ([tuple(float(grade) for grade in range(-3, 4))], ())
    eight: TiedTopic = ([tuple(float(grade) for grade in range(-4, 4))], ())
    alike: TiedTopic = ([(1.0, *[None] * (MOST_ORDERS - 1))], ())
    tied = tied_ranks([seven, eight, alike])
    assert order_counts(tied).tolist() == [5040, 40320, 5040]
    mean, error = mean_over_orders(parse_measure("IPrec@0.5"), tied, Settings())
    assert error is not None
    assert (error > 0).tolist() == [False, True, False]
    assert mean[2] == pytest.approx(sum(1 / rank for rank in range(1, 5041)) / 5040, abs=1e-12)


def test_two_orders_are_not_drawn_a_thousand_times() -> None:
    """It was .7660 with a standard error of .0079."""
    scores = evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, ["IPrec@0.5"], ties="expected")
    (column,) = scores.systems[0].columns
    assert (scores["IPrec@0.5"], column.error, column.extremes) == (0.75, None, (0.5, 1.0))
    assert not any("random orders" in each for each in scores.warnings())


@settings(max_examples=150)
@given(
    above=st.lists(st.sampled_from([None, 0.0, 1.0, -1.0]), max_size=7),
    group=st.lists(st.sampled_from([None, 0.0, 1.0, 1.0, -1.0]), min_size=2, max_size=6),
    scope=st.integers(1, 9),
)
def test_extremes_that_take_a_choice_of_numbers_are_those_of_all_orders(
    above: list[Grade], group: list[Grade], scope: int
) -> None:
    """Inferred AP with pooled items, and the mean precision at the hits within a cut-off, deeper in the list."""
    topic: TiedTopic = ([*((item,) for item in above), tuple(group)], (1.0,))
    tied, each = both_ways(topic)
    for measure in (InfAP(), AP(divisor="found", scope=scope)):
        values, extremes = measure.of(each), worst_and_best(measure, tied, Settings())
        assert [float(value[0]) for value in extremes] == pytest.approx([values.min(), values.max()], abs=1e-9), measure


def test_one_order_does_not_serve_every_measure() -> None:
    """What was printed as worst and best before: judged 0 stood behind unjudged items in every best order."""
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}}
    qrels = {"q": {"a": 1, "b": 0}}
    found = {}
    for column in (
        evaluate(qrels, run, ["Judged@2", "hole@2", "unj@2", "RBPResidual"], ties="expected").systems[0].columns
    ):
        assert column.extremes is not None
        found[column.asked] = [round(each, 6) for each in column.extremes]
    assert found == {
        "Judged@2": [0, 1],
        "hole@2": [1, 0],
        "unj@2": [1, 0],
        "RBPResidual": [1 - 0.1 * (0.81 + 0.729), 1 - 0.1 * (1 + 0.9)],
    }
    losing = (
        evaluate(
            {"q": {"a": 1, "b": -2, "c": 0}},
            {"q": dict.fromkeys("abc", 1.0)},
            "nDCG(negative=subtract)",
            ties="expected",
        )
        .systems[0]
        .columns[0]
    )
    thirds = 1 / math.log2(3), 1 / 2
    assert losing.extremes == pytest.approx((-2 + thirds[1], 1 - 2 * thirds[1]))


@settings(max_examples=40)
@given(queries=st.lists(tied_topics(), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_a_random_order_moves_items_inside_their_group_only(queries: list[TiedTopic], seed: int) -> None:
    tied = tied_ranks(queries)
    items = all_items(tied)
    ordered = [sorted_by_worth(tied, items, sign * items["grade"], 0.0) for sign in (1.0, -1.0)]
    for mixed in (shuffle_ties(tied, np.random.default_rng(seed)), *ordered):
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
    assert shuffle_ties(ranks, np.random.default_rng(0)) is ranks
    assert sorted_by_worth(ranks, all_items(ranks), np.zeros(2), 0.0) is ranks


def test_the_group_of_an_item_is_told_by_its_rank() -> None:
    tied = tied_ranks([([(1.0,), (0.0, None, 1.0), (2.0,), (None, 0.0)], ()), ([(1.0, 1.0)], ())])
    assert group_of(tied, tied.judged).tolist() == [-1, 0, 0, -1, 1, 2, 2]


# through evaluate: with a depth, with judged items only, and for measures without a closed form


def evaluated(topic: TiedTopic, text: str, **chosen: Any) -> tuple[float, float, float, float]:
    """Expected, its error, worst and best, as `ties="expected"` has them."""
    tied = tied_ranks([topic])
    own = Settings(ties="expected", **chosen)
    column = column_of(parse_measure(text), tied, tied.seen(own), own)
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
def test_expected_values_are_means_of_all_orders(topic: TiedTopic, chosen: dict[str, Any], text: str) -> None:
    measure = parse_measure(text).bind(tied_ranks([topic]))
    each = ranks_of(enumerated(topic)).seen(Settings(**chosen))
    exact = measure.of(each).mean()
    value, error, worst, best = evaluated(topic, text, **chosen)
    assert error == 0
    assert value == pytest.approx(exact, abs=1e-12)
    assert worst - 1e-9 <= value <= best + 1e-9


MANY: TiedTopic = ([(None, 1.0, 0.0, 2.0, *[None] * 15), (1.0,), (None, 1.0, -1.0)], (1.0, 0.0))  # 34,884 orders


def test_an_exact_value_has_no_error_and_a_simulated_one_has() -> None:
    assert evaluated(MANY, "AP")[1] == 0
    assert evaluated(MANY, "AP", depth=2)[1] > 0
    assert evaluated(MANY, "AP", depth=19)[1] == 0  # no group goes on behind it
    assert evaluated(MANY, "AP", depth=100) == evaluated(MANY, "AP")
    assert evaluated(MANY, "infAP")[1] > 0
    assert evaluated(MANY, "infAP", judged_only=True)[1] == 0  # few orders of what is left


def test_a_simulated_mean_has_the_error_of_random_orders() -> None:
    tied = tied_ranks([MANY])
    assert order_counts(tied).tolist() == [19 * 18 * 17 * 6]
    values = np.concatenate([parse_measure("infAP").of(several) for _, several in every_order(tied)])
    value, error, worst, best = evaluated(MANY, "infAP")
    assert values.size == 34884
    assert error == pytest.approx(values.std() / math.sqrt(RANDOM_ORDERS), rel=0.1)
    assert abs(value - values.mean()) < 4 * error
    assert (worst, best) == pytest.approx((values.min(), values.max()), abs=1e-12)


def test_a_query_without_ties_has_no_error_beside_one_that_has() -> None:
    tied = tied_ranks([([(1.0,), (0.0,)], ()), ([(1.0, 0.0, 2.0, -1.0, *[None] * 20)], ())])
    own = Settings(ties="expected")
    column = column_of(parse_measure("IPrec@0.5"), tied, tied, own)
    assert column.error is not None
    assert column.error[0] == 0
    assert column.values[0] == 1
    assert column.error[1] > 0
    assert column.summary_error == pytest.approx(column.error[1] / 2)


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
