"""One look: count what is new, bet on all that was counted, narrow the limits, decide."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.measures.direction import turn, turned
from rankscope.number_texts import how_many
from rankscope.statistics.sequential.betting import lower_limit, still_needed, upper_limit
from rankscope.statistics.sequential.observed import Observed, QueryRecord
from rankscope.statistics.sequential.sequential_result import Decision, SequentialCheck, SequentialResult
from rankscope.statistics.sequential.state import (
    LookCheck,
    LookRecord,
    Question,
    SequentialState,
    check_same_question,
    check_same_systems,
    find_changed,
)
from rankscope.statistics.table.resampling import class_numbers

NOTHING_YET = LookCheck(change=math.nan, low=-1.0, high=1.0, decision="not yet")


@dataclass(frozen=True)
class QueriesCounted:
    """What a look adds to the queries that counted before."""

    records: dict[str, QueryRecord]
    new: int
    again: int
    late: int


def take_look(
    path: str | Path, before: SequentialState | None, question: Question, now: Observed
) -> tuple[SequentialState, SequentialResult]:
    """The state after a look, and what it found; `path` is only named in messages.

    A changed candidate starts anew. A look without a new query is none: it changes nothing.
    """
    state, anew = _continued(path, before, question, now)
    counted = _count(state, now)
    known = state.looks[-1].checks if state.looks else ()
    earlier = known or (NOTHING_YET,) * (len(question.pairs) * len(question.measures))
    checks = _checks(question, now.systems, counted.records, earlier)
    state = replace(state, records=counted.records, systems=now.systems)
    if counted.new:
        found = tuple(LookCheck(check.change, check.low, check.high, check.decision) for check in checks)
        state = replace(state, looks=(*state.looks, LookRecord(len(counted.records), found)))
    return state, SequentialResult(
        kind=question.kind,
        systems=now.systems,
        checks=checks,
        looks=len(state.looks),
        queries=len(counted.records),
        new=counted.new,
        again=counted.again,
        late=counted.late,
        left_out=now.left_out,
        unit=question.unit,
        alpha=question.alpha,
        started_anew=anew,
    )


def _continued(
    path: str | Path, before: SequentialState | None, question: Question, now: Observed
) -> tuple[SequentialState, str]:
    """The state to go on from, and why it starts anew where it does."""
    empty = SequentialState(question, now.systems)
    if before is None:
        return empty, ""
    if before.question.kind == question.kind:
        check_same_systems(path, before, now)
    check_same_question(path, before.question, question)
    changed = find_changed(path, before, now)
    if not changed:
        return before, ""
    names = ", ".join(changed)
    return empty, (
        f"{names} answers otherwise than before: a new candidate, which starts anew with its own "
        f"{question.alpha:.0%}; {how_many(len(before.records), 'queries')} had counted for the one before"
    )


def _count(state: SequentialState, now: Observed) -> QueriesCounted:
    """Each query once, and each unit at one look only: what comes later of it depends on what was seen."""
    units = {each.unit for each in state.records.values()}
    fresh = {query: each for query, each in now.records.items() if query not in state.records}
    new = {query: each for query, each in fresh.items() if each.unit not in units}
    return QueriesCounted(
        records={**state.records, **new},
        new=len(new),
        again=len(now.records) - len(fresh),
        late=len(fresh) - len(new),
    )


def _checks(
    question: Question, systems: tuple[str, ...], records: dict[str, QueryRecord], earlier: tuple[LookCheck, ...]
) -> tuple[SequentialCheck, ...]:
    """Every measure and pair."""
    shape = (len(records), len(question.measures), len(systems))
    values = np.array([each.values for each in records.values()], dtype=np.float64).reshape(shape)
    units = class_numbers([each.unit for each in records.values()])
    means = _unit_means(values.reshape(len(records), -1), units).reshape(-1, *shape[1:])
    asked = [(measure, pair) for measure in range(len(question.measures)) for pair in question.pairs]
    return tuple(
        _check(question, systems, means[:, measure, :], measure, pair, known)
        for (measure, pair), known in zip(asked, earlier, strict=True)
    )


def _unit_means(values: FloatArray, units: IntArray) -> FloatArray:
    """The mean of each unit (row) in each column."""
    sums = np.zeros((int(units.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(sums, units, values)
    return np.asarray(sums / np.bincount(units, minlength=len(sums))[:, None])


def _check(
    question: Question,
    systems: tuple[str, ...],
    values: FloatArray,
    measure: int,
    pair: tuple[int, int],
    known: LookCheck,
) -> SequentialCheck:
    """What is decided rests on gains; the change that is told has the measure's own sign."""
    first, second = values[:, pair[0]], values[:, pair[1]]
    lower_is_better = question.better[measure] == "lower"
    gains = (second - first) * turn(lower_is_better)
    gain = float(gains.mean()) if gains.size else math.nan
    effect, tail = question.min_effect[measure], question.tail
    _, least, most = turned(known.change, known.low, known.high, lower_is_better)
    low, high = max(least, lower_limit(gains, tail)), min(most, upper_limit(gains, tail))
    contradicted = low > high
    if contradicted:
        low, high = least, most
    decision = decide(gain, low, high, effect, known.decision)
    change, low, high = turned(gain, low, high, lower_is_better)
    return SequentialCheck(
        measure=question.measures[measure],
        first=systems[pair[0]],
        second=systems[pair[1]],
        values=(float(first.mean()), float(second.mean())) if gains.size else (math.nan, math.nan),
        change=change,
        low=low,
        high=high,
        level=1 - tail,
        min_effect=effect,
        units=gains.size,
        decision=decision,
        needed=_needed(gains, effect, tail) if decision == "not yet" else 0.0,
        unit=question.unit,
        lower_is_better=lower_is_better,
        contradicted=contradicted,
    )


def decide(gain: float, low: float, high: float, min_effect: float, before: Decision = "not yet") -> Decision:
    """Worse: a loss is shown, and its mean matters. Better: a gain is shown. Not worse: no loss that matters is left.

    What is decided stays so; only that there is no loss that matters may become a gain.
    >>> decide(-0.04, -0.07, -0.01, 0.01), decide(-0.005, -0.009, -0.001, 0.01), decide(0.0, -0.02, 0.02, 0.01)
    ('worse', 'not worse', 'not yet')
    >>> decide(0.03, 0.01, 0.05, 0.01), decide(0.03, 0.01, 0.05, 0.01, before="worse")
    ('better', 'worse')
    """
    if before in ("worse", "better"):
        return before
    if low > 0:
        return "better"
    if before == "not worse":
        return before
    if high < 0 and -gain > min_effect:
        return "worse"
    return "not worse" if min_effect > 0 and low > -min_effect else "not yet"


def _needed(gains: FloatArray, min_effect: float, tail: float) -> float:
    """How many more units like these decide in about half of all cases, in the direction of the present effect."""
    gain = float(gains.mean()) if gains.size else 0.0
    if -gain > min_effect:
        return still_needed(gains, 0.0, tail)
    return still_needed(-gains, min_effect, tail)
