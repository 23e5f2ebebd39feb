"""What a study says of one quantity: means by round with intervals, and what decides between its methods.

Whole sessions decide: by the first measure of the scored list, which alone is primary, and by cumulative recall,
which is secondary. The residual list lacks what a method has found, so that it favours the one that found less: two
methods are compared on what neither has shown, and of more methods it decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankscope.analysis.comparison.compare import Compared, compare
from rankscope.analysis.statistics.bootstrap import Intervals
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.feedback.examples.scores import mean_or_nan
from rankscope.feedback.study.loop import area_over_rounds, rounds_to_recall
from rankscope.feedback.study.results import Results, shared_name
from rankscope.feedback.study.sensitivity import Stability, stability
from rankscope.measures.direction import EQUAL, best_first

TIMED_RECALL = 0.5  # the recall users are timed to


@dataclass(frozen=True, eq=False)
class Summary:
    """One quantity of a study: the mean over sessions in each round, as `compare` has it for kept rankings.

    A session counts in all rounds or in none: where a quantity becomes undefined (nothing relevant is left of a
    residual list) the session is left out from round 0 on, so that rounds compare the same sessions.
    """

    results: Results
    quantity: str
    level: float = 0.95

    @property
    def methods(self) -> tuple[str, ...]:
        return self.results.asked

    @property
    def controls(self) -> tuple[str, ...]:
        return self.results.controls

    def values(self, method: str) -> FloatArray:
        """Sessions x rounds; NaN in all rounds of a session that has no value in some round."""
        values = self.results.values(self.quantity, method)
        return np.where(np.isnan(values).any(axis=1, keepdims=True), np.nan, values)

    def sessions(self, method: str) -> int:
        """How many sessions its means are over."""
        return int((~np.isnan(self.values(method)[:, 0])).sum())

    @cached_property
    def intervals(self) -> Intervals:
        """Of all methods in all rounds, topics drawn anew; method by method, each with all rounds."""
        values = np.concatenate([self.values(name) for name in self.results.methods], axis=1)
        seed = int(self.results.about.get("seed", 0))
        bounds = self.results.bounds(self.quantity)
        made = mean_intervals(values, self.results.session_units, level=self.level, seed=seed, bounds=bounds)
        return replace(made, unit=self.results.unit_words[1])

    def means(self, method: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean, low and high in each round."""
        rounds, place = self.results.last + 1, self.results.methods.index(method)
        result = (self.intervals.mean, self.intervals.low, self.intervals.high)
        mean, low, high = (each[place * rounds : (place + 1) * rounds] for each in result)
        return mean, low, high

    @property
    def ordered(self) -> tuple[str, ...]:
        """The methods that were asked for, the best of the last round first, those without a value last.

        Residual lists are each method's own, and not put in an order.
        """
        if self.quantity in self.results.measures and self.results.about["protocol"]["scored"] == "residual":
            return self.methods
        last = [self.means(name)[0][-1] for name in self.methods]
        order = best_first(last, self.results.lower_is_better(self.quantity))
        return tuple(self.methods[each] for each in order)

    def harmed_topics(self, method: str) -> tuple[str, ...]:
        """Topics on which feedback is worse than none, in the mean over the starts of the last round."""
        if NO_FEEDBACK not in self.results.methods:
            return ()
        table = self.results.table(self.quantity, methods=[NO_FEEDBACK, method])
        topics, number = np.unique(self.results.topics_of(table.queries), return_inverse=True)
        lost = np.zeros(topics.size)
        np.add.at(lost, number, np.nan_to_num(table.gains[:, 0] - table.gains[:, 1]))
        return tuple(topics[lost > EQUAL].tolist())

    def round_rows(self) -> list[dict[str, object]]:
        """One row for each method, the best first, controls last: means by round, and the interval of the last.

        Where sessions had to be left out, how many each mean is over.
        """
        counts = {name: self.sessions(name) for name in self.results.methods}
        some_left_out = len({*counts.values(), len(self.results.sessions)}) > 1
        rows = []
        for name in (*self.ordered, *self.controls):
            mean, low, high = self.means(name)
            row: dict[str, object] = {"method": name}
            row |= {f"round {number}": float(value) for number, value in enumerate(mean)}
            row |= {"low": float(low[-1]), "high": float(high[-1])}
            rows.append(row | ({"sessions": counts[name]} if some_left_out else {}))
        return rows

    def stability(self, method: str) -> Stability:
        table = self.results.table(self.quantity, methods=[method])
        return stability(table.values[:, 0], self.results.topics_of(table.queries))


def session_rows(results: Results) -> list[dict[str, object]]:
    """One row for each method: recall over rounds, rounds to half of all, spread over starts.

    The median is over all sessions; one that never comes so far counts as infinitely long. (A mean over those that do
    would flatter a method that only comes so far where it is easy.)
    """
    summary = Summary(results, results.measures[0])
    rows = []
    for name in (*summary.methods, *summary.controls):
        recall = results.values(SEEN, name)
        recall = recall[~np.isnan(recall).any(axis=1)]  # where nothing can be found there is nothing to reach
        reached = rounds_to_recall(recall, TIMED_RECALL)
        middle = float(np.median(reached)) if reached.size else np.inf
        steady = summary.stability(name)
        rows.append(
            {
                "method": name,
                "area of recall": mean_or_nan(area_over_rounds(recall)),
                f"reach recall {TIMED_RECALL:g}": mean_or_nan(np.isfinite(reached).astype(np.float64)),
                "median round": middle if np.isfinite(middle) else float("nan"),
                "sd over starts": steady.sd,
                "p10 of starts": steady.p10,
                "share of start": steady.share_of_start,
            }
        )
    return rows


def session_notes(results: Results) -> list[str]:
    """What must be said of the spread over starts: where a variance came out below 0."""
    summary = Summary(results, results.measures[0])
    said = {name: summary.stability(name).note for name in (*summary.methods, *summary.controls)}
    return [f"{name}, share of start: {note}" for name, note in said.items() if note]


# What decides between feedback methods, and the comparisons made by it, which are those of `compare`.

NO_FEEDBACK = "no-feedback"
SEEN = "cumulative recall"


def compared_methods(results: Results) -> tuple[str, ...]:
    """The methods asked for, but those that failed in every session, and of those that rank alike only the first."""
    again = {name for group in results.alike() for name in group[1:]}
    return tuple(name for name in results.asked if name not in again | set(results.failed_throughout()))


def shares_list(results: Results) -> bool:
    """Whether two methods are compared on the residual list of what neither has shown."""
    shared = shared_name(results.measures[0])
    if shared not in results.quantities or len(compared_methods(results)) != 2:
        return False
    return len(results.table(shared, methods=compared_methods(results)).complete()) > 0


def deciding_table(results: Results, methods: Sequence[str]) -> ScoreTable | None:
    """The primary measure in the last round, sessions x methods; None where lists cannot be compared."""
    measure = results.measures[0]
    if results.about["protocol"]["scored"] != "residual":
        return results.table(measure, methods=methods)
    if shares_list(results) and NO_FEEDBACK not in methods:
        return replace(results.table(shared_name(measure), methods=methods), measure=measure)
    return None


def compare_methods(results: Results, level: float = 0.95) -> Compared | None:
    """All pairs of methods in the last round; None where there is no pair, or nothing to find."""
    names = compared_methods(results)
    return _compared(results, names, level, None) if len(names) > 1 else None


def against_none(results: Results, level: float = 0.95) -> Compared | None:
    """Each method against the start ranking left alone, a family of its own."""
    names = (NO_FEEDBACK, *compared_methods(results))
    if NO_FEEDBACK not in results.methods or len(names) < 2:
        return None
    return _compared(results, names, level, NO_FEEDBACK)


def _compared(results: Results, names: Sequence[str], level: float, baseline: str | None) -> Compared | None:
    first = deciding_table(results, names)
    tables = [each for each in (first, results.table(SEEN, methods=names)) if each is not None]
    if not all(len(each.complete()) for each in tables):
        return None  # topics of one item, which is the query: nothing can be found
    return compare(
        tables,
        baseline=baseline,
        every_pair=baseline is None,
        by_unit=True,
        level=level,
        seed=int(results.about.get("seed", 0)),
    )


def unmoved_measures(results: Results) -> tuple[str, ...]:
    """Measures of the scored list that no round changes: precision within the first display of a frozen list."""
    unmoved = []
    for measure in results.measures if results.last else ():
        tables = (results.values(measure, name) for name in results.asked or results.methods)
        if all(np.array_equal(each, np.broadcast_to(each[:, :1], each.shape), equal_nan=True) for each in tables):
            unmoved.append(measure)
    return tuple(unmoved)
