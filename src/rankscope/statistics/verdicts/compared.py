"""What a comparison of systems gives: numbers for tables and words, per measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.displayed import Tabular, written
from rankscope.measures.direction import EQUAL, tally
from rankscope.statistics.intervals.bootstrap import Intervals
from rankscope.statistics.pairs.effect import standardised_difference
from rankscope.statistics.pairs.equivalence import Equivalence
from rankscope.statistics.pairs.family import Families, in_words
from rankscope.statistics.pairs.pairwise import Comparison
from rankscope.statistics.pairs.power import ShownEffects
from rankscope.statistics.pairs.trust import caution
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.tests import AskedTest
from rankscope.statistics.variance.assumptions import Assumptions
from rankscope.statistics.variance.paired_and_unpaired import PairedAndUnpaired
from rankscope.statistics.variance.randomised_tukey import RandomisedTukey
from rankscope.statistics.verdicts.class_effects import ClassEffects
from rankscope.statistics.verdicts.rank_intervals import RankIntervals


@dataclass(frozen=True, eq=False, repr=False)
class MeasureCompared(Tabular):
    """One measure of all systems, on the queries that every system has."""

    table: ScoreTable
    units: ScoreTable  # what chance draws: queries, or classes of queries with the same target; for intervals
    tested: ScoreTable  # the same for tests
    left_out: int  # queries for which some system has no value
    means: Intervals  # one per system
    pairs: tuple[Comparison, ...]  # p-values corrected over the family of the measure
    tukey: RandomisedTukey | None = None  # of three systems or more
    ranks: RankIntervals | None = None  # where every pair was compared
    classes: tuple[ClassEffects, ...] = ()  # of each pair with the first system
    cells: PairedAndUnpaired | None = None  # as independent samples and query by query, where there are classes
    assumed: Assumptions | None = None
    asked: tuple[AskedTest, ...] = ()  # tests asked for by name; no verdict rests on them
    equivalences: tuple[Equivalence, ...] = ()  # of each pair, where a margin was given

    @property
    def measure(self) -> str:
        """What was measured."""
        return self.table.measure

    @property
    def order(self) -> tuple[str, ...]:
        """The systems from the best mean to the worst; equal ones as they came."""
        by_mean = np.argsort(-self.table.gains.mean(axis=0), kind="stable").tolist()
        return tuple(self.table.systems[each] for each in by_mean)

    @property
    def leaders(self) -> tuple[str, ...]:
        """The systems with the best mean; equal but for rounding."""
        means = self.table.gains.mean(axis=0)
        return tuple(name for name in self.order if means.max() - means[self.table.number(name)] <= EQUAL)

    def differences(self, pair: Comparison) -> FloatArray:
        """Second minus first, query by query."""
        return self.table.differences(pair.first, pair.second)

    @property
    def unit(self) -> str:
        """What chance draws, in a word."""
        return "queries" if self.units is self.table else "classes"

    @property
    def caution(self) -> str:
        """What so few queries or classes cannot show; nothing from 60 on."""
        return caution(len(self.units), self.unit)

    def detectable(self, pair: Comparison) -> float:
        """The smallest true difference that would be shown in 80 % of such experiments, at the level of the pair.

        NaN where differences have no spread, infinite where none that the measure can have would be shown.
        """
        differences = self.tested.differences(pair.first, pair.second)
        effect = ShownEffects(differences, (1 - pair.level) / 2).smallest()
        return math.inf if effect > self.table.difference_bounds[1] else effect

    def differing(self, pair: Comparison) -> int:
        """How many of what chance draws differ; the smallest p-value that they allow is 2^(1 - number)."""
        return int(np.count_nonzero(self.tested.differences(pair.first, pair.second)))

    @property
    def undecidable(self) -> tuple[Comparison, ...]:
        """Pairs in which too few differ for the smallest possible p-value to pass the level of the pair."""
        return tuple(each for each in self.pairs if 2.0 ** (1 - self.differing(each)) > (1 - each.level) * (1 + 1e-9))

    def system_rows(self) -> list[dict[str, object]]:
        """One row for each system, the best mean first."""
        several = self.ranks is not None and len(self.table.systems) > 2
        places = {row["system"]: row for row in self.ranks.rows()} if self.ranks is not None and several else {}
        rows = []
        for name in self.order:
            each = self.table.number(name)
            row: dict[str, object] = {"system": name, "mean": float(self.means.mean[each])}
            row |= {"low": float(self.means.low[each]), "high": float(self.means.high[each])}
            ranked = places.get(name, {})
            rows.append(row | {key: ranked[key] for key in ("best rank", "worst rank", "group") if key in ranked})
        return rows

    def pair_rows(self, correction: str = "holm") -> list[dict[str, object]]:
        """One row for each pair: the difference with its interval, p-values, its size in standard deviations.

        `won`, `lost`: on how many queries the second is better and worse, whichever way the measure goes.
        """
        tukey: dict[tuple[str, str], float] = {}
        if self.tukey is not None:
            tukey = {(each.first, each.second): each.p for each in self.tukey.pairs}
        rows = []
        for pair in self.pairs:
            differences = self.differences(pair)
            row: dict[str, object] = {"first": pair.first, "second": pair.second, "difference": pair.difference}
            row |= {"low": pair.low, "high": pair.high, "level": pair.level}
            row |= {"p": pair.p, f"p ({correction})": pair.adjusted}
            if tukey:
                row["p (Tukey)"] = tukey.get((pair.first, pair.second), tukey.get((pair.second, pair.first)))
            row |= {"d/sd": standardised_difference(differences)}
            row |= tally(differences, self.table.lower_is_better)._asdict()
            rows.append(row | {"better": pair.better})
        return rows

    def equivalence_rows(self, correction: str = "holm") -> list[dict[str, object]]:
        """One row for each pair that was held against a margin."""
        return [each.row(correction) for each in self.equivalences]

    def class_rows(self) -> list[dict[str, object]]:
        """One row for each class and system compared with the first."""
        return [
            {"first": result.first, "second": result.second, **row} if len(self.classes) > 1 else row
            for result in self.classes
            for row in result.rows()
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Tabular):
    """What `compare` returns: each measure, and the families over which p-values are corrected."""

    measures: tuple[MeasureCompared, ...]
    families: Families
    level: float = 0.95
    seed: int = 0
    same: Mapping[str, str] = field(default_factory=dict)  # systems left out because all their values are another's
    baseline: str = ""  # with which others are compared, where somebody named it

    @property
    def main(self) -> MeasureCompared:
        """The primary measure, asked for first, which decides."""
        return self.measures[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems compared, the baseline first."""
        return self.main.table.systems

    def equivalence_family(self, measure: str) -> str:
        """In words, over what the p-values of equivalence by a measure are corrected, apart from the differences."""
        primary, *others = (replace(self.families.primary, measures=(one.measure,)) for one in self.measures)
        return in_words([primary] if self.families.is_primary(measure) else others)

    def to_markdown(self, every_pair: bool = False) -> str:
        """The verdict and all tables, as `rankscope compare --format markdown` prints them."""
        return written(self, "markdown", every_pair=every_pair)

    def to_latex(self, columns: str | float = "1", marks: str = "auto") -> str:
        """The table for a paper: `columns` is how wide it is, `marks` what stands behind numbers, as of `report`."""
        return written(self, "latex", columns=columns, marks=marks)

    def write_up(self) -> str:
        """One paragraph for a paper: test, correction, effects with their limits, queries, and what to cite."""
        return written(self, "write-up")

    def stands_for(self, system: str) -> str:
        """The name under which a system was compared: its own, or that of the one it equals."""
        return self.same.get(system, system)

    def names_of(self, system: str) -> list[str]:
        """A system, and those left out because all their values are its own."""
        return [system, *(each for each, other in self.same.items() if other == system)]

    def shown_better(self, one: str, other: str) -> bool:
        """Whether the primary measure shows one system to be better than another."""
        names = {self.stands_for(one), self.stands_for(other)}
        return any(
            {pair.first, pair.second} == names and pair.better == self.stands_for(one) for pair in self.main.pairs
        )

    def places(self) -> dict[str, tuple[int, int, str]]:
        """For each system compared: the best and worst rank that remain possible, and the letters of its groups."""
        ranks = self.main.ranks
        if ranks is None:
            return {}
        return dict(
            zip(ranks.systems, zip(ranks.low.tolist(), ranks.high.tolist(), ranks.letters, strict=True), strict=True)
        )
