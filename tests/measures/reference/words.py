"""Words that the formulas use."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tests.strategies import Grade, Topic

Reference = Callable[[Any, Topic, Sequence[Topic]], float]
NAN = math.nan


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
