"""Properties that hold for all measures, tested once; every exception stands here with its reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.evaluation.evaluate import evaluate
from rankscope.measures import (
    ALL,
    AP,
    ERR,
    NMRR,
    RBP,
    Enorm,
    Estar,
    Generality,
    GeneralityIndex,
    InfAP,
    Judged,
    Measure,
    NumQ,
    NumRet,
    RBPResidual,
    Relstring,
    Rndcg,
    Runid,
    SetAP,
    SetF,
    SetP,
    SetRelativeP,
    Unjudged,
    Utility,
    nDCG,
    nERR,
)  # fmt: skip
from rankscope.measures.notation import parse_measure
from rankscope.ranks import RelevantRanks
from tests.measures.examples import EXAMPLES, examples
from tests.measures.reference import REFERENCE, value_of
from tests.strategies import Grade, Topic, grades, ranks_of, topic_lists, topics

TOLERANCE = 1e-12
WORDS = (Relstring, Runid)
NUMBERS = [measure for measure in examples(ALL) if not isinstance(measure, WORDS)]
EVERY = pytest.mark.parametrize("measure", examples(ALL), ids=str)
EVERY_KIND = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)


def values(measure: Measure, listed: Sequence[Topic]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return measure.of(ranks_of(listed))


def no_lower(measure: Measure, better: RelevantRanks, worse: RelevantRanks) -> bool:
    """Whether the measure agrees that the first are no worse; a measure bound to the second stays bound."""
    bound = measure.bind(worse)
    sign = -1.0 if measure.lower_is_better else 1.0
    first, second = sign * bound.of(better), sign * bound.of(worse)
    return bool(np.all((first >= second - TOLERANCE) | (np.isnan(first) & np.isnan(second))))


# none may be forgotten


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


# values


def agrees(measure: Measure, ranks: RelevantRanks, listed: Sequence[Topic]) -> None:
    expected = [value_of(measure, topic, listed) for topic in listed]
    np.testing.assert_allclose(measure.of(ranks), expected, rtol=0, atol=TOLERANCE, err_msg=str(measure))


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


def loses_its_ideal(measure: Measure) -> bool:
    """nDCG whose negative grades take away from the ideal order too, as torchmetrics has it: the ideal may be 0 or
    below, and counts losses that the list does not have, so that the value has neither bounds nor direction.
    """
    return isinstance(measure, nDCG) and measure.negative == "both"


def range_of(measure: Measure) -> tuple[float, float]:
    if measure.counts:
        return 0.0, math.inf
    if isinstance(measure, Estar):
        return -1.0, 1.0
    if loses_its_ideal(measure):
        return -math.inf, math.inf
    if isinstance(measure, RBP) and measure.gain == "raw":
        return 0.0, 4.0  # the highest grade there is here
    if isinstance(measure, Enorm) or (isinstance(measure, nDCG) and measure.negative == "subtract"):
        return -math.inf, 1.0  # a large class in a small collection, or a list of negative grades, has no floor
    if isinstance(measure, GeneralityIndex):
        return 0.0, math.inf
    if isinstance(measure, Utility):
        return -math.inf, math.inf
    return 0.0, 1.0


@settings(max_examples=40)
@given(listed=topic_lists())
def test_values_lie_in_their_range(listed: list[Topic]) -> None:
    ranks = ranks_of(listed)
    for measure in NUMBERS:
        low, high = range_of(measure)
        got = measure.of(ranks)
        assert got.shape == (len(listed),), measure
        assert got.dtype == np.float64, measure
        known = got[~np.isnan(got)]
        assert np.all((known >= low - TOLERANCE) & (known <= high + TOLERANCE)), measure


@settings(max_examples=40)
@given(listed=topic_lists())
def test_a_value_is_undefined_only_where_the_measure_says_so(listed: list[Topic]) -> None:
    ranks = ranks_of(listed)
    for measure in NUMBERS:
        undefined = np.isnan(measure.of(ranks)) & np.asarray(measure.defined(ranks)) & (not loses_its_ideal(measure))
        if isinstance(measure, Enorm):  # with everything relevant there is nothing above chance
            undefined &= ranks.at(measure.level).relevant < ranks.collection
        assert not undefined.any(), measure


# order


def test_what_does_not_look_at_the_order_says_so() -> None:
    unordered = {kind.name for kind in ALL if not kind.ordered}
    assert unordered == {
        "generality", "generality_index", "SetP", "SetR", "SetRelativeP", "SetAP", "SetF", "utility",
        "num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "runid",
    }  # fmt: skip


@given(topic=topics(), data=st.data())
@settings(max_examples=40)
def test_an_unordered_measure_does_not_see_the_order(topic: Topic, data: st.DataObject) -> None:
    mixed = replace(topic, listed=tuple(data.draw(st.permutations(topic.listed))))
    for measure in NUMBERS:
        if not measure.ordered:
            np.testing.assert_array_equal(values(measure, [mixed]), values(measure, [topic]), err_msg=str(measure))


SEEN_AT_A_DEPTH = Topic((None, 0.0, 3.0, None, 2.0, 1.0, None, 3.0, None, None), (1.0, 3.0, 0.0), beyond=9)


@EVERY_KIND
def test_an_ordered_measure_sees_the_order(kind: type[Measure]) -> None:
    orders = [SEEN_AT_A_DEPTH, perfect(SEEN_AT_A_DEPTH)]
    orders += [SEEN_AT_A_DEPTH.swapped(place) for place in range(len(SEEN_AT_A_DEPTH.listed) - 1)]

    def seen(measure: Measure) -> int:
        return len({str(measure.words(ranks_of([order])) or measure.of(ranks_of([order]))[0]) for order in orders})

    assert any(seen(measure) > 1 for measure in EXAMPLES[kind]) == kind.ordered


def falls_by_overtaking(measure: Measure, overtaken: Grade) -> bool:
    """Where a measure may rightly fall though a relevant item moves up; the reason beside each."""
    if isinstance(measure, AP):
        # found: one more hit within the cut-off enlarges the divisor by more than it adds to the sum
        # printed: the sum begins at k = 2, so that a hit at rank 1 adds nothing
        return (measure.divisor == "found" and measure.scope is not None) or measure.area == "printed"
    if loses_its_ideal(measure):
        return True
    # infAP takes the pooled items above a hit for partly relevant: overtaking one takes that guess away
    return isinstance(measure, InfAP) and overtaken is not None and overtaken < 0


@st.composite
def overtakings(draw: st.DrawFn, rel: float) -> tuple[Topic, Topic, Grade]:
    """A topic, the same after a relevant item overtook one without any gain, and what it overtook."""
    overtaken = draw(st.sampled_from([None, 0.0, -1.0, -2.0]))
    above, below = draw(st.tuples(topics(6, empty=False), topics(6, empty=False)))
    pair = (overtaken, draw(grades(int(rel), 4)))
    topic = replace(above, listed=(*above.listed, *pair, *below.listed))
    return topic, topic.swapped(len(above.listed)), overtaken


@pytest.mark.parametrize("rel", [1.0, 2.0, 3.0])
@settings(max_examples=50)
@given(data=st.data())
def test_overtaking_a_non_relevant_item_never_lowers_the_score(rel: float, data: st.DataObject) -> None:
    before, after, overtaken = data.draw(overtakings(rel))
    better, worse = ranks_of([after]), ranks_of([before])
    for measure in NUMBERS:
        if measure.level == rel and not falls_by_overtaking(measure, overtaken):
            assert no_lower(measure, better, worse), measure


@pytest.mark.parametrize(
    ("measure", "listed"),
    [
        (AP(scope=3, divisor="found", rel=3), (3.0, None, None, 3.0)),
        (AP(area="printed"), (None, 1.0)),
        (InfAP(), (None, None, None, -1.0, 1.0)),
    ],
    ids=str,
)
def test_each_exception_to_overtaking_is_real(measure: Measure, listed: tuple[Grade, ...]) -> None:
    before = Topic(listed, beyond=5)
    after = before.swapped(len(listed) - 2)
    assert falls_by_overtaking(measure, listed[-2])
    assert values(measure, [after])[0] < values(measure, [before])[0] - 1e-6


ASKS_FOR_JUDGED_ITEMS = ("Judged", "hole", "unj", "RBPResidual")  # of any grade, so that high grades first is not best


def perfect(topic: Topic) -> Topic:
    """The same items in the best order: high grades first, then what is not judged, then 0, then what is below."""

    def key(grade: Grade) -> float:
        return -grade if grade is not None and grade > 0 else 0.0 if grade is None else 0.5 - grade

    return replace(topic, listed=tuple(sorted(topic.listed, key=key)))


@settings(max_examples=50)
@given(topic=topics())
def test_no_order_is_better_than_the_perfect_one(topic: Topic) -> None:
    better, worse = ranks_of([perfect(topic)]), ranks_of([topic])
    for measure in NUMBERS:
        loses_the_first_hit = isinstance(measure, AP) and measure.area == "printed"
        if measure.name not in ASKS_FOR_JUDGED_ITEMS and not loses_the_first_hit and not loses_its_ideal(measure):
            assert no_lower(measure, better, worse), measure


REACH_ONE = (
    "AP", "AP(rel=2)", "AP(area=oxford)", "AP(divisor=min)@4", "nDCG", "nDCG(gain=exp)@5", "nDCG@3", "RR", "Rprec",
    "success@1", "bpref", "nERR", "nERR@3", "Q", "IPrec@0", "IPrec@0.5", "IPrec@1", "IPrec11", "CappedRecall@5",
    "Bullseye", "Effectiveness", "nDCG_rel", "Rndcg", "binG", "GMAP", "gm_bpref", "SetR", "SetRelativeP", "R@30",
)  # fmt: skip


@settings(max_examples=60)
@given(topic=topics())
def test_all_relevant_items_first_score_one_and_have_no_error(topic: Topic) -> None:
    whole = perfect(replace(topic, listed=(*topic.listed, *topic.missing), missing=()))
    for goal, texts in ((1.0, REACH_ONE), (0.0, ("NMRR(gtm=40)", "ER", "E(alpha=1)@1"))):
        for text in texts:
            value = values(parse_measure(text), [whole])[0]
            assert math.isnan(value) or math.isclose(value, goal, abs_tol=TOLERANCE), text


# the end of the list


def sees_the_end(measure: Measure) -> bool:
    """What counts the items returned; all else looks at the judged ones only."""
    if isinstance(measure, SetP | SetRelativeP | SetAP | SetF | NumRet):
        return True  # the number returned is in the formula
    if isinstance(measure, Utility):
        return True  # an irrelevant item returned costs b
    if isinstance(measure, Unjudged):
        return True  # places behind the end of a short list are not counted, unjudged items there are
    if isinstance(measure, RBPResidual):
        return (
            measure.judged == "zero"
        )  # the tail p^depth splits in two parts; only trec_eval's 0 for all judged differs
    if isinstance(measure, Judged):
        return measure.divisor == "returned"
    if loses_its_ideal(measure):
        return True  # its ideal order is as long as the list, with the negative grades last
    if isinstance(measure, Rndcg):
        return True  # a list longer than the ideal one by two has one more place to average over
    # the collection grows with the list here
    return isinstance(measure, Estar | Enorm | Generality | GeneralityIndex)


@settings(max_examples=40)
@given(topic=topics(empty=False), more=st.integers(1, 5))
def test_unjudged_items_at_the_end_change_nothing(topic: Topic, more: int) -> None:
    shorter, longer = ranks_of([topic]), ranks_of([replace(topic, listed=topic.listed + (None,) * more)])
    for measure in NUMBERS:
        if not sees_the_end(measure):
            np.testing.assert_allclose(
                measure.of(longer), measure.of(shorter), rtol=0, atol=TOLERANCE, err_msg=str(measure)
            )


# other queries


@settings(max_examples=25)
@given(listed=topic_lists(2, 5), data=st.data())
def test_a_value_does_not_depend_on_the_other_queries_nor_on_their_order(
    listed: list[Topic], data: st.DataObject
) -> None:
    ranks = ranks_of(listed)
    order = np.array(data.draw(st.permutations(range(len(listed)))), dtype=np.int64)
    mixed, singles = ranks.take(order), [ranks.take(np.array([row])) for row in range(len(listed))]
    for measure in NUMBERS:
        bound = measure.bind(ranks)  # NMRR, and graded RBP and ERR, take one number from the query set
        together = bound.of(ranks)
        np.testing.assert_array_equal(bound.of(mixed), together[order], err_msg=str(measure))
        np.testing.assert_array_equal([bound.of(one)[0] for one in singles], together, err_msg=str(measure))


def test_what_a_measure_takes_from_the_query_set_is_written_into_it() -> None:
    ranks = ranks_of([Topic((1.0,)), Topic((3.0, 1.0, 1.0))])
    changed = {str(measure): str(measure.bind(ranks)) for measure in examples(ALL) if measure.bind(ranks) != measure}
    assert changed == {
        "RBP(p=0.5,gain=graded)": "RBP(p=0.5,gain=graded,top=3)",
        "ERR": "ERR(top=3)",
        "ERR@3": "ERR(top=3)@3",
        "nERR": "nERR(top=3)",
        "nERR@3": "nERR(top=3)@3",
        "NMRR": "NMRR(gtm=3)",
        "NMRR(penalty=k+1)": "NMRR(gtm=3,penalty=k+1)",
        "NMRR(rel=2)": "NMRR(gtm=1,rel=2)",
    }


def test_the_class_sizes_of_other_queries_change_nmrr_and_their_grades_change_err() -> None:
    one, large, graded = Topic((None, 1.0, None, 1.0)), Topic((1.0,) * 5), Topic((4.0,))
    assert values(NMRR(), [one])[0] != values(NMRR(), [one, large])[0]
    for measure in (ERR(), RBP(gain="graded")):
        assert values(measure, [one])[0] != values(measure, [one, graded])[0]
    assert values(nERR(top=4), [one])[0] == values(nERR(top=4), [one, graded])[0]


# printing


@EVERY
def test_a_measure_is_read_back_from_what_it_prints(measure: Measure) -> None:
    assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize("text", [str(measure) for measure in examples(ALL)])
def test_a_measure_prints_as_it_is_written(text: str) -> None:
    assert str(parse_measure(text)) == text


@given(p=st.floats(0, 1), top=st.floats(0, 1e6), rel=st.floats(0.001, 1e9))
def test_a_parameter_prints_with_all_its_digits(p: float, top: float, rel: float) -> None:
    measure = RBP(p=p, gain="graded", rel=rel, top=top)
    assert parse_measure(str(measure)) == measure


@EVERY
def test_equal_parameters_make_equal_measures(measure: Measure) -> None:
    again = type(measure)(**{field.name: getattr(measure, field.name) for field in fields(measure)})
    assert again == measure
    assert hash(again) == hash(measure)


@EVERY
def test_a_measure_explains_itself(measure: Measure) -> None:
    kind = type(measure)
    assert kind.__doc__
    assert kind.formula
    assert kind.source
    assert kind.summary in ("mean", "sum", "geometric", "none")


# one order for all (peers.md, request 2: a constant scorer had MRR 1 and nDCG 0 in one run)


@pytest.mark.parametrize("ties", ["trec_eval", "ascending", "given", "hash"])
def test_a_constant_scorer_has_one_and_the_same_order_under_all_measures(ties: str) -> None:
    items = ["b", "d", "a", "f", "c", "e", "h", "g"]
    seen = set()
    for relevant in items:  # the rank of each item in turn, as each measure sees it
        qrels = {"q": {relevant: 1}}
        run = {"q": dict.fromkeys(items, 0.5)}
        scores = evaluate(qrels, run, ["RR", "RR@8", "AP", "nDCG", "nDCG@8", "P@8", "ERR", "Q", "binG"], ties=ties)
        rank = round(1 / scores["RR"])
        seen.add(rank)
        assert scores["RR@8"] == scores["AP"] == scores["RR"] == 1 / rank
        assert scores["nDCG"] == scores["nDCG@8"] == 1 / np.log2(rank + 1)
        assert math.isclose(scores["ERR"], 0.5 / rank)
        assert math.isclose(scores["Q"], 2 / (rank + 1))
        assert math.isclose(scores["binG"], 1 / math.log2(rank + 1))
        expected = {"ascending": sorted(items), "trec_eval": sorted(items, reverse=True), "given": items}
        if ties in expected:
            assert expected[ties].index(relevant) + 1 == rank
    assert seen == set(range(1, 9))


@pytest.mark.parametrize("ties", ["trec_eval", "ascending", "given", "hash"])
def test_a_constant_scorer_scores_as_its_order_would(ties: str) -> None:
    items = [f"d{number}" for number in range(20)]
    qrels = {"q": {item: number % 4 for number, item in enumerate(items)}}
    tied = evaluate(qrels, {"q": dict.fromkeys(items, 1.0)}, NUMBERS, ties=ties, collection_size=50)
    place = {
        item: round(1 / evaluate({"q": {item: 1}}, {"q": dict.fromkeys(items, 1.0)}, "RR", ties=ties)["RR"])
        for item in items
    }
    clear = evaluate(qrels, {"q": {item: -place[item] for item in items}}, NUMBERS, collection_size=50)
    for measure in NUMBERS:
        np.testing.assert_equal(tied[str(measure)], clear[str(measure)])


def test_a_constant_scorer_under_expected_ties_has_the_mean_for_each_measure() -> None:
    run = {"q": dict.fromkeys("abcd", 0.5)}
    scores = evaluate({"q": {"a": 1}}, run, ["RR", "AP", "nDCG", "P@1", "success@1", "RBP(p=0.5)"], ties="expected")
    mean = sum(1 / rank for rank in range(1, 5)) / 4
    assert math.isclose(scores["RR"], mean)
    assert math.isclose(scores["AP"], mean)
    assert math.isclose(scores["nDCG"], sum(1 / math.log2(rank + 1) for rank in range(1, 5)) / 4)
    assert scores["P@1"] == 0.25
    assert math.isclose(scores["success@1"], 0.25)
    assert math.isclose(scores["RBP(p=0.5)"], (0.5 + 0.25 + 0.125 + 0.0625) / 4)


# words


@given(listed=topic_lists(), length=st.integers(1, 12))
def test_a_relevance_string_shows_the_first_grades(listed: list[Topic], length: int) -> None:
    def sign(grade: Grade) -> str:
        return "-" if grade is None else "." if grade < 0 else f"{grade:g}"

    expected = ["".join(map(sign, topic.listed[:length])) for topic in listed]
    assert Relstring(length).words(ranks_of(listed)) == expected


def test_a_run_id_is_the_tag_of_the_run() -> None:
    assert Runid().word(replace(ranks_of([Topic()]), tag="bm25")) == "bm25"


def test_the_number_of_queries_is_one_for_each() -> None:
    assert values(NumQ(), [Topic(), Topic((1.0,))]).tolist() == [1, 1]
