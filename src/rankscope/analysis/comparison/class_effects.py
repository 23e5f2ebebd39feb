"""On which kind of query do two systems differ? The difference within each class of queries, corrected for all classes.

Each class is judged by its own differences alone. A spread pooled over classes (the mixed model) would let classes of
few queries borrow from the others, but where spreads differ it calls chance a difference up to three times as often as
it says; it is shown too, and no verdict rests on it. Nor does one rest on the t test of few queries: it errs where
differences are skewed: the p of each class stays, and a verdict needs the tests that decide everywhere
(`deciding_test`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rankscope.analysis.comparison.pairwise import pad_rows
from rankscope.analysis.statistics.corrections import Family, adjust, tested_levels
from rankscope.analysis.statistics.deciding_test import DECIDING, SEEN, decide_limits, decide_p
from rankscope.analysis.statistics.design import design_of
from rankscope.analysis.statistics.mixed_model import mixed
from rankscope.analysis.statistics.paired_tests import limits_within, paired_t, spread
from rankscope.analysis.statistics.score_table import UNBOUNDED, ScoreTable
from rankscope.analysis.statistics.sign_flip import sign_flip_p
from rankscope.core.arrays import FloatArray
from rankscope.measures.direction import side_of, turn

MANY = 12  # queries of a class from which on p is that of the sign-flip test: with fewer it can hardly ever be small


@dataclass(frozen=True)
class ClassEffect:
    """Second system minus first on the queries of one class."""

    label: str
    queries: int
    difference: float
    low: float  # the means that the deciding tests do not reject at `level`
    high: float
    p: float
    raw: float  # p of the tests that a verdict needs; NaN where they cannot be made
    pooled: float  # p of the mixed model, not corrected
    adjusted: float = float("nan")  # p corrected for the family
    deciding: float = float("nan")  # raw corrected for the family
    better: str = ""  # the system that is significantly better on this class, if any
    level: float = 0.95  # at which the correction held this class
    differences: FloatArray = field(default_factory=lambda: np.empty(0), repr=False, compare=False)


@dataclass(frozen=True, eq=False)
class ClassEffects:
    """One pair of systems on all classes."""

    first: str
    second: str
    measure: str
    effects: tuple[ClassEffect, ...]
    lower_is_better: bool = False
    correction: str = "holm"
    level: float = 0.95
    family: str = ""  # in words, over what p-values are corrected
    about: str = ""  # what must be said of the queries and of the mixed model
    bounds: tuple[float, float] = UNBOUNDED  # what a difference can be

    @property
    def how(self) -> str:
        return (
            f"p: t test within each class, sign-flip test from {MANY} queries on; p (verdict): {DECIDING} test, the "
            f"larger p; both corrected over the {self.family}; limits: of the tests of the verdict, at the level at "
            "which it held that class"
        )

    @property
    def note(self) -> str:
        """What must be said: where words are withheld, what few queries cannot show, what was left out."""
        words = [f"no verdict on {', '.join(self.withheld)}: too few or too skewed queries"] if self.withheld else []
        if any(each.better and each.queries < SEEN for each in self.effects):
            words.append(f"classes of fewer than {SEEN} queries may lack the few that gain or lose much")
        return "; ".join(filter(None, [*words, self.about]))

    @property
    def withheld(self) -> tuple[str, ...]:
        """Classes whose p is small enough, but whose queries are too few or too skewed for a verdict."""
        return tuple(each.label for each in self.effects if each.adjusted <= 1 - self.level and not each.better)

    def judged(
        self, adjusted: Sequence[float], deciding: Sequence[float], levels: Sequence[float], family: str
    ) -> ClassEffects:
        """The same with p-values corrected, who is significantly better by them, and the limits at their levels."""
        columns = np.concatenate(pad_rows([each.differences[:, None] for each in self.effects]), axis=1)
        within = limits_within(*decide_limits(columns, levels), self.bounds)
        limits = zip(*(each.tolist() for each in within), strict=True)
        effects = []
        for each, p, decides, level, ends in zip(self.effects, adjusted, deciding, levels, limits, strict=True):
            better = ""
            if decides <= 1 - self.level and not np.isclose(each.difference, 0, atol=1e-12):
                side = side_of(each.difference, self.lower_is_better)
                better = self.second if side == "better" else self.first
            low, high = ends if each.raw == each.raw else (np.nan, np.nan)
            low, high = (low, high) if better else (min(low, 0.0), max(high, 0.0))
            effects.append(replace(each, adjusted=p, deciding=decides, better=better, level=level, low=low, high=high))
        return replace(self, effects=tuple(effects), family=family)

    def rows(self) -> list[dict[str, object]]:
        """One row for each class, in plain numbers."""
        return [
            {
                "class": each.label,
                "queries": each.queries,
                "difference": each.difference,
                "low": each.low,
                "high": each.high,
                "level": each.level,
                "p": each.p,
                f"p ({self.correction})": each.adjusted,
                "p (verdict)": each.deciding,
                "p (mixed model)": each.pooled,
                "better": each.better,
            }
            for each in self.effects
        ]


def class_effects(
    table: ScoreTable, first: str, second: str, *, correction: str = "holm", level: float = 0.95
) -> ClassEffects:
    """The classes from the largest gain of the second system to its largest loss; a class of one query has no p.

    Corrected over these classes; where more is tested, `correct_comparison` corrects over all of it.
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.4, 0.6, 0.3, 0.5]}, classes=["x", "x", "y", "y"])
    >>> [(each.label, round(each.difference, 2)) for each in class_effects(table, "A", "B").effects]
    [('x', 0.35), ('y', 0.05)]
    """
    pair = table.select(first, second)
    design = design_of(pair, systems=2)
    pooled = mixed(pair, level)
    models = pooled.effects or pooled.overall
    gaps = design.values[:, 1] - design.values[:, 0]
    effects = [
        _apart(label, gaps[design.group == number], model.p)
        for number, (label, model) in enumerate(zip(design.labels, models, strict=True))
    ]
    effects.sort(key=lambda each: (-each.difference * turn(pair.lower_is_better), each.label))
    about = design.note(f"p (mixed model): {pooled.paired}" if pooled.paired else "")
    result = ClassEffects(
        first=first,
        second=second,
        measure=table.measure,
        effects=tuple(effects),
        lower_is_better=pair.lower_is_better,
        correction=correction,
        level=level,
        about=about,
        bounds=pair.difference_bounds,
    )
    family = Family(((first, second),), (table.measure,), tuple(each.label for each in effects), correction)
    return judged_together([result], [], correction, str(family), level)[0][0]


def judged_together(
    outcome: Sequence[ClassEffects], others: Sequence[float], correction: str, family: str, level: float
) -> tuple[list[ClassEffects], list[float], list[float]]:
    """Classes corrected together with the p-values of other tests: both, corrected, and the levels of the others.

    Each test counts once: of a class both p-values are corrected, each among its like.
    """
    effects = [each for one in outcome for each in one.effects]
    adjusted = adjust([*others, *(each.p for each in effects)], correction).p.tolist()
    raw = [*others, *(each.raw for each in effects)]
    deciding = adjust(raw, correction).p.tolist()
    levels = (1 - tested_levels(raw, correction, 1 - level)).tolist()
    result, start = [], len(others)
    for one in outcome:
        stop = start + len(one.effects)
        result.append(one.judged(adjusted[start:stop], deciding[start:stop], levels[start:stop], family))
        start = stop
    return result, deciding[: len(others)], levels[: len(others)]


def _apart(label: str, differences: FloatArray, pooled: float) -> ClassEffect:
    """One class, not judged yet."""
    t = paired_t(differences)
    p = float(sign_flip_p(differences)[0]) if differences.size >= MANY else t.p
    raw = np.nan  # few queries that all differ by the same amount show no spread to judge by
    if spread(differences) > 0 or differences.size >= SEEN:
        raw = float(decide_p(differences)[0])
    return ClassEffect(
        label=label,
        queries=t.queries,
        difference=t.estimate,
        low=np.nan,
        high=np.nan,
        p=p,
        raw=raw,
        pooled=pooled,
        differences=differences,
    )
