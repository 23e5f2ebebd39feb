"""Measures of subtopics: sets of items for each, looked at rank by rank; the ideal order by trying every next item."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

from rankscope.measures import (
    AP_IA,
    ERR_IA,
    NRBP,
    P_IA,
    D_nDCG,
    Dsharp_nDCG,
    Measure,
    StRecall,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
)
from tests.measures.reference.words import NAN, Reference, over
from tests.strategies import SERVED, Topic, numbers_of

Weight = Callable[[int], float]


def served(grade: float | None, rel: float) -> set[int]:
    return set(SERVED.get(grade, ())) if grade is not None and grade >= rel else set()


def all_served(m: Any, topic: Topic) -> set[int]:
    return {each for grade in topic.judgements for each in served(grade, m.rel)}


def novelty(m: Any, lists: Sequence[set[int]], weight: Weight) -> float:
    seen: dict[int, int] = {}
    total = 0.0
    for rank, subtopics in enumerate(lists, 1):
        if rank <= (getattr(m, "scope", None) or math.inf):
            total += weight(rank) * sum((1 - m.alpha) ** seen.get(each, 0) for each in subtopics)
        seen |= {each: seen.get(each, 0) + 1 for each in subtopics}
    return total


def greedy(m: Any, topic: Topic) -> list[set[int]]:
    left = sorted(zip(numbers_of(topic), topic.judgements, strict=True))
    chosen: list[set[int]] = []
    while left:

        def gain(entry: tuple[int, float]) -> tuple[float, int]:
            above = [each for subtopics in chosen for each in subtopics]
            return sum((1 - m.alpha) ** above.count(each) for each in served(entry[1], m.rel)), entry[0]

        best = max(left, key=gain)
        left.remove(best)
        chosen.append(served(best[1], m.rel))
    return chosen


def own(m: Any, topic: Topic, weight: Weight) -> float:
    return novelty(m, [served(grade, m.rel) for grade in topic.listed], weight)


def over_theory(m: Any, topic: Topic, weight: Weight) -> float:
    most = [all_served(m, topic)] * m.scope
    return over(own(m, topic, weight), novelty(m, most, weight))


def over_ideal(m: Any, topic: Topic, weight: Weight) -> float:
    return over(own(m, topic, weight), novelty(m, greedy(m, topic), weight))


def by_log(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def by_rank(rank: int) -> float:
    return 1 / rank


def nrbp(m: NRBP, topic: Topic, topics: Sequence[Topic]) -> float:
    value = own(m, topic, lambda rank: m.beta ** (rank - 1)) * (1 - (1 - m.alpha) * m.beta)
    return over(value, len(all_served(m, topic)))


def ap_ia(m: AP_IA, topic: Topic, topics: Sequence[Topic]) -> float:
    def ap(subtopic: int) -> float:
        hits = [subtopic in served(grade, m.rel) for grade in topic.listed]
        relevant = sum(subtopic in served(grade, m.rel) for grade in topic.judgements)
        return sum(sum(hits[: place + 1]) / (place + 1) for place, hit in enumerate(hits) if hit) / relevant

    subtopics = all_served(m, topic)
    return over(sum(map(ap, subtopics)), len(subtopics))


def p_ia(m: P_IA, topic: Topic, topics: Sequence[Topic]) -> float:
    count = sum(len(served(grade, m.rel)) for grade in topic.listed[: m.scope])
    return over(count, m.scope * len(all_served(m, topic)))


def subtopic_recall(m: Any, topic: Topic, topics: Sequence[Topic]) -> float:
    reached = {each for grade in topic.listed[: m.scope] for each in served(grade, m.rel)}
    return len(reached) / len(all_served(m, topic)) if all_served(m, topic) else NAN


def global_gain(m: Any, grade: float | None) -> float:
    """As NTCIREVAL defines it: the sum over intents of their chance, which is the same for all, times their gain."""
    worth = {1.0: 1.0, 2.0: 5.0} if m.gain.startswith("{") else {}
    return sum(
        0.25 * (2**grade - 1 if m.gain == "exp" else worth.get(grade, grade))
        for _ in served(grade, m.rel)
        if grade is not None
    )


def d_ndcg(m: Any, topic: Topic, topics: Sequence[Topic]) -> float:
    """The best order of global gains is looked for among all, not sorted, where there are few items."""

    def dcg(gains: Sequence[float]) -> float:
        return sum(each / math.log2(rank + 1) for rank, each in enumerate(gains[: m.scope], 1))

    gains = [each for each in (global_gain(m, grade) for grade in topic.judgements) if each]
    best = max(map(dcg, permutations(gains))) if len(gains) < 6 else dcg(sorted(gains, reverse=True))
    return over(dcg([global_gain(m, grade) for grade in topic.listed]), best)


def dsharp_ndcg(m: Any, topic: Topic, topics: Sequence[Topic]) -> float:
    return m.gamma * subtopic_recall(m, topic, topics) + (1 - m.gamma) * d_ndcg(m, topic, topics)


REFERENCE: dict[type[Measure], Reference] = {
    alpha_DCG: lambda m, topic, topics: over_theory(m, topic, by_log),
    alpha_nDCG: lambda m, topic, topics: over_ideal(m, topic, by_log),
    ERR_IA: lambda m, topic, topics: over_theory(m, topic, by_rank),
    nERR_IA: lambda m, topic, topics: over_ideal(m, topic, by_rank),
    NRBP: nrbp,
    nNRBP: lambda m, topic, topics: over_ideal(m, topic, lambda rank: m.beta ** (rank - 1)),
    AP_IA: ap_ia,
    P_IA: p_ia,
    StRecall: subtopic_recall,
    D_nDCG: d_ndcg,
    Dsharp_nDCG: dsharp_ndcg,
}
