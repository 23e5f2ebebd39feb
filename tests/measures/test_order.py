"""What each measure sees of the order: overtaking, perfect lists; every exception stands here with its reason."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.measures import ALL, AP, BPM, EBR, IFT, NCU, Accuracy, InfAP, Measure, Pmeasure, Pplus
from rankscope.measures.diversity import SubtopicMeasure
from rankscope.measures.notation import parse_measure
from rankscope.measures.whole_list import ContextPrecision
from tests.measures.examples import EXAMPLES
from tests.measures.properties import EVERY_KIND, NUMBERS, TOLERANCE, loses_its_ideal, no_lower, perfect, values
from tests.strategies import Grade, Topic, grades, ranks_of, topics


def test_what_does_not_look_at_the_order_says_so() -> None:
    unordered = {kind.name for kind in ALL if not kind.ordered}
    assert unordered == {
        "generality",
        "generality_index",
        "SetP",
        "SetR",
        "SetRelativeP",
        "SetAP",
        "SetF",
        "utility",
        "num_q",
        "num_ret",
        "num_rel",
        "num_rel_ret",
        "num_nonrel_judged_ret",
        "runid",
    }


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
    """Where a measure may rightly fall though a relevant item moves up; the reason next to each."""
    if isinstance(measure, AP):
        # found: one more hit within the cut-off enlarges the divisor by more than it adds to the sum
        # printed: the sum begins at k = 2, so that a hit at rank 1 adds nothing
        return (measure.divisor == "found" and measure.scope is not None) or measure.area == "printed"
    if loses_its_ideal(measure):
        return True
    if isinstance(measure, IFT):
        return True  # who has found enough, or finds quickly and then nothing, stops at another rank
    if isinstance(measure, BPM):
        return measure.hb > 0 or measure.hc > 0  # a gain makes the player want more, and wait longer
    if isinstance(measure, ContextPrecision):
        return measure.scope is not None  # a mean over the hits: one more within the cut-off may lower it
    if isinstance(measure, Accuracy):
        return measure.scope is not None  # one more hit within the cut-off is one more to be paired
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
        (Accuracy(scope=4), (1.0, None, None, None, 1.0)),
        (ContextPrecision(scope=3), (1.0, None, None, 1.0)),
        (BPM(T=2, hc=1.5, scope=3, horizon=12), (2.0, None, 1.0)),
    ],
    ids=str,
)
def test_each_exception_to_overtaking_is_real(measure: Measure, listed: tuple[Grade, ...]) -> None:
    before = Topic(listed, beyond=5)
    after = before.swapped(len(listed) - 2)
    assert falls_by_overtaking(measure, listed[-2])
    assert values(measure, [after])[0] < values(measure, [before])[0] - 1e-6


ASKS_FOR_JUDGED_ITEMS = ("Judged", "hole", "unj", "RBPResidual")  # of any grade, so that high grades first is not best


def may_prefer_another_order(measure: Measure) -> bool:
    """Where the perfect list may rightly have less than another order of it; the reason next to each."""
    if measure.name in ASKS_FOR_JUDGED_ITEMS or loses_its_ideal(measure):
        return True
    if isinstance(measure, AP):
        return measure.area == "printed"  # a hit at rank 1 adds nothing
    if isinstance(measure, Pmeasure | Pplus | EBR):
        return True  # if the best items were not found, more hits above the best one found make up for them
    if isinstance(measure, SubtopicMeasure):
        return True  # high grades first may serve one subtopic again and again
    if isinstance(measure, BPM | IFT):
        return True  # who stops at enough gain has more of it per item where the last one is worth most
    if isinstance(measure, NCU):
        return measure.stop == "graded"  # where most users wait for the best item, others above it help them
    if isinstance(measure, ContextPrecision):
        return measure.scope is not None  # a mean over the hits: one more within the cut-off may lower it
    if isinstance(measure, Accuracy):
        return measure.scope is not None  # fewer hits within the cut-off may make a better share of pairs
    # gains of their own may rank the grades in another order
    return str(getattr(measure, "gain", "")).startswith("{")


@settings(max_examples=50)
@given(topic=topics())
def test_no_order_is_better_than_the_perfect_one(topic: Topic) -> None:
    better, worse = ranks_of([perfect(topic)]), ranks_of([topic])
    for measure in NUMBERS:
        if not may_prefer_another_order(measure):
            assert no_lower(measure, better, worse), measure


REACH_ONE = (
    "AP",
    "AP(rel=2)",
    "AP(area=oxford)",
    "AP(divisor=min)@4",
    "nDCG",
    "nDCG(gain=exp)@5",
    "nDCG@3",
    "RR",
    "Rprec",
    "success@1",
    "bpref",
    "nERR",
    "nERR@3",
    "nERR(gain=linear)@3",
    "jnDCG",
    "jnDCG(base=10)@5",
    "Compat",
    "Omeasure",
    "Pmeasure",
    "Pplus",
    "NCU",
    "NCU(stop=biased)",
    "Q",
    "Q@3",
    "IPrec@0",
    "IPrec@0.5",
    "IPrec@1",
    "IPrec11",
    "CappedRecall@5",
    "Bullseye",
    "Effectiveness",
    "nDCG_rel",
    "Rndcg",
    "binG",
    "GMAP",
    "gm_bpref",
    "SetR",
    "SetRelativeP",
    "R@30",
)


@settings(max_examples=60)
@given(topic=topics())
def test_all_relevant_items_first_score_one_and_have_no_error(topic: Topic) -> None:
    whole = perfect(replace(topic, listed=(*topic.listed, *topic.missing), missing=()))
    for goal, texts in ((1.0, REACH_ONE), (0.0, ("NMRR(gtm=40)", "ER", "E(alpha=1)@1"))):
        for text in texts:
            value = values(parse_measure(text), [whole])[0]
            assert math.isnan(value) or math.isclose(value, goal, abs_tol=TOLERANCE), text
