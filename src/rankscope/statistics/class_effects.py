"""On which kind of query do two systems differ? The difference within each class of queries, corrected for all classes.

Each class is judged by its own differences alone. A spread pooled over classes (the mixed model) would let classes of
few queries borrow from the others, but where spreads differ it calls chance a difference up to three times as often as
it says; it is shown beside, and no verdict rests on it. Nor does one rest on the t test of few queries: it errs where
differences are skewed: the p of each class stays, and a verdict needs the tests that decide everywhere (`trust`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.statistics.cells import Design, design_of
from rankscope.statistics.corrections import adjust
from rankscope.statistics.mixed import Mixed, mixed
from rankscope.statistics.paired_t import paired_t, spread
from rankscope.statistics.score_table import ScoreTable
from rankscope.statistics.sign_flip import sign_flip_p
from rankscope.statistics.trust import DECIDING, SEEN, decide_p

MANY = 12  # queries of a class from which on p is that of the sign-flip test: with fewer it can hardly ever be small


@dataclass(frozen=True)
class ClassEffect:
    """Second system minus first on the queries of one class; `adjusted` is the p-value corrected for all classes."""

    label: str
    queries: int
    difference: float
    low: float  # interval of this class alone
    high: float
    p: float
    adjusted: float
    deciding: float  # p of the tests that a verdict needs, corrected for all classes; NaN where they cannot be made
    pooled: float  # p of the mixed model, not corrected
    better: str = ""  # the system that is shown to be better on this class, if any


@dataclass(frozen=True, eq=False)
class ClassEffects:
    """One pair of systems on all classes."""

    first: str
    second: str
    measure: str
    effects: tuple[ClassEffect, ...]
    correction: str = "holm"
    level: float = 0.95
    note: str = ""

    @property
    def how(self) -> str:
        """Which tests were made."""
        return (
            f"p: t test within each class, sign-flip test from {MANY} queries on; p (verdict): {DECIDING} test, the "
            f"larger p; {self.correction} over the classes for both"
        )

    @property
    def withheld(self) -> tuple[str, ...]:
        """Classes whose p is small enough, but whose queries are too few or too skewed for a verdict."""
        return tuple(each.label for each in self.effects if each.adjusted <= 1 - self.level and not each.better)

    def rows(self) -> list[dict[str, object]]:
        """One row for each class, in plain numbers."""
        return [
            {"class": each.label, "queries": each.queries, "difference": each.difference, "low": each.low,
             "high": each.high, "p": each.p, f"p ({self.correction})": each.adjusted, "p (verdict)": each.deciding,
             "p (mixed model)": each.pooled, "better": each.better}
            for each in self.effects
        ]  # fmt: skip


def class_effects(
    table: ScoreTable, first: str, second: str, *, correction: str = "holm", level: float = 0.95, seed: int = 0
) -> ClassEffects:
    """The classes from the largest gain of the second system to its largest loss; a class of one query has no p.

    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.4, 0.6, 0.3, 0.5]}, classes=["x", "x", "y", "y"])
    >>> [(each.label, round(each.difference, 2)) for each in class_effects(table, "A", "B").effects]
    [('x', 0.35), ('y', 0.05)]
    """
    pair = table.select(first, second)
    design = design_of(pair, systems=2)
    pooled = mixed(pair, level)
    gaps = _differences(design)
    made = [_apart(label, each, level, seed) for label, each in gaps]
    adjusted = adjust([each[-1] for each in made], correction).p.tolist()
    deciding = adjust([_deciding(each, seed) for _, each in gaps], correction).p.tolist()
    effects = [
        ClassEffect(*own, corrected, decides, model.p, _better(pair, own[2], decides, level))
        for own, corrected, decides, model in zip(
            made, adjusted, deciding, pooled.effects or pooled.overall, strict=True
        )
    ]
    sign = -1.0 if pair.lower_is_better else 1.0
    effects.sort(key=lambda each: (-sign * each.difference, each.label))
    result = ClassEffects(first, second, table.measure, tuple(effects), correction, level)
    return replace(result, note=_note(result, pooled, design))


def _differences(design: Design) -> list[tuple[str, FloatArray]]:
    """Second system minus first on the queries of each class."""
    gaps = design.values[:, 1] - design.values[:, 0]
    return [(label, gaps[design.group == number]) for number, label in enumerate(design.labels)]


def _apart(label: str, differences: FloatArray, level: float, seed: int) -> tuple[str, int, float, float, float, float]:
    """Label, queries, difference, interval and p of a class."""
    made = paired_t(differences, level=level)
    p = float(sign_flip_p(differences, seed=seed)[0]) if differences.size >= MANY else made.p
    return label, made.queries, made.estimate, made.low, made.high, p


def _deciding(differences: FloatArray, seed: int) -> float:
    """The p that a verdict needs; few queries that all differ by the same amount show no spread to judge by: NaN."""
    if not spread(differences) > 0 and differences.size < SEEN:
        return float("nan")
    return float(decide_p(differences, seed=seed)[0])


def _better(pair: ScoreTable, gap: float, deciding: float, level: float) -> str:
    if not deciding <= 1 - level or np.isclose(gap, 0, atol=1e-12):
        return ""
    return pair.systems[int((gap > 0) != pair.lower_is_better)]


def _note(made: ClassEffects, pooled: Mixed, design: Design) -> str:
    """What must be said: where words are withheld, what few queries cannot show, where the mixed model failed."""
    words = [f"no verdict on {', '.join(made.withheld)}: too few or too skewed queries"] if made.withheld else []
    if any(each.better and each.queries < SEEN for each in made.effects):
        words.append(f"classes of fewer than {SEEN} queries may lack the few that gain or lose much")
    if pooled.paired:
        words.append(f"p (mixed model): {pooled.paired}")
    return design.note(*words)
