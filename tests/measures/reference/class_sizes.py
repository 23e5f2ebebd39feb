"""Measures whose scope or correction is the size of the class, and its share of the collection."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.measures import NMRR, Bullseye, Effectiveness, Enorm, Estar, F, Generality, GeneralityIndex, Measure
from tests.measures.reference.cut_offs import f
from tests.measures.reference.words import NAN, Reference, count_relevant, hits_within, is_hit, over, precision
from tests.strategies import Topic


def effectiveness(m: Effectiveness, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    scope = relevant if m.scope is None else m.scope
    return NAN if relevant == 0 else f(F(scope, rel=m.rel), topic, topics)


def estar(m: Estar, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    if relevant == 0:
        return NAN
    scope = relevant if m.scope is None else m.scope
    expected_hits = scope * relevant / topic.collection
    chance = relevant / topic.collection if m.baseline == "g" else 2 * expected_hits / (scope + relevant)
    return effectiveness(Effectiveness(scope, rel=m.rel), topic, topics) - chance


def enorm(m: Enorm, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    if relevant in (0, topic.collection):
        return NAN
    chance = relevant / topic.collection
    return (precision(topic, relevant, m.rel) - chance) / (1 - chance)


def generality(m: Generality, topic: Topic, topics: Sequence[Topic]) -> float:
    return count_relevant(topic, m.rel) / topic.collection or NAN


def generality_index(m: GeneralityIndex, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    return math.log2(topic.collection / relevant) if relevant else NAN


def nmrr(m: NMRR, topic: Topic, topics: Sequence[Topic]) -> float:
    ng = count_relevant(topic, m.rel)
    if ng == 0:
        return NAN
    gtm = m.gtm or max(count_relevant(each, m.rel) for each in topics)
    look = min(4 * ng, 2 * gtm)
    penalty = 1.25 * look if m.penalty == "1.25k" else look + 1
    ranks = [k for k, grade in enumerate(topic.listed, 1) if is_hit(grade, m.rel)]
    ranks += [10**9] * (ng - len(ranks))
    average = sum(rank if rank <= look else penalty for rank in ranks) / ng
    return (average - (1 + ng) / 2) / (penalty - (1 + ng) / 2)


def bullseye(m: Bullseye, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    return over(hits_within(topic, 2 * relevant, m.rel), relevant)


REFERENCE: dict[type[Measure], Reference] = {
    NMRR: nmrr,
    Bullseye: bullseye,
    Effectiveness: effectiveness,
    Estar: estar,
    Enorm: enorm,
    Generality: generality,
    GeneralityIndex: generality_index,
}
