"""How long an engine takes: percentiles of what was measured here, and of what the engine says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankscope.engines.live.answer import TopicAnswer

SHARES = (50, 90, 95, 99)


@dataclass(frozen=True)
class Percentiles:
    """Milliseconds that so many percent of some requests stay within; each of them was measured.

    >>> Percentiles.of([5.0, 1.0, 2.0, 3.0]).p50
    2.0
    """

    count: int
    p50: float
    p90: float
    p95: float
    p99: float
    max: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Percentiles | None:
        """None where nothing was measured."""
        if not values:
            return None
        found = np.percentile(np.array(values), SHARES, method="inverted_cdf").round(3).tolist()
        named = dict(zip((f"p{share}" for share in SHARES), found, strict=True))
        return cls(count=len(values), max=round(float(max(values)), 3), **named)


@dataclass(frozen=True)
class Latency:
    """Times of the first page of each topic, of all its pages, and what the engine says it took for the first one.

    Times hold for so many workers at once and pages of this size, with connections kept open; attempts that failed are
    not in them.
    """

    topics: int
    requests: int
    retries: int
    first_page: Percentiles | None
    whole_topic: Percentiles | None
    engine_time: Percentiles | None

    @classmethod
    def of(cls, answers: Iterable[TopicAnswer]) -> Latency:
        """Of all answers."""
        given = [(each.milliseconds, each.own, each.retries) for each in answers]
        return cls(
            topics=len(given),
            requests=sum(len(times) for times, _, _ in given),
            retries=sum(retries for _, _, retries in given),
            first_page=Percentiles.of([times[0] for times, _, _ in given]),
            whole_topic=Percentiles.of([sum(times) for times, _, _ in given]),
            engine_time=Percentiles.of([own for _, own, _ in given if own is not None]),
        )

    def record(self, **conditions: Any) -> dict[str, Any]:
        """As plain data, with the conditions under which it was measured."""
        return {**conditions, "unit": "milliseconds", **asdict(self)}
