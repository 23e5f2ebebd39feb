"""Measures of the whole list as a set, and plain counts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.measures import (
    ContextPrecision,
    ContextRecall,
    Measure,
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    Relstring,
    Runid,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelativeP,
    Utility,
)
from tests.measures.reference.words import NAN, Reference, count_relevant, hits_within, is_hit, is_judged, over
from tests.strategies import Topic


def context_precision(m: ContextPrecision, topic: Topic, topics: Sequence[Topic]) -> float:
    """As ragas computes it from a list of verdicts, but for what it adds to its denominator."""
    seen = topic.listed[: m.scope]
    verdicts = [1 if is_hit(grade, m.rel) else 0 for grade in seen]
    if m.count == "set":
        return sum(verdicts) / len(seen) if seen else 0.0
    if count_relevant(topic, m.rel) == 0:
        return NAN
    total = sum(sum(verdicts[: place + 1]) / (place + 1) * verdict for place, verdict in enumerate(verdicts))
    return total / sum(verdicts) if any(verdicts) else 0.0


def context_recall(m: ContextRecall, topic: Topic, topics: Sequence[Topic]) -> float:
    return over(hits_within(topic, m.scope or math.inf, m.rel), count_relevant(topic, m.rel))


def set_p(m: SetP, topic: Topic, topics: Sequence[Topic]) -> float:
    return hits_within(topic, math.inf, m.rel) / len(topic.listed) if topic.listed else 0.0


def set_r(m: SetR, topic: Topic, topics: Sequence[Topic]) -> float:
    return over(hits_within(topic, math.inf, m.rel), count_relevant(topic, m.rel))


def set_relative_p(m: SetRelativeP, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = count_relevant(topic, m.rel)
    if relevant == 0:
        return NAN
    return hits_within(topic, math.inf, m.rel) / min(relevant, len(topic.listed)) if topic.listed else 0.0


def set_ap(m: SetAP, topic: Topic, topics: Sequence[Topic]) -> float:
    return set_p(SetP(rel=m.rel), topic, topics) * set_r(SetR(rel=m.rel), topic, topics)


def set_f(m: SetF, topic: Topic, topics: Sequence[Topic]) -> float:
    p_here, r_here = set_p(SetP(rel=m.rel), topic, topics), set_r(SetR(rel=m.rel), topic, topics)
    if p_here == 0 or math.isnan(r_here):
        return r_here
    return (1 + m.b2) / (m.b2 / r_here + 1 / p_here)


def utility(m: Utility, topic: Topic, topics: Sequence[Topic]) -> float:
    hits = hits_within(topic, math.inf, m.rel)
    missed = count_relevant(topic, m.rel) - hits
    wrong = len(topic.listed) - hits
    rest = topic.collection - hits - missed - wrong
    return m.a * hits + m.b * wrong + m.c * missed + m.d * rest


REFERENCE: dict[type[Measure], Reference] = {
    ContextPrecision: context_precision,
    ContextRecall: context_recall,
    SetP: set_p,
    SetR: set_r,
    SetRelativeP: set_relative_p,
    SetAP: set_ap,
    SetF: set_f,
    Utility: utility,
    NumQ: lambda m, topic, topics: 1,
    NumRet: lambda m, topic, topics: len(topic.listed),
    NumRel: lambda m, topic, topics: count_relevant(topic, m.rel),
    NumRelRet: lambda m, topic, topics: hits_within(topic, math.inf, m.rel),
    NumNonrelJudgedRet: lambda m, topic, topics: sum(
        1 for grade in topic.listed if is_judged(grade) and not is_hit(grade, m.rel)
    ),
    Relstring: lambda m, topic, topics: NAN,  # a word: tested where words are
    Runid: lambda m, topic, topics: NAN,
}
