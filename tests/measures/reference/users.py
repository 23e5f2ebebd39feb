"""Measures of users who go down a list, rank by rank, and of overlap with the ideal order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rankscope.measures import (
    BPM,
    IFT,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    SDCG,
    SET,
    TBG,
    Accuracy,
    Compat,
    Measure,
    Umeasure,
)
from tests.measures.reference.words import NAN, Reference, count_relevant, is_hit, top_of
from tests.strategies import Topic

GoingOn = Callable[[int, float, float], float]  # from rank, gain there, gain up to there


def gains_of(m: object, topic: Topic, topics: Sequence[Topic], length: int) -> list[float]:
    low, top = m.low, top_of(topics) if m.top is None else m.top  # type: ignore[attr-defined]
    shares = [
        0.0 if grade is None or grade <= max(low, 0) else (min(grade, top) - low) / (top - low)
        for grade in topic.listed[:length]
    ]
    return shares + [0.0] * (length - len(shares))


def browsed(m: object, topic: Topic, topics: Sequence[Topic], going_on: GoingOn, length: int | None = None) -> float:
    if not any(grade > max(m.low, 0) for grade in topic.judgements):  # type: ignore[attr-defined]
        return NAN
    gains = gains_of(m, topic, topics, length or m.horizon)  # type: ignore[attr-defined]
    chance, seen, value, total = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate(gains, 1):
        total += gain
        seen += chance
        value += chance * gain
        chance *= going_on(rank, gain, total)
    return value / seen


def inst(m: INST, topic: Topic, topics: Sequence[Topic]) -> float:
    return browsed(m, topic, topics, lambda k, g, cg: ((k + 2 * m.T - cg - 1) / (k + 2 * m.T - cg)) ** 2)


def insq(m: INSQ, topic: Topic, topics: Sequence[Topic]) -> float:
    return browsed(m, topic, topics, lambda k, g, cg: ((k + 2 * m.T - 1) / (k + 2 * m.T)) ** 2)


def sdcg(m: SDCG, topic: Topic, topics: Sequence[Topic]) -> float:
    length = min(m.scope, m.horizon)
    return browsed(m, topic, topics, lambda k, g, cg: math.log(k + 1) / math.log(k + 2), length)


def nerr8(m: NERR8, topic: Topic, topics: Sequence[Topic]) -> float:
    return browsed(m, topic, topics, lambda k, g, cg: 1 - g, min(m.scope, m.horizon))


def nerr9(m: NERR9, topic: Topic, topics: Sequence[Topic]) -> float:
    return browsed(m, topic, topics, lambda k, g, cg: (1 - g) * k / (k + 1), min(m.scope, m.horizon))


def nerr10(m: NERR10, topic: Topic, topics: Sequence[Topic]) -> float:
    return browsed(m, topic, topics, lambda k, g, cg: (1 - g) * m.p)


def nerr11(m: NERR11, topic: Topic, topics: Sequence[Topic]) -> float:
    return browsed(m, topic, topics, lambda k, g, cg: (1 - g) * ((k + 2 * m.T - 1) / (k + 2 * m.T)) ** 2)


def ift(m: IFT, topic: Topic, topics: Sequence[Topic]) -> float:
    def going_on(k: int, g: float, cg: float) -> float:
        goal = 1 - 1 / (1 + m.b1 * math.exp((m.T - cg) * m.R1))
        rate = 1 / (1 + m.b2 * math.exp((m.A - cg / k) * m.R2))
        return (1.0 if m.by == "rate" else goal) * (1.0 if m.by == "goal" else rate)

    return browsed(m, topic, topics, going_on)


def tbg(m: TBG, topic: Topic, topics: Sequence[Topic]) -> float:
    return browsed(m, topic, topics, lambda k, g, cg: 2 ** (-1 / m.halflife))


def u_measure(m: Umeasure, topic: Topic, topics: Sequence[Topic]) -> float:
    def weight(k: int) -> float:
        return 0.0 if k == m.horizon else max(0.0, 1 - (k - 1) / m.length)

    return browsed(m, topic, topics, lambda k, g, cg: weight(k + 1) / weight(k) if weight(k) else 0.0)


def economic(m: SET, topic: Topic, topics: Sequence[Topic]) -> float:
    def weight(k: int) -> float:
        return float((k + 1) ** m.beta - k**m.beta)

    return browsed(m, topic, topics, lambda k, g, cg: weight(k + 1) / weight(k), min(m.scope, m.horizon))


def bpm(m: BPM, topic: Topic, topics: Sequence[Topic]) -> float:
    if not any(grade > max(m.low, 0) for grade in topic.judgements):
        return NAN
    wanted, patience, total = m.T, float(m.scope), 0.0
    gains = gains_of(m, topic, topics, m.horizon)
    for rank, gain in enumerate(gains, 1):
        total += gain
        if total >= wanted - 1e-15 or rank >= patience or rank == m.horizon:
            return total / rank
        wanted += m.hb * (gain - m.median)
        patience += m.hc * (gain - m.median)
    raise AssertionError


def compat(m: Compat, topic: Topic, topics: Sequence[Topic]) -> float:
    """By sets: the items of the list are numbered, those that were not found come behind."""
    listed = [(grade or 0.0, number) for number, grade in enumerate(topic.listed)]
    lost = [(grade, len(listed) + number) for number, grade in enumerate(topic.missing)]
    good = [each for each in listed + lost if each[0] > 0]
    ideal = [number for _, number in sorted(good, key=lambda each: (-each[0], each[1]))]
    if not ideal:
        return NAN
    deepest = max(len(listed), len(ideal))

    def overlap(one: Sequence[int]) -> float:
        return sum(m.p**k * len(set(one[: k + 1]) & set(ideal[: k + 1])) / (k + 1) for k in range(deepest))

    return overlap(range(len(listed))) / (overlap(ideal) if m.normalize else sum(m.p**k for k in range(deepest)))


def accuracy(m: Accuracy, topic: Topic, topics: Sequence[Topic]) -> float:
    kinds = [is_hit(grade, m.rel) for grade in topic.listed[: m.scope]]
    pairs = [kinds[one] for one in range(len(kinds)) for other in range(one) if kinds[one] != kinds[other]]
    return 1 - sum(pairs) / len(pairs) if pairs and count_relevant(topic, m.rel) else NAN


REFERENCE: dict[type[Measure], Reference] = {
    INST: inst,
    INSQ: insq,
    BPM: bpm,
    SDCG: sdcg,
    NERR8: nerr8,
    NERR9: nerr9,
    NERR10: nerr10,
    NERR11: nerr11,
    IFT: ift,
    TBG: tbg,
    Umeasure: u_measure,
    SET: economic,
    Compat: compat,
    Accuracy: accuracy,
}
