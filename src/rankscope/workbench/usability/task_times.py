"""How long judgements and searches took, from what the journal holds.

The time of a judgement is how long its item was visible before the mark, as the page measured it. A search begins with
its session and ends with the last step in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.statistics.intervals.mean_intervals import t_intervals
from rankscope.workbench.browsing.sessions import SessionLog
from rankscope.workbench.store.events import ANSWERS, LONGEST_LOOK, Event

Key = TypeVar("Key", bound=Hashable)
SHORTEST = 0.001  # seconds; a logarithm is taken of times


@dataclass(frozen=True, eq=False)
class Times:
    """Seconds of the judgements of a person, of a query, or of all."""

    name: str
    seconds: FloatArray

    @property
    def median(self) -> float:
        """Of one judgement."""
        return float(np.median(self.seconds)) if self.seconds.size else math.nan

    @property
    def total(self) -> float:
        """Of all of them together."""
        return float(self.seconds.sum())

    def row(self) -> dict[str, object]:
        """As a line of a table."""
        quarter, three = np.quantile(self.seconds, (0.25, 0.75)).tolist() if self.seconds.size else (math.nan,) * 2
        return {
            "name": self.name,
            "judgements": self.seconds.size,
            "median s": self.median,
            "quarter s": quarter,
            "three quarters s": three,
            "total min": self.total / 60,
        }


@dataclass(frozen=True)
class SearchTime:
    """A feedback session from its beginning to its last step."""

    session: int
    assessor: int
    rounds: int
    relevant: int  # examples at the end, the one it began with not counted
    seconds: float

    def row(self) -> dict[str, object]:
        """As a line of a table; whose it is comes from elsewhere."""
        return {"rounds": self.rounds, "relevant": self.relevant, "min": self.seconds / 60}


@dataclass(frozen=True, eq=False)
class TaskTimes:
    """All times of a project."""

    people: dict[int, Times]
    queries: dict[str, Times]
    whole: Times
    searches: tuple[SearchTime, ...]
    longest: int  # how many looks were cut at five minutes
    untimed: int  # judgements without a time, as labels from a file

    @cached_property
    def typical(self) -> tuple[float, float, float]:
        """The median judgement of a typical person, and its 95 % limits.

        The geometric mean of the people's medians, with the t interval of the logarithms: times are skewed. NaN limits
        for fewer than two people.
        """
        medians = [max(each.median, SHORTEST) for each in self.people.values()]
        if not medians:
            return (math.nan,) * 3
        found = t_intervals(np.log(medians)[:, None])
        limits = np.exp([found.mean[0], found.low[0], found.high[0]]).tolist()
        return limits[0], limits[1], limits[2]


def task_times(events: Sequence[Event]) -> TaskTimes:
    """Of a whole journal. What was taken back or said anew took its time too, and counts."""
    answers = [event for event in events if event.kind in ANSWERS]
    timed = [event for event in answers if event.ms is not None]
    return TaskTimes(
        people={who: _times(str(who), some) for who, some in _by(timed, lambda event: event.assessor).items()},
        queries={name: _times(name, some) for name, some in _by(timed, lambda event: event.query or "").items()},
        whole=_times("all", timed),
        searches=tuple(_searches(events)),
        longest=sum(event.ms == LONGEST_LOOK for event in timed),
        untimed=len(answers) - len(timed),
    )


def _times(name: str, events: Iterable[Event]) -> Times:
    return Times(name, np.array([event.ms or 0 for event in events]) / 1000)


def _by(events: Iterable[Event], key: Callable[[Event], Key]) -> dict[Key, list[Event]]:
    found: dict[Key, list[Event]] = {}
    for event in events:
        found.setdefault(key(event), []).append(event)
    return found


def _searches(events: Sequence[Event]) -> Iterable[SearchTime]:
    log = SessionLog()
    log.read(events)
    steps = [event for event in events if event.kind == "round" and "session" in event.details]
    by_key = _by(steps, lambda event: (event.assessor, event.details["session"]))
    for each in log.sessions:
        own = by_key[each.assessor, each.key]
        yield SearchTime(
            session=each.number,
            assessor=each.assessor,
            rounds=each.last.number,
            relevant=sum(place != each.example for place in each.relevant),
            seconds=(own[-1].at_us - own[0].at_us) / 1e6,
        )
