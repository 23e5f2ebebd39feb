"""Precision, recall and what is made of them at one place of the list."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.measures import (
    ER,
    RR,
    CappedRecall,
    E,
    F,
    Hole,
    Judged,
    Measure,
    P,
    R,
    Rprec,
    RprecMult,
    Success,
    Unjudged,
)
from tests.measures.reference.words import (
    NAN,
    Reference,
    count_relevant,
    hits_within,
    is_hit,
    is_judged,
    over,
    precision,
)
from tests.strategies import Topic


def p(m: P, topic: Topic, topics: Sequence[Topic]) -> float:
    places = m.scope
    if m.divisor == "min":
        places = min(places, count_relevant(topic, m.rel))
    if m.divisor == "deepest":
        deepest = max((rank for rank, grade in enumerate(topic.listed, 1) if is_hit(grade, m.rel)), default=places)
        places = min(places, deepest)
    return over(hits_within(topic, m.scope, m.rel), places)


def r(m: R, topic: Topic, topics: Sequence[Topic]) -> float:
    return over(hits_within(topic, m.scope, m.rel), count_relevant(topic, m.rel))


def capped(m: CappedRecall, topic: Topic, topics: Sequence[Topic]) -> float:
    return over(hits_within(topic, m.scope, m.rel), min(m.scope, count_relevant(topic, m.rel)))


def rr(m: RR, topic: Topic, topics: Sequence[Topic]) -> float:
    if count_relevant(topic, m.rel) == 0:
        return NAN
    for rank, grade in enumerate(topic.listed, 1):
        if is_hit(grade, m.rel):
            return 1 / rank if m.scope is None or rank <= m.scope else 0.0
    return 0.0


def rprec(m: Rprec, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    if relevant == 0:
        return NAN
    scope = math.floor(m.a * relevant + 0.9)
    return over(hits_within(topic, scope, m.rel), scope)


def success(m: Success, topic: Topic, topics: Sequence[Topic]) -> float:
    if count_relevant(topic, m.rel) == 0:
        return NAN
    return 1.0 if hits_within(topic, m.scope, m.rel) > 0 else 0.0


def error_rate(m: ER, topic: Topic, topics: Sequence[Topic]) -> float:
    return 1 - success(Success(1, rel=m.rel), topic, topics)


def f(m: F, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    precision_here, recall_here = precision(topic, m.scope, m.rel), r(R(m.scope, rel=m.rel), topic, topics)
    if relevant == 0:
        return NAN
    if precision_here == 0:
        return 0.0
    return (1 + m.b**2) / (m.b**2 / recall_here + 1 / precision_here)


def e(m: E, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    precision_here, recall_here = precision(topic, m.scope, m.rel), r(R(m.scope, rel=m.rel), topic, topics)
    if relevant == 0:
        return NAN
    if precision_here == 0:
        return 1.0
    return 1 - 1 / (m.alpha / precision_here + (1 - m.alpha) / recall_here)


def judged(m: Judged, topic: Topic, topics: Sequence[Topic]) -> float:
    seen = topic.listed[: m.scope]
    count = sum(1 for grade in seen if is_judged(grade) or (m.negative == "judged" and grade is not None))
    return count / m.scope if m.divisor == "k" else count / len(seen) if seen else 0.0


def hole(m: Hole, topic: Topic, topics: Sequence[Topic]) -> float:
    return 1 - judged(Judged(m.scope), topic, topics)


def unjudged(m: Unjudged, topic: Topic, topics: Sequence[Topic]) -> float:
    return sum(1 for grade in topic.listed[: m.scope] if not is_judged(grade)) / m.scope


REFERENCE: dict[type[Measure], Reference] = {
    P: p,
    R: r,
    RR: rr,
    Rprec: rprec,
    Success: success,
    F: f,
    CappedRecall: capped,
    ER: error_rate,
    E: e,
    Judged: judged,
    Hole: hole,
    Unjudged: unjudged,
    RprecMult: rprec,
}
