"""All comparisons of one declared family: every pair, measure and class, corrected together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError
from rankscope.statistics.pairs.corrections import adjust
from rankscope.statistics.pairs.family import ALL_QUERIES, Family
from rankscope.statistics.pairs.paired_t import MeanDifferences, t_intervals
from rankscope.statistics.pairs.paired_tests import TESTS, bootstrap_interval
from rankscope.statistics.pairs.sign_flip import sign_flip, sign_flip_p
from rankscope.statistics.pairs.system_pairs import SystemPairs
from rankscope.statistics.pairs.trust import DECIDING, decide_p
from rankscope.statistics.table.score_table import ScoreTable


@dataclass(frozen=True)
class Comparison:
    """Second system minus first, for one measure and class; `adjusted` is the p-value corrected for the family."""

    first: str
    second: str
    measure: str
    label: str
    difference: float
    low: float  # interval of this comparison alone, not of the family
    high: float
    p: float
    adjusted: float
    queries: int
    better: str = ""  # the system that is shown to be better, if any

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
) -> PairTests:
    """Compare all pairs of systems, or each with the baseline, on the queries that both have.

    Several tables are several measures of the same systems. Intervals are t intervals of the mean difference. `test`
    is what decides (`trust`) or one of `paired_tests`.
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "B": [0.2, 0.4, 0.4, 0.6, 0.7, 0.8]})
    >>> made = compare_pairs(table)
    >>> print(made, [(round(each.difference, 3), round(each.p, 4), each.better) for each in made.comparisons])
    family of 1 test: 1 pair of systems, Holm; sign-flip and skew-t test [(0.167, 0.0454, 'B')]
    >>> compare_pairs(table, test="sign-flip").comparisons[0].p
    0.03125
    """
    test = test if test == DECIDING else TESTS.spell(test)
    given = [tables] if isinstance(tables, ScoreTable) else list(tables)
    family = _family(given, by_class, baseline, correction)
    parts = [part for table in given for part in (_classes(table) if by_class else [table])]
    pairs = [_system_pairs(part, family) for part in parts]
    p = np.concatenate([_p_values(each, test, seed) for each in pairs])
    adjusted = adjust(p, correction).p
    means = [t_intervals(each.differences, level) for each in pairs]
    turned = [table.lower_is_better for table in given for _ in range(family.size // len(given))]
    rows = [row for each in means for row in _rows(each)]
    results = tuple(
        _comparison(named, row, raw, corrected, lower, level)
        for named, row, raw, corrected, lower in zip(family, rows, p.tolist(), adjusted.tolist(), turned, strict=True)
    )
    return PairTests(family=family, comparisons=results, test=test, level=level, seed=seed)


def _family(tables: list[ScoreTable], by_class: bool, baseline: str | None, correction: str) -> Family:
    if not tables or any(table.systems != tables[0].systems for table in tables):
        raise SettingError("every table must hold the same systems in the same order")
    if len(set(tables[0].systems)) < len(tables[0].systems):
        raise SettingError(f"two systems have the same name: {', '.join(tables[0].systems)}")
    classes = tables[0].class_names if by_class else (ALL_QUERIES,)
    return Family.of(tables[0].systems, [table.measure for table in tables], classes, correction, baseline)


def _classes(table: ScoreTable) -> list[ScoreTable]:
    return [table.where(label) for label in table.class_names]


def _system_pairs(table: ScoreTable, family: Family) -> SystemPairs:
    number = {name: place for place, name in enumerate(table.systems)}
    first, second = (np.array([number[pair[side]] for pair in family.pairs], dtype=np.int64) for side in (0, 1))
    return SystemPairs(table.values, first, second)


def _p_values(pairs: SystemPairs, test: str, seed: int) -> FloatArray:
    if test == DECIDING:
        return decide_p(pairs, seed=seed)
    found = TESTS.find(test)
    if found is sign_flip:
        return sign_flip_p(pairs, seed=seed)
    if found is bootstrap_interval:
        others = ", ".join(name for name, each in zip(TESTS.names(), TESTS, strict=True) if each is not found)
        raise SettingError(f"no verdict rests on the bootstrap: it has no p-value. Use one of {others}")
    return np.array([found(column).p for column in pairs.differences.T])


def _rows(means: MeanDifferences) -> list[tuple[float, float, float, int]]:
    columns = (each.tolist() for each in (means.mean, means.low, means.high, means.queries))
    return list(zip(*columns, strict=True))


def _comparison(
    named: tuple[str, str, str, str],
    row: tuple[float, float, float, int],
    p: float,
    adjusted: float,
    lower_is_better: bool,
    level: float,
) -> Comparison:
    """One comparison, judged by its corrected p-value."""
    (first, second, measure, label), (difference, low, high, queries) = named, row
    return Comparison(
        first=first,
        second=second,
        measure=measure,
        label=label,
        difference=difference,
        low=low,
        high=high,
        p=p,
        adjusted=adjusted,
        queries=queries,
        better=_shown_better(first, second, difference, adjusted, lower_is_better, level),
    )


def correct_comparison(pair: Comparison, adjusted: float, lower_is_better: bool, level: float) -> Comparison:
    """The comparison with its p-value corrected, and who is shown to be better by it."""
    better = _shown_better(pair.first, pair.second, pair.difference, adjusted, lower_is_better, level)
    return replace(pair, adjusted=adjusted, better=better)


def _shown_better(
    first: str, second: str, difference: float, adjusted: float, lower_is_better: bool, level: float
) -> str:
    """The better system where the corrected p-value shows one; difference is second minus first."""
    ahead = second if (difference > 0) != lower_is_better else first
    return ahead if adjusted <= 1 - level and difference != 0 else ""
