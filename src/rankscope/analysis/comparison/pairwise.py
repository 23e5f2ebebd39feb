"""All comparisons of one declared family: every pair, measure and class, corrected together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.corrections import ALL_QUERIES, Family, adjust, tested_levels
from rankscope.analysis.statistics.deciding_test import DECIDING, decide_limits, decide_p
from rankscope.analysis.statistics.named_tests import PAIR_TESTS, bootstrap_interval
from rankscope.analysis.statistics.paired_tests import limits_within
from rankscope.analysis.statistics.score_table import UNBOUNDED, ScoreTable
from rankscope.analysis.statistics.sign_flip import sign_flip, sign_flip_p
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.measures.direction import side_of


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
        """In plain numbers, for a table."""
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
        """One row for each comparison."""
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
