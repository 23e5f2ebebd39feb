"""Averages of precision over the places of the hits or over recall levels, and preferences between items."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.measures import AP, GMAP, Bpref, GBpref, InfAP, IPrec, IPrec11, Measure
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
from tests.strategies import Grade, Topic


def ap(m: AP, topic: Topic, topics: Sequence[Topic]) -> float:
    scope = m.scope or math.inf
    relevant, found = count_relevant(topic, m.rel), hits_within(topic, scope, m.rel)
    divisor = {"R": relevant, "min": min(relevant, scope), "found": found or min(relevant, 1)}[m.divisor]
    if m.within == "R":
        scope, divisor = min(scope, relevant), relevant
    total = 0.0
    for k in range(2 if m.area == "printed" else 1, len(topic.listed) + 1):
        step = hits_within(topic, k, m.rel) - hits_within(topic, k - 1, m.rel)
        if k > scope:
            break
        here = precision(topic, k, m.rel)
        before = precision(topic, k - 1, m.rel) if k > 1 else 1.0
        total += step * (here if m.area == "none" else (here + before) / 2)
    return over(total, divisor)


def gmap(m: GMAP, topic: Topic, topics: Sequence[Topic]) -> float:
    return ap(AP(rel=m.rel), topic, topics)


def iprec(m: IPrec, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    if relevant == 0:
        return NAN
    exact = m.scope * relevant
    needed = {
        "ceil": math.ceil(exact - 1e-9),
        "trec_eval-9": math.floor(exact + 0.9),
        "trec_eval-10": math.floor(exact + 0.5),
    }[m.levels]
    reaching = [k for k in range(1, len(topic.listed) + 1) if hits_within(topic, k, m.rel) >= needed]
    return max((precision(topic, k, m.rel) for k in reaching), default=0.0)


def iprec11(m: IPrec11, topic: Topic, topics: Sequence[Topic]) -> float:
    levels = [IPrec(level / 10, rel=m.rel, levels=m.levels) for level in range(11)]
    return sum(iprec(level, topic, topics) for level in levels) / 11


def inf_ap(m: InfAP, topic: Topic, topics: Sequence[Topic]) -> float:
    small, total = 1e-5, 0.0
    for k, grade in enumerate(topic.listed, 1):
        if not is_hit(grade, m.rel):
            continue
        above = topic.listed[: k - 1]
        pool = sum(1 for other in above if other is not None)
        rel = sum(1 for other in above if is_hit(other, m.rel))
        nonrel = sum(1 for other in above if is_judged(other)) - rel
        total += 1.0 if k == 1 else 1 / k + (pool / k) * (rel + small) / (rel + nonrel + 2 * small)
    return over(total, count_relevant(topic, m.rel))


def bpref(m: Bpref, topic: Topic, topics: Sequence[Topic]) -> float:
    def wrong(grade: Grade) -> bool:
        return grade is not None and grade < m.rel and (grade >= 0 or m.negative == "nonrelevant")

    relevant = count_relevant(topic, m.rel)
    most = min(relevant, sum(1 for grade in topic.judgements if wrong(grade)))
    total = 0.0
    for place, grade in enumerate(topic.listed):
        if is_hit(grade, m.rel):
            above = sum(1 for other in topic.listed[:place] if wrong(other))
            total += 1 - min(above, most) / most if above else 1.0
    return over(total, relevant)


def gm_bpref(m: GBpref, topic: Topic, topics: Sequence[Topic]) -> float:
    return bpref(Bpref(rel=m.rel), topic, topics)


REFERENCE: dict[type[Measure], Reference] = {
    AP: ap,
    GMAP: gmap,
    Bpref: bpref,
    InfAP: inf_ap,
    IPrec: iprec,
    IPrec11: iprec11,
    GBpref: gm_bpref,
}
