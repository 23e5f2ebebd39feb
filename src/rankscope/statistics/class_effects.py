"""On which kind of query do two systems differ? The difference within each class of queries, corrected for all classes.

Each class is judged by its own differences alone. A spread pooled over classes (the mixed model) would let classes of
few queries borrow from the others, but where spreads differ it calls chance a difference up to three times as often as
it says; it is shown beside, and no verdict rests on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.statistics.cells import Design, design_of
from rankscope.statistics.corrections import adjust
from rankscope.statistics.mixed import mixed
from rankscope.statistics.paired_t import paired_t
from rankscope.statistics.score_table import ScoreTable
from rankscope.statistics.sign_flip import sign_flip_p

MANY = 12  # queries of a class from which on the sign-flip test decides: with fewer it can hardly ever say anything


@dataclass(frozen=True)
class ClassEffect:
    """Second system less first on the queries of one class; `adjusted` is the p-value corrected for all classes."""

    label: str
    queries: int
    difference: float
    low: float  # interval of this class alone
    high: float
    p: float
    adjusted: float
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
        return f"t test within each class, sign-flip test from {MANY} queries on; {self.correction} over the classes"

    def rows(self) -> list[dict[str, object]]:
        """One row for each class, in plain numbers."""
        return [
            {"class": each.label, "queries": each.queries, "difference": each.difference, "low": each.low,
             "high": each.high, "p": each.p, f"p ({self.correction})": each.adjusted, "p (mixed model)": each.pooled,
             "better": each.better}
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
    made = _apart(design, level, seed)
    adjusted = adjust([each[-1] for each in made], correction).p.tolist()
    effects = [
        ClassEffect(*own, corrected, model.p, _better(pair, own[2], corrected, level))
        for own, corrected, model in zip(made, adjusted, pooled.effects or pooled.overall, strict=True)
    ]
    sign = -1.0 if pair.lower_is_better else 1.0
    effects.sort(key=lambda each: (-sign * each.difference, each.label))
    return ClassEffects(first, second, table.measure, tuple(effects), correction, level, design.note())


def _apart(design: Design, level: float, seed: int) -> list[tuple[str, int, float, float, float, float]]:
    """Label, queries, difference, interval and p of each class."""
    rows = []
    for number, label in enumerate(design.labels):
        values = design.values[design.group == number]
        difference: FloatArray = values[:, 1] - values[:, 0]
        made = paired_t(difference, level=level)
        p = float(sign_flip_p(difference, seed=seed)[0]) if difference.size >= MANY else made.p
        rows.append((label, made.queries, made.estimate, made.low, made.high, p))
    return rows


def _better(pair: ScoreTable, gap: float, adjusted: float, level: float) -> str:
    if not adjusted <= 1 - level or np.isclose(gap, 0, atol=1e-12):
        return ""
    return pair.systems[int((gap > 0) != pair.lower_is_better)]
