"""All comparisons of one declared family: every pair, measure and class, corrected together; and within each class.

On which kind of query do two systems differ? Each class is judged by its own differences alone. A spread pooled over
classes (the mixed model) would let classes of few queries borrow from the others, but where spreads differ it calls
chance a difference up to three times as often as it says; it is shown too, and no verdict rests on it. Nor does one
rest on the t test of few queries: it errs where differences are skewed: the p of each class stays, and a verdict
needs
the tests that decide everywhere (`deciding_test`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.corrections import ALL_QUERIES, Family, adjust, tested_levels
from rankscope.analysis.statistics.deciding_test import DECIDING, SEEN, decide_limits, decide_p
from rankscope.analysis.statistics.design import design_of
from rankscope.analysis.statistics.mixed_model import mixed
from rankscope.analysis.statistics.named_tests import PAIR_TESTS, bootstrap_interval
from rankscope.analysis.statistics.paired_tests import limits_within, paired_t, spread
from rankscope.analysis.statistics.score_table import UNBOUNDED, ScoreTable
from rankscope.analysis.statistics.sign_flip import sign_flip, sign_flip_p
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.measures.direction import side_of, turn


@dataclass(frozen=True)
class Comparison:
    """Second system minus first, for one measure and class; `adjusted` is the p-value corrected for the family."""

    first: str
    second: str
    measure: str
    label: str
    difference: float
    low: float  # the means that the test does not reject at `level`
    high: float
    p: float
    adjusted: float
    queries: int
    better: str = ""  # the system that is significantly better, if any
    level: float = 0.95  # at which the correction held this one: 0 lies outside the limits exactly where `better` is

    def row(self) -> dict[str, object]:
        head: dict[str, object] = {"first": self.first, "second": self.second, "measure": self.measure}
        return (
            head
            | ({"class": self.label} if self.label else {})
            | {
                "difference": self.difference,
                "low": self.low,
                "high": self.high,
                "p": self.p,
                "p (adjusted)": self.adjusted,
                "queries": self.queries,
                "better": self.better,
            }
        )


@dataclass(frozen=True)
class PairTests:
    """The family and its comparisons, in the order of the family."""

    family: Family
    comparisons: tuple[Comparison, ...]
    test: str = DECIDING
    level: float = 0.95
    seed: int = 0

    @property
    def undefined(self) -> int:
        """How many tests could not be made."""
        return sum(np.isnan(each.p) for each in self.comparisons)

    def rows(self) -> list[dict[str, object]]:
        return [each.row() for each in self.comparisons]

    def __str__(self) -> str:
        left = f"; {self.undefined} could not be made" if self.undefined else ""
        return f"{self.family}; {self.test} test{left}"


def compare_pairs(
    tables: ScoreTable | Sequence[ScoreTable],
    *,
    by_class: bool = False,
    baseline: str | None = None,
    correction: str = "holm",
    test: str = DECIDING,
    level: float = 0.95,
    seed: int = 0,
    limits: bool = True,
) -> PairTests:
    """Compare all pairs of systems, or each with the baseline, on the queries that both have.

    Several tables are several measures of the same systems. `test` is what decides (`trust`) or one of `paired_tests`;
    limits are its own, at the level at which the correction held each pair, so that 0 lies outside exactly where a
    system is significantly better. Without `limits` they are not made. No test draws anything by chance: `seed` is kept
    for calls that name it.
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "B": [0.2, 0.4, 0.4, 0.6, 0.7, 0.8]})
    >>> made = compare_pairs(table)
    >>> print(made, [(round(each.difference, 3), round(each.p, 4), each.better) for each in made.comparisons])
    family of 1 test: 1 pair of systems, Holm; sign-flip and skew-t test [(0.167, 0.0454, 'B')]
    >>> compare_pairs(table, test="sign-flip").comparisons[0].p
    0.03125
    """
    test = test if test == DECIDING else PAIR_TESTS.spell(test)
    given = [tables] if isinstance(tables, ScoreTable) else list(tables)
    family = _family(given, by_class, baseline, correction)
    parts = [part for table in given for part in (map(table.where, table.class_names) if by_class else [table])]
    differences = [_differences(part, family) for part in parts]
    p = np.concatenate([_p_values(each, test) for each in differences])
    adjusted, levels = adjust(p, correction).p, 1 - tested_levels(p, correction, 1 - level)
    turned = [table.lower_is_better for table in given for _ in range(family.size // len(given))]
    made = [
        Comparison(
            first=first,
            second=second,
            measure=measure,
            label=label,
            difference=mean,
            low=np.nan,
            high=np.nan,
            p=raw,
            adjusted=corrected,
            queries=queries,
            better=_shown_better(first, second, mean, corrected, lower, level),
            level=tested,
        )
        for (first, second, measure, label), (mean, queries), raw, corrected, lower, tested in zip(
            family,
            [row for each in differences for row in _means(each)],
            p.tolist(),
            adjusted.tolist(),
            turned,
            levels.tolist(),
            strict=True,
        )
    ]
    if limits:
        ranges = np.array([table.difference_bounds for table in given]).repeat(family.size // len(given), axis=0)
        made = with_limits(made, np.concatenate(pad_rows(differences), axis=1), test, ranges=ranges)
    return PairTests(family=family, comparisons=tuple(made), test=test, level=level, seed=seed)


def with_limits(
    pairs: Sequence[Comparison],
    differences: FloatArray,
    test: str = DECIDING,
    *,
    sizes: FloatArray | None = None,
    ranges: ArrayLike = UNBOUNDED,
) -> list[Comparison]:
    """Comparisons with the limits of their test at their own level; a column of differences for each.

    `sizes`: a row may be the sum over so many queries, scaled so that the mean of the sizes is 1. `ranges`: what a
    difference can be, for all or one row for each; no limit lies outside, and limits that are one number are
    none: NaN.
    """
    if test == DECIDING:
        low, high = decide_limits(differences, [each.level for each in pairs], sizes)
    else:
        named = PAIR_TESTS.find(test)
        made = [named(column, level=each.level) for each, column in zip(pairs, differences.T, strict=True)]
        low, high = (np.array([getattr(each, end) for each in made]) for end in ("low", "high"))
    least, most = np.asarray(ranges, dtype=np.float64).T
    low, high = limits_within(low, high, (least, most))
    return [
        replace(each, low=min(down, 0.0), high=max(up, 0.0))
        if not each.better and each.p == each.p
        else replace(each, low=down, high=up)
        for each, down, up in zip(pairs, low.tolist(), high.tolist(), strict=True)
    ]


def pad_rows(tables: Sequence[FloatArray]) -> list[FloatArray]:
    """Tables with as many rows as the longest, filled with NaN."""
    most = max(len(each) for each in tables)
    return [np.pad(each, ((0, most - len(each)), (0, 0)), constant_values=np.nan) for each in tables]


def _family(tables: list[ScoreTable], by_class: bool, baseline: str | None, correction: str) -> Family:
    if not tables or any(table.systems != tables[0].systems for table in tables):
        raise SettingError("every table must hold the same systems in the same order")
    if len(set(tables[0].systems)) < len(tables[0].systems):
        raise SettingError(f"two systems have the same name: {', '.join(tables[0].systems)}")
    classes = tables[0].class_names if by_class else (ALL_QUERIES,)
    return Family.of(tables[0].systems, [table.measure for table in tables], classes, correction, baseline)


def _differences(table: ScoreTable, family: Family) -> FloatArray:
    number = {name: place for place, name in enumerate(table.systems)}
    first, second = ([number[pair[side]] for pair in family.pairs] for side in (0, 1))
    return np.asarray(table.values[:, second] - table.values[:, first])


def _p_values(differences: FloatArray, test: str) -> FloatArray:
    if test == DECIDING:
        return decide_p(differences)
    found = PAIR_TESTS.find(test)
    if found is sign_flip:
        return sign_flip_p(differences)
    if found is bootstrap_interval:
        others = ", ".join(name for name, each in zip(PAIR_TESTS.names(), PAIR_TESTS, strict=True) if each is not found)
        raise SettingError(f"no verdict rests on the bootstrap: it has no p-value. Use one of {others}")
    return np.array([found(column).p for column in differences.T])


def _means(differences: FloatArray) -> list[tuple[float, int]]:
    """The mean and the number of the queries that each pair has."""
    queries = (~np.isnan(differences)).sum(axis=0)
    total = np.nan_to_num(differences).sum(axis=0)
    mean = np.divide(total, queries, out=np.full(queries.size, np.nan), where=queries > 0)
    return list(zip(mean.tolist(), queries.tolist(), strict=True))


def correct_comparison(
    pair: Comparison, adjusted: float, lower_is_better: bool, level: float, tested: float
) -> Comparison:
    """The comparison with its p-value corrected, who is significantly better by it, and the level it was tested at."""
    better = _shown_better(pair.first, pair.second, pair.difference, adjusted, lower_is_better, level)
    return replace(pair, adjusted=adjusted, better=better, level=tested)


def _shown_better(
    first: str, second: str, difference: float, adjusted: float, lower_is_better: bool, level: float
) -> str:
    """The better system where the corrected p-value shows one; difference is second minus first."""
    side = side_of(difference, lower_is_better) if adjusted <= 1 - level else ""
    return {"better": second, "worse": first, "": ""}[side]


# On which kind of query do two systems differ? The difference within each class of queries, corrected for all
# classes.

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
