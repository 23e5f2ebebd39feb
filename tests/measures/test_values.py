"""Every measure against its slow reference, its range, and where it is undefined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.measures import (
    ALL,
    DCG,
    RBP,
    Enorm,
    Estar,
    GeneralityIndex,
    HitCount,
    Measure,
    Utility,
    alpha_nDCG,
    jDCG,
    jnDCG,
    nDCG,
    nERR_IA,
    nNRBP,
)
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


def range_of(measure: Measure) -> tuple[float, float]:
    if measure.counts:
        return 0.0, math.inf
    if isinstance(measure, Estar):
        return -1.0, 1.0
    if isinstance(measure, DCG | jDCG | HitCount) and not isinstance(measure, jnDCG):
        return 0.0, math.inf  # not normalised
    if loses_its_ideal(measure):
        return -math.inf, math.inf
    if isinstance(measure, alpha_nDCG | nERR_IA | nNRBP):
        return 0.0, 1.5  # the greedy ideal order is not always the best one
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
