"""Measures of graded gains, and those of a user who may stop at each place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rankscope.measures import ERR, RBP, BinG, G, Measure, RBPResidual, Rndcg, nDCG, nDCGRel, nERR
from tests.measures.reference.words import (
    NAN,
    Reference,
    count_relevant,
    dcg,
    gain,
    ideal_list,
    is_hit,
    is_judged,
    over,
    top_of,
)
from tests.strategies import Grade, Topic


def regraded(m: nDCG, topic: Topic) -> Topic:
    """The topic with gains of its own in place of grades."""
    own = {float(pair.split(":")[0]): float(pair.split(":")[1]) for pair in m.gain.strip("{}").split(",")}

    def new(grade: Grade) -> Grade:
        return own.get(grade, grade) if grade is not None else None

    listed, missing = tuple(map(new, topic.listed)), tuple(own.get(grade, grade) for grade in topic.missing)
    return replace(topic, listed=listed, missing=missing)


def ndcg(m: nDCG, topic: Topic, topics: Sequence[Topic]) -> float:
    if m.gain.startswith("{"):
        return ndcg(replace(m, gain="linear"), regraded(m, topic), topics)
    scope = m.scope or math.inf
    negative = sorted((grade for grade in topic.judgements if grade < 0), reverse=True)
    length = max(len(topic.listed), len(topic.judgements))
    best: list[Grade] = list(ideal_list(topic))
    best += [None] * (length - len(best) - len(negative))

    def floored(listed: Sequence[Grade]) -> list[Grade]:
        return [grade if grade is not None and grade >= m.floor else None for grade in listed]

    def lost(listed: Sequence[Grade]) -> float:
        if m.negative == "zero":
            return 0.0
        negatives = [(rank, grade) for rank, grade in enumerate(listed, 1) if grade is not None and grade < 0]
        return sum(grade / math.log2(rank + 1) for rank, grade in negatives if rank <= scope)

    value = dcg(floored(topic.listed), scope, m.gain) + lost(topic.listed)
    return over(value, dcg(floored(best), scope, m.gain) + (lost([*best, *negative]) if m.negative == "both" else 0.0))


def ndcg_rel(m: nDCGRel, topic: Topic, topics: Sequence[Topic]) -> float:
    ideal = ideal_list(topic)
    if not ideal:
        return NAN
    at = [dcg(topic.listed, k) / dcg(ideal, k) for k, grade in enumerate(topic.listed, 1) if gain(grade) > 0]
    at += [dcg(topic.listed) / dcg(ideal)] * (len(ideal) - len(at))
    return sum(at) / len(ideal)


def rndcg(m: Rndcg, topic: Topic, topics: Sequence[Topic]) -> float:
    ideal = ideal_list(topic)
    if count_relevant(topic, m.rel) == 0:
        return NAN
    changes = [k for k in range(1, len(ideal) + 1) if k == len(ideal) or ideal[k] != ideal[k - 1]]
    values = [dcg(topic.listed, k) / dcg(ideal, k) for k in changes]
    if len(topic.listed) > len(ideal) + 1:
        values.append(dcg(topic.listed) / dcg(ideal))
    return sum(values) / len(values)


def bin_g(m: BinG, topic: Topic, topics: Sequence[Topic]) -> float:
    total = 0.0
    for place, grade in enumerate(topic.listed):
        if is_hit(grade, m.rel):
            total += 1 / math.log2(2 + sum(1 for other in topic.listed[:place] if not is_hit(other, m.rel)))
    return over(total, count_relevant(topic, m.rel))


def g(m: G, topic: Topic, topics: Sequence[Topic]) -> float:
    ideal = ideal_list(topic)
    total = 0.0
    for k, grade in enumerate(topic.listed, 1):
        if gain(grade) > 0:
            cost = sum(max(ideal[place], 1.0) if place < len(ideal) else 1.0 for place in range(k))
            gained = sum(gain(other) for other in topic.listed[:k])
            total += gain(grade) / math.log2(2 + cost - gained)
    return over(total, sum(ideal))


def rbp(m: RBP, topic: Topic, topics: Sequence[Topic]) -> float:
    best_here = max([1.0, *topic.judgements])
    top = top_of(topics) if m.top is None else m.top
    something = count_relevant(topic, m.rel) if m.gain in ("binary", "raw") else len(ideal_list(topic))
    total = 0.0
    for k, grade in enumerate(topic.listed[: min(m.horizon or 99, m.scope or 99)], 1):
        if m.gain == "raw":
            total += (gain(grade) if is_hit(grade, m.rel) else 0.0) * m.p ** (k - 1)
        elif m.gain == "binary":
            total += is_hit(grade, m.rel) * m.p ** (k - 1)
        elif gain(grade) > 0:
            total += gain(grade) / (top if m.gain == "graded" else best_here) * m.p ** (k - 1)
    scale = 1 - m.p if m.horizon is None else 1 / sum(m.p**k for k in range(m.horizon))
    return scale * total if something else NAN


def rbp_residual(m: RBPResidual, topic: Topic, topics: Sequence[Topic]) -> float:
    unknown = [k for k, grade in enumerate(topic.listed, 1) if not is_judged(grade)]
    if m.judged == "zero" and not unknown:
        return 0.0
    return (1 - m.p) * sum(m.p ** (k - 1) for k in unknown) + m.p ** len(topic.listed)


def stopping(listed: Sequence[Grade], top: float, scope: float, kind: str) -> float:
    total, still = 0.0, 1.0
    for k, grade in enumerate(listed, 1):
        satisfied = gain(grade) / (top + 1) if kind == "linear" else gain(grade, "exp") / 2**top
        if k <= scope:
            total += still * satisfied / k
        still *= 1 - satisfied
    return total


def err(m: ERR, topic: Topic, topics: Sequence[Topic]) -> float:
    top = top_of(topics) if m.top is None else m.top
    return stopping(topic.listed, top, m.scope or math.inf, m.gain) if ideal_list(topic) else NAN


def nerr(m: nERR, topic: Topic, topics: Sequence[Topic]) -> float:
    top = top_of(topics) if m.top is None else m.top
    best = stopping(ideal_list(topic), top, m.scope or math.inf, m.gain)
    return over(stopping(topic.listed, top, m.scope or math.inf, m.gain), best)


REFERENCE: dict[type[Measure], Reference] = {
    nDCG: ndcg,
    RBP: rbp,
    RBPResidual: rbp_residual,
    ERR: err,
    nERR: nerr,
    nDCGRel: ndcg_rel,
    Rndcg: rndcg,
    BinG: bin_g,
    G: g,
}
