"""What a value must not depend on: unjudged items at the end of the list, and other queries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.measures import (
    ALL,
    ERR,
    NMRR,
    RBP,
    Accuracy,
    Compat,
    ContextPrecision,
    Enorm,
    Estar,
    Generality,
    GeneralityIndex,
    Judged,
    Measure,
    NumRet,
    RBPResidual,
    Rndcg,
    SetAP,
    SetF,
    SetP,
    SetRelativeP,
    Unjudged,
    Utility,
    nERR,
)
from rankscope.measures.user_models import Browsing
from tests.measures.examples import examples
from tests.measures.properties import NUMBERS, TOLERANCE, loses_its_ideal, values
from tests.strategies import Topic, ranks_of, topic_lists, topics


def sees_the_end(measure: Measure) -> bool:
    """What counts the items returned; all else looks at the judged ones only."""
    if isinstance(measure, SetP | SetRelativeP | SetAP | SetF | NumRet):
        return True  # the number returned is in the formula
    if isinstance(measure, ContextPrecision):
        return measure.count == "set"
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
    if isinstance(measure, Compat):
        return True  # the overlap with the ideal order is looked at down to the end of the list
    if isinstance(measure, Accuracy):
        return True  # what is returned at the end makes more pairs
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
    others = [measure for measure in examples(ALL) if not isinstance(measure, Browsing)]
    changed = {str(measure): str(measure.bind(ranks)) for measure in others if measure.bind(ranks) != measure}
    assert changed == {
        "RBP(p=0.5,gain=graded)": "RBP(p=0.5,gain=graded,top=3)",
        "RBP(p=0.9,gain=graded)@3": "RBP(p=0.9,gain=graded,top=3)@3",
        "ERR": "ERR(top=3)",
        "ERR@3": "ERR(top=3)@3",
        "ERR(gain=linear)": "ERR(top=3,gain=linear)",
        "ERR(gain=linear)@4": "ERR(top=3,gain=linear)@4",
        "nERR": "nERR(top=3)",
        "nERR@3": "nERR(top=3)@3",
        "nERR(gain=linear)": "nERR(top=3,gain=linear)",
        "nERR(gain=linear)@2": "nERR(top=3,gain=linear)@2",
        "iRBU": "iRBU(top=3)",
        "iRBU(gain=linear)@3": "iRBU(top=3,gain=linear)@3",
        "EBR": "EBR(top=3)",
        "EBR(gain=linear)@3": "EBR(top=3,gain=linear)@3",
        "EBR(beta=3,rel=2)": "EBR(beta=3,top=3,rel=2)",
        "NMRR": "NMRR(gtm=3)",
        "NMRR(penalty=k+1)": "NMRR(gtm=3,penalty=k+1)",
        "NMRR(rel=2)": "NMRR(gtm=1,rel=2)",
    }


def test_users_who_browse_take_the_highest_grade_from_the_query_set() -> None:
    ranks = ranks_of([Topic((1.0,)), Topic((3.0, 1.0, 1.0))])
    for measure in examples(ALL):
        if isinstance(measure, Browsing):
            assert measure.bind(ranks).top == (3.0 if measure.top is None else measure.top)


def test_the_class_sizes_of_other_queries_change_nmrr_and_their_grades_change_err() -> None:
    one, large, graded = Topic((None, 1.0, None, 1.0)), Topic((1.0,) * 5), Topic((4.0,))
    assert values(NMRR(), [one])[0] != values(NMRR(), [one, large])[0]
    for measure in (ERR(), RBP(gain="graded")):
        assert values(measure, [one])[0] != values(measure, [one, graded])[0]
    assert values(nERR(top=4), [one])[0] == values(nERR(top=4), [one, graded])[0]
