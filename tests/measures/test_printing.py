"""A measure is read back from what it prints, explains itself, and some answer with a word."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.measures import ALL, RBP, Measure, NumQ, Relstring, Runid
from rankscope.measures.notation import parse_measure
from tests.measures.examples import examples
from tests.measures.properties import EVERY, values
from tests.strategies import Grade, Topic, ranks_of, topic_lists


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
