"""Every measure once more, in plain Python on one ranking at a time: slow, obvious, and sharing no code with src.

A ranking is a `Topic`: the grade of each item returned (None: not judged) and of each judged item that was not found.
Each function takes the measure (for its parameters), the topic, and all topics (for what the query set decides).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rankscope.measures import (
    AP,
    ER,
    ERR,
    GMAP,
    NMRR,
    RBP,
    RR,
    BinG,
    Bpref,
    Bullseye,
    CappedRecall,
    E,
    Effectiveness,
    Enorm,
    Estar,
    F,
    G,
    GBpref,
    Generality,
    GeneralityIndex,
    Hole,
    InfAP,
    IPrec,
    IPrec11,
    Judged,
    Measure,
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    Q,
    R,
    RBPResidual,
    Relstring,
    Rndcg,
    Rprec,
    RprecMult,
    Runid,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelativeP,
    Success,
    Unjudged,
    Utility,
    nDCG,
    nDCGRel,
    nERR,
)  # fmt: skip
from tests.strategies import Grade, Topic

Reference = Callable[[Any, Topic, Sequence[Topic]], float]
NAN = math.nan


def value_of(measure: Measure, topic: Topic, topics: Sequence[Topic]) -> float:
    """The measure's value for one topic among all."""
    return REFERENCE[type(measure)](measure, topic, topics)


# words the formulas use


def is_hit(grade: Grade, rel: float) -> bool:
    return grade is not None and grade >= rel


def is_judged(grade: Grade) -> bool:
    return grade is not None and grade >= 0


def count_relevant(topic: Topic, rel: float) -> int:
    return sum(1 for grade in topic.judgements if grade >= rel)


def hits_within(topic: Topic, scope: float, rel: float) -> int:
    return sum(1 for rank, grade in enumerate(topic.listed, 1) if rank <= scope and is_hit(grade, rel))


def precision(topic: Topic, scope: int, rel: float) -> float:
    return hits_within(topic, scope, rel) / scope


def over(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else NAN


def gain(grade: Grade, kind: str = "linear") -> float:
    if grade is None or grade <= 0:
        return 0.0
    return 2.0**grade - 1 if kind == "exp" else grade


def ideal_list(topic: Topic) -> list[float]:
    """Positive grades of all judged items, best first."""
    return sorted((grade for grade in topic.judgements if grade > 0), reverse=True)


def dcg(listed: Sequence[Grade], scope: float = math.inf, kind: str = "linear") -> float:
    return sum(gain(grade, kind) / math.log2(rank + 1) for rank, grade in enumerate(listed, 1) if rank <= scope)


def top_of(topics: Sequence[Topic]) -> float:
    return max([0.0, *(grade for topic in topics for grade in topic.judgements)])


# one function a measure


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


def ndcg(m: nDCG, topic: Topic, topics: Sequence[Topic]) -> float:
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


def gmap(m: GMAP, topic: Topic, topics: Sequence[Topic]) -> float:
    return ap(AP(rel=m.rel), topic, topics)


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


def rbp(m: RBP, topic: Topic, topics: Sequence[Topic]) -> float:
    best_here = max([1.0, *topic.judgements])
    top = top_of(topics) if m.top is None else m.top
    something = count_relevant(topic, m.rel) if m.gain in ("binary", "raw") else len(ideal_list(topic))
    total = 0.0
    for k, grade in enumerate(topic.listed[: m.horizon], 1):
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


def stopping(listed: Sequence[Grade], top: float, scope: float) -> float:
    total, still = 0.0, 1.0
    for k, grade in enumerate(listed, 1):
        satisfied = gain(grade, "exp") / 2**top
        if k <= scope:
            total += still * satisfied / k
        still *= 1 - satisfied
    return total


def err(m: ERR, topic: Topic, topics: Sequence[Topic]) -> float:
    top = top_of(topics) if m.top is None else m.top
    return stopping(topic.listed, top, m.scope or math.inf) if ideal_list(topic) else NAN


def nerr(m: nERR, topic: Topic, topics: Sequence[Topic]) -> float:
    top = top_of(topics) if m.top is None else m.top
    best = stopping(ideal_list(topic), top, m.scope or math.inf)
    return over(stopping(topic.listed, top, m.scope or math.inf), best)


def q(m: Q, topic: Topic, topics: Sequence[Topic]) -> float:
    best, total = ideal_list(topic), 0.0
    for k, grade in enumerate(topic.listed, 1):
        if is_hit(grade, m.rel):
            gained = sum(gain(other, m.gain) for other in topic.listed[:k])
            possible = sum(gain(other, m.gain) for other in best[:k])
            total += (hits_within(topic, k, m.rel) + m.beta * gained) / (k + m.beta * possible)
    return over(total, count_relevant(topic, m.rel))


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


def judged(m: Judged, topic: Topic, topics: Sequence[Topic]) -> float:
    seen = topic.listed[: m.scope]
    count = sum(1 for grade in seen if is_judged(grade) or (m.negative == "judged" and grade is not None))
    return count / m.scope if m.divisor == "k" else count / len(seen) if seen else 0.0


def hole(m: Hole, topic: Topic, topics: Sequence[Topic]) -> float:
    return 1 - judged(Judged(m.scope), topic, topics)


def unjudged(m: Unjudged, topic: Topic, topics: Sequence[Topic]) -> float:
    return sum(1 for grade in topic.listed[: m.scope] if not is_judged(grade)) / m.scope


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


REFERENCE: dict[type[Measure], Reference] = {
    AP: ap,
    nDCG: ndcg,
    P: p,
    R: r,
    RR: rr,
    Rprec: rprec,
    Success: success,
    F: f,
    GMAP: gmap,
    Bpref: bpref,
    InfAP: inf_ap,
    RBP: rbp,
    RBPResidual: rbp_residual,
    ERR: err,
    nERR: nerr,
    Q: q,
    IPrec: iprec,
    IPrec11: iprec11,
    CappedRecall: capped,
    ER: error_rate,
    NMRR: nmrr,
    Bullseye: bullseye,
    E: e,
    Effectiveness: effectiveness,
    Estar: estar,
    Enorm: enorm,
    Generality: generality,
    GeneralityIndex: generality_index,
    Judged: judged,
    Hole: hole,
    Unjudged: unjudged,
    SetP: set_p,
    SetR: set_r,
    SetRelativeP: set_relative_p,
    SetAP: set_ap,
    SetF: set_f,
    Utility: utility,
    RprecMult: rprec,
    nDCGRel: ndcg_rel,
    Rndcg: rndcg,
    BinG: bin_g,
    G: g,
    GBpref: gm_bpref,
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
