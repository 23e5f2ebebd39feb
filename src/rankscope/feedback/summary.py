"""What a study says: means by round with intervals, and whether feedback helps; topics are what chance draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.methods import CONTROLS
from rankscope.feedback.results import Results
from rankscope.feedback.rounds import area_over_rounds, rounds_to_recall
from rankscope.feedback.stability import Stability, stability
from rankscope.statistics.bootstrap import Intervals, bootstrap_means
from rankscope.statistics.pairwise import PairTests, compare_pairs
from rankscope.statistics.score_table import ScoreTable

NO_FEEDBACK = "no-feedback"
HALF = 0.5  # the recall users are timed to


@dataclass(frozen=True, eq=False)
class Summary:
    """One quantity of a study. Every topic counts the same, however many starts it has."""

    results: Results
    quantity: str
    level: float = 0.95

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that were asked for."""
        controls = {kind.name for kind in CONTROLS}
        return tuple(name for name in self.results.methods if name not in controls)

    @property
    def controls(self) -> tuple[str, ...]:
        """Those that go with them."""
        return tuple(name for name in self.results.methods if name not in self.methods)

    def topic_table(self, number: int | None = None) -> ScoreTable:
        """Topics x methods: the mean over the starts of each topic in one round; what is undefined is left out."""
        table = self.results.table(self.quantity, number)
        return ScoreTable(table.measure, table.systems, *_by_topic(table))

    @cached_property
    def tables(self) -> list[ScoreTable]:
        """One for each round."""
        return [self.topic_table(number) for number in range(self.results.last + 1)]

    @cached_property
    def intervals(self) -> Intervals:
        """Of all methods in all rounds, topics drawn anew; round by round, each with all methods."""
        values = np.concatenate([table.values for table in self.tables], axis=1)
        seed = int(self.results.about.get("seed", 0))
        return bootstrap_means(values, level=self.level, resamples=2000, seed=seed)

    def means(self, method: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean, low and high in each round."""
        count, place = len(self.results.methods), self.results.methods.index(method)
        made = (self.intervals.mean, self.intervals.low, self.intervals.high)
        mean, low, high = (each.reshape(-1, count)[:, place] for each in made)
        return mean, low, high

    @cached_property
    def compared(self) -> PairTests | None:
        """All pairs of methods in the last round: the deciding tests over topics, Holm. None where there is no pair."""
        names = self._with_values(self.methods)
        return compare_pairs(self._shared(names), level=self.level) if len(names) > 1 else None

    @cached_property
    def against_none(self) -> PairTests | None:
        """Each method against the start ranking left alone, a family of its own."""
        names = self._with_values((NO_FEEDBACK, *self.methods))
        if NO_FEEDBACK not in names or len(names) < 2:
            return None
        return compare_pairs(self._shared(names), baseline=NO_FEEDBACK, level=self.level)

    def possible(self, tests: PairTests) -> bool:
        """Whether so few topics could show any difference at all: 2 of 2^n sign flips are as extreme as can be."""
        topics = len(self._shared(tuple(dict.fromkeys(name for pair in tests.family.pairs for name in pair))))
        return topics > 0 and 2.0 ** (1 - topics) * len(tests.comparisons) <= 1 - self.level

    def _with_values(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Those that have a value on some topic."""
        table = self.tables[-1]
        there = {name for name, column in zip(table.systems, table.values.T, strict=True) if not np.isnan(column).all()}
        return tuple(name for name in names if name in there)

    def _shared(self, names: tuple[str, ...]) -> ScoreTable:
        """The last round, on the topics for which each of them has a value."""
        return self.tables[-1].select(*names).complete()

    def harmed_topics(self, method: str) -> tuple[str, ...]:
        """Topics on which feedback is worse than none, in the mean over starts."""
        table = self.tables[-1]
        if NO_FEEDBACK not in table.systems:
            return ()
        lost = table.values[:, table.number(method)] < table.values[:, table.number(NO_FEEDBACK)] - 1e-9
        return tuple(name for name, worse in zip(table.queries, lost.tolist(), strict=True) if worse)

    def round_rows(self) -> list[dict[str, object]]:
        """One row for each method, the best first, controls last: means by round, and the interval of the last."""
        order = sorted(self.methods, key=lambda name: -np.nan_to_num(self.means(name)[0][-1]))
        rows = []
        for name in (*order, *self.controls):
            mean, low, high = self.means(name)
            row: dict[str, object] = {"method": name}
            row |= {f"round {number}": float(value) for number, value in enumerate(mean)}
            rows.append(row | {"low": float(low[-1]), "high": float(high[-1])})
        return rows

    def stability(self, method: str) -> Stability:
        """How much the last round hangs on the start."""
        table = self.results.table(self.quantity, methods=[method])
        return stability(table.values[:, 0], table.labels)


def session_rows(results: Results) -> list[dict[str, object]]:
    """One row for each method: area under precision over rounds, rounds to half of all, spread over starts."""
    made = Summary(results, results.measures[0])
    rows = []
    for name in (*made.methods, *made.controls):
        reached = rounds_to_recall(results.values("cumulative recall", name), HALF)
        steady = made.stability(name)
        rows.append(
            {
                "method": name,
                "area of precision": _mean(area_over_rounds(results.values("actual precision", name))),
                f"reach recall {HALF:g}": float(np.isfinite(reached).mean()),
                "rounds until then": _mean(reached[np.isfinite(reached)]),
                "sd over starts": steady.sd,
                "p10 of starts": steady.p10,
                "share of start": steady.share_of_start,
            }
        )
    return rows


def session_notes(results: Results) -> list[str]:
    """What must be said of the spread over starts: where a variance came out below 0."""
    made = Summary(results, results.measures[0])
    said = {name: made.stability(name).note for name in (*made.methods, *made.controls)}
    return [f"{name}, share of start: {note}" for name, note in said.items() if note]


def _by_topic(table: ScoreTable) -> tuple[tuple[str, ...], FloatArray]:
    names, number = np.unique(np.array(table.labels, dtype=str), return_inverse=True)
    there = ~np.isnan(table.values)
    total, count = np.zeros((names.size, table.values.shape[1])), np.zeros((names.size, table.values.shape[1]))
    np.add.at(total, number, np.where(there, table.values, 0.0))
    np.add.at(count, number, there)
    with np.errstate(invalid="ignore"):
        return tuple(names.tolist()), total / np.where(count > 0, count, np.nan)


def _mean(values: FloatArray) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else float("nan")
