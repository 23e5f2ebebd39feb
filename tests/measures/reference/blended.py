"""Sakai's measures: the blended ratio at one hit, or over users who stop at hits; and cumulated gain by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.measures import DCG, EBR, NCU, HitCount, Measure, Omeasure, Pmeasure, Pplus, Q, iRBU, jDCG, jnDCG
from tests.measures.reference.words import (
    NAN,
    Reference,
    count_relevant,
    gain,
    hits_within,
    ideal_list,
    is_hit,
    over,
    top_of,
)
from tests.strategies import Grade, Topic


def own_gain(grade: Grade, kind: str) -> float:
    if not kind.startswith("{"):
        return gain(grade, kind)
    own = {float(pair.split(":")[0]): float(pair.split(":")[1]) for pair in kind.strip("{}").split(",")}
    return 0.0 if grade is None or grade <= 0 else own.get(grade, grade)


def ratio(m: Measure, topic: Topic, k: int) -> float:
    beta, kind, rel = m.beta, m.gain, m.rel  # type: ignore[attr-defined]
    best = sorted((own_gain(grade, kind) for grade in ideal_list(topic)), reverse=True)
    gained = sum(own_gain(grade, kind) for grade in topic.listed[:k])
    return float((hits_within(topic, k, rel) + beta * gained) / (k + beta * sum(best[:k])))


def hit_ranks(m: Measure, topic: Topic) -> list[int]:
    return [k for k, grade in enumerate(topic.listed, 1) if is_hit(grade, m.rel)]  # type: ignore[attr-defined]


def q(m: Q, topic: Topic, topics: Sequence[Topic]) -> float:
    scope = m.scope or math.inf
    total = sum(ratio(m, topic, k) for k in hit_ranks(m, topic) if k <= scope)
    return over(total, min(count_relevant(topic, m.rel), scope))


def ncu(m: NCU, topic: Topic, topics: Sequence[Topic]) -> float:
    relevant = [grade for grade in topic.judgements if grade >= m.rel]
    if m.stop == "graded":
        shares = [own_gain(topic.listed[k - 1], m.gain) for k in hit_ranks(m, topic)]
        whole = sum(own_gain(grade, m.gain) for grade in relevant)
    else:
        shares = [m.gamma**nth for nth in range(len(hit_ranks(m, topic)))]
        whole = sum(m.gamma**nth for nth in range(len(relevant)))
    total = sum(share * ratio(m, topic, k) for share, k in zip(shares, hit_ranks(m, topic), strict=True))
    return over(total, whole)


def o_measure(m: Omeasure, topic: Topic, topics: Sequence[Topic]) -> float:
    if not count_relevant(topic, m.rel):
        return NAN
    if not hit_ranks(m, topic):
        return 0.0
    k = hit_ranks(m, topic)[0]
    best = sorted((own_gain(grade, m.gain) for grade in ideal_list(topic)), reverse=True)
    return (1 + m.beta * own_gain(topic.listed[k - 1], m.gain)) / (k + m.beta * sum(best[:k]))


def preferred_rank(topic: Topic) -> int:
    grades = [grade or 0.0 for grade in topic.listed]
    return grades.index(max(grades)) + 1


def p_measure(m: Pmeasure, topic: Topic, topics: Sequence[Topic]) -> float:
    if not count_relevant(topic, m.rel):
        return NAN
    return ratio(m, topic, preferred_rank(topic)) if hit_ranks(m, topic) else 0.0


def p_plus(m: Pplus, topic: Topic, topics: Sequence[Topic]) -> float:
    if not count_relevant(topic, m.rel):
        return NAN
    on_the_way = [k for k in hit_ranks(m, topic) if k <= preferred_rank(topic)]
    return sum(ratio(m, topic, k) for k in on_the_way) / len(on_the_way) if on_the_way else 0.0


def stops(m: Measure, topic: Topic, topics: Sequence[Topic]) -> list[tuple[int, float]]:
    top = top_of(topics) if m.top is None else m.top  # type: ignore[attr-defined]
    kind, still, found = m.gain, 1.0, []  # type: ignore[attr-defined]
    for k, grade in enumerate(topic.listed[: m.scope], 1):  # type: ignore[attr-defined]
        chance = own_gain(grade, kind) / (own_gain(top, kind) + 1)
        found.append((k, still * chance))
        still *= 1 - chance
    return found


def ebr(m: EBR, topic: Topic, topics: Sequence[Topic]) -> float:
    value = sum(chance * ratio(m, topic, k) for k, chance in stops(m, topic, topics) if chance)
    return value if ideal_list(topic) else NAN


def irbu(m: iRBU, topic: Topic, topics: Sequence[Topic]) -> float:
    value = sum(chance * m.p**k for k, chance in stops(m, topic, topics))
    return value if ideal_list(topic) else NAN


def dcg(m: DCG, topic: Topic, topics: Sequence[Topic]) -> float:
    kept = [None if grade is None or grade < m.floor else grade for grade in topic.listed[: m.scope]]
    value = sum(own_gain(grade, m.gain) / math.log2(k + 1) for k, grade in enumerate(kept, 1))
    return value if any(grade > 0 and grade >= m.floor for grade in topic.judgements) else NAN


def first_dcg(m: jDCG, listed: Sequence[Grade]) -> float:
    return sum(
        own_gain(grade, m.gain) / (math.log(k, m.base) if k >= m.base else 1.0)
        for k, grade in enumerate(listed[: m.scope], 1)
    )


def jdcg(m: jDCG, topic: Topic, topics: Sequence[Topic]) -> float:
    return first_dcg(m, topic.listed) if ideal_list(topic) else NAN


def jndcg(m: jnDCG, topic: Topic, topics: Sequence[Topic]) -> float:
    best = sorted(ideal_list(topic), key=lambda grade: -own_gain(grade, m.gain))
    return over(first_dcg(m, topic.listed), first_dcg(m, best))


def hits(m: HitCount, topic: Topic, topics: Sequence[Topic]) -> float:
    return hits_within(topic, m.scope or math.inf, m.rel) if count_relevant(topic, m.rel) else NAN


REFERENCE: dict[type[Measure], Reference] = {
    Q: q,
    NCU: ncu,
    Omeasure: o_measure,
    Pmeasure: p_measure,
    Pplus: p_plus,
    EBR: ebr,
    iRBU: irbu,
    DCG: dcg,
    jDCG: jdcg,
    jnDCG: jndcg,
    HitCount: hits,
}
