"""Every measure against its slow reference, its range, and where it is undefined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.measures import ALL, EBR, ERR, Enorm, Measure, alpha_nDCG, iRBU, nDCG, nERR, nERR_IA, nNRBP
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.notation import parse_measure
from rankscope.ranks import RelevantRanks
from tests.measures.examples import EXAMPLES, examples
from tests.measures.properties import EVERY_KIND, NUMBERS, TOLERANCE, loses_its_ideal
from tests.measures.reference import REFERENCE, value_of
from tests.strategies import Topic, ranks_of, topic_lists


def test_every_measure_has_an_example_and_a_reference() -> None:
    assert set(EXAMPLES) == set(ALL) == set(REFERENCE)
    assert all(EXAMPLES[kind] for kind in ALL)
    assert all(type(measure) is kind for kind in ALL for measure in EXAMPLES[kind])


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_every_parameter_of_a_measure_is_changed_in_some_example(kind: type[Measure]) -> None:
    for field in fields(kind):
        assert len({getattr(measure, field.name) for measure in EXAMPLES[kind]}) > 1, field.name


def test_names_and_aliases_are_taken_once() -> None:
    names = [kind.name for kind in ALL]
    assert len(set(names)) == len(names)
    aliases = [alias for kind in ALL for alias in kind.aliases]
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & set(names)


def agrees(measure: Measure, ranks: RelevantRanks, listed: Sequence[Topic]) -> None:
    expected = [value_of(measure, topic, listed) for topic in listed]
    np.testing.assert_allclose(measure.of(ranks), expected, rtol=0, atol=TOLERANCE, err_msg=str(measure))


@pytest.mark.sampled(45)
@EVERY_KIND
@settings(max_examples=35)
@given(listed=topic_lists())
def test_a_measure_agrees_with_its_slow_reference(kind: type[Measure], listed: list[Topic]) -> None:
    for measure in EXAMPLES[kind]:
        agrees(measure, ranks_of(listed), listed)


@settings(max_examples=30)
@given(listed=topic_lists(), depth=st.integers(1, 8))
def test_measures_of_cut_lists_agree_with_their_slow_references(listed: list[Topic], depth: int) -> None:
    def cut(topic: Topic) -> Topic:
        lost = [grade for grade in topic.listed[depth:] if grade is not None]
        beyond = topic.collection - len(topic.listed[:depth]) - len(topic.missing) - len(lost)
        return replace(topic, listed=topic.listed[:depth], missing=(*topic.missing, *lost), beyond=beyond)

    shorter = [cut(topic) for topic in listed]
    for measure in examples(ALL):
        agrees(measure, ranks_of(listed).cut(depth), shorter)


@settings(max_examples=30)
@given(listed=topic_lists())
def test_measures_of_judged_items_only_agree_with_their_slow_references(listed: list[Topic]) -> None:
    def condensed(topic: Topic) -> Topic:
        kept = tuple(grade for grade in topic.listed if grade is not None and grade >= 0)
        pool = tuple(grade for grade in topic.listed if grade is not None and grade < 0)
        beyond = topic.collection - len(kept) - len(topic.missing) - len(pool)
        return replace(topic, listed=kept, missing=(*topic.missing, *pool), beyond=beyond)

    shorter = [condensed(topic) for topic in listed]
    for measure in examples(ALL):
        agrees(measure, ranks_of(listed).condensed(), shorter)


@settings(max_examples=40)
@given(listed=topic_lists())
def test_values_lie_in_their_range(listed: list[Topic]) -> None:
    ranks = ranks_of(listed)
    for measure in NUMBERS:
        low, high = measure.bounds()
        got = measure.of(ranks)
        assert got.shape == (len(listed),), measure
        assert got.dtype == np.float64, measure
        known = got[~np.isnan(got)]
        assert np.all((known >= low - TOLERANCE) & (known <= high + TOLERANCE)), measure


def extreme_lists(best: float, most: int) -> list[Topic]:
    """The best lists there can be and the worst, where all is relevant or nothing is, found or not, judged or not."""
    full = [Topic((best,) * count, beyond=10**9) for count in (*range(1, 20), most)]
    ordered = [Topic((best, best, 0.0, 0.0)), Topic((0.0, 0.0, best, best))]
    empty = [Topic((0.0,) * 20, (best,) * 3, beyond=10**9), Topic((None,) * 40, (best,), beyond=10**9)]
    return [*full, *ordered, *empty, Topic((), (best,)), Topic((), (best,) * 5), Topic((0.0,))]


@pytest.mark.parametrize("measure", [each for each in NUMBERS if np.isfinite(each.bounds()).any()], ids=str)
def test_finite_bounds_are_reached(measure: Measure) -> None:
    top = getattr(measure, "top", None)
    best = 4.0 if "subtopics" in measure.needs else 20.0 if top is None else top
    lists = ranks_of(extreme_lists(best, getattr(measure, "gtm", None) or 400))
    low, high = measure.bounds()
    got = measure.bind(lists).of(lists)
    if isinstance(measure, alpha_nDCG | nERR_IA | nNRBP):  # 1.58 is what is proven of a greedy order, 1.2 what was seen
        high = 1.0
    near = 0.06 if getattr(measure, "gain", "") == "linear" else 0.01
    ends = [(low, np.nanmin(got), 0.01), (high, np.nanmax(got), near)]
    for end, reached, slack in [each for each in ends if math.isfinite(each[0])]:
        assert reached == pytest.approx(end, abs=slack)


OWN_GAINS = "{1:5,2:3}"  # the lower grade gains more


@pytest.mark.parametrize(
    "measure",
    [
        nDCG(gain=OWN_GAINS, floor=2),
        *(kind(gain=OWN_GAINS, top=top) for kind in (ERR, nERR, iRBU, EBR) for top in (2.0, 4.0, None)),
    ],
    ids=str,
)
@settings(max_examples=40)
@given(listed=topic_lists())
def test_gains_that_do_not_rise_with_grades_keep_values_in_their_range(measure: Measure, listed: list[Topic]) -> None:
    ranks = ranks_of([replace(each, listed=_lowered(each.listed), missing=_lowered(each.missing)) for each in listed])
    bound = measure.bind(ranks)
    got = bound.of(ranks)
    low, high = bound.bounds()
    assert np.all(np.isnan(got) | ((got >= low - TOLERANCE) & (got <= high + TOLERANCE)))


def _lowered(grades: Sequence[Any]) -> tuple[Any, ...]:
    """No grade above 2."""
    return tuple(None if each is None else min(each, 2.0) for each in grades)


def test_ndcg_of_the_ideal_order_above_a_floor_is_one_whatever_the_gains() -> None:
    ranks = ranks_of([Topic((2.0, 1.0))])
    assert nDCG(gain=OWN_GAINS, floor=2).of(ranks).tolist() == [1.0]  # grade 1 gains nothing: it is below the floor


def test_users_stop_by_the_highest_gain_not_that_of_the_highest_grade() -> None:
    ranks = ranks_of([Topic((1.0, 2.0))])
    assert ERR(gain=OWN_GAINS, top=2).of(ranks)[0] == pytest.approx(5 / 6 + 1 / 6 * 3 / 6 / 2)


@pytest.mark.parametrize(
    ("measure", "bounds"),
    [
        ("ERR(top=1)", (0.0, math.log(2))),  # sum of 2^-k / k
        ("ERR(top=2)@2", (0.0, 0.75 + 0.25 * 0.75 / 2)),
        ("iRBU(top=1,p=0.8)", (0.0, 0.4 / 0.6)),  # .5 * .8 / (1 - .5 * .8)
        ("EBR(top=1)@3", (0.0, 0.875)),
        ("RBP(p=0.8)@3", (0.0, 1 - 0.8**3)),
        ("RBP(p=0.8,horizon=3)@1", (0.0, 1 / (1 + 0.8 + 0.64))),
        ("RBP(gain=raw)", (0.0, math.inf)),
        ("Rprec(a=2)", (0.0, 1 / 1.9999)),
        ("hits@7", (0.0, 7.0)),
        ("hits", (0.0, math.inf)),
        ("utility(b=0)", (0.0, math.inf)),
        ("utility(a=0)", (-math.inf, 0.0)),
        ("nDCG(negative=subtract)", (-math.inf, 1.0)),
        ("ER", (0.0, 1.0)),
    ],
)
def test_bounds_worked_by_hand(measure: str, bounds: tuple[float, float]) -> None:
    assert parse_measure(measure).bounds() == pytest.approx(bounds, abs=1e-12)


@pytest.mark.thorough
def test_values_of_real_rankings_lie_in_their_range() -> None:
    from tests.data import data_folder

    covid = data_folder("trec-covid-r1")
    wanted = [each for each in NUMBERS if "subtopics" not in each.needs and not getattr(each, "gtm", 0)]
    scores = evaluate(
        covid / "qrels-rnd1.txt", covid / "runs" / "BM25R2.gz", [str(each) for each in wanted], collection_size=60_000
    )
    for column in scores.systems[0].columns:
        low, high = column.measure.bounds()
        known = column.values[~np.isnan(column.values)]
        assert np.all((known >= low - TOLERANCE) & (known <= high + TOLERANCE)), column.measure


@settings(max_examples=40)
@given(listed=topic_lists())
def test_a_value_is_undefined_only_where_the_measure_says_so(listed: list[Topic]) -> None:
    ranks = ranks_of(listed)
    for measure in NUMBERS:
        undefined = np.isnan(measure.of(ranks)) & np.asarray(measure.defined(ranks)) & (not loses_its_ideal(measure))
        if isinstance(measure, Enorm):  # with everything relevant there is nothing above chance
            undefined &= ranks.at(measure.level).relevant < ranks.collection
        assert not undefined.any(), measure
