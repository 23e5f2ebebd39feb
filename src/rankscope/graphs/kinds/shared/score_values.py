"""One measure of the systems of a graph as a table, for graphs that show what a test says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np

from rankscope.errors import SettingError
from rankscope.graphs.option import Option
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.table.units import drawn_by_class, units_of

if TYPE_CHECKING:
    from rankscope.statistics.verdicts.compared import Compared

MeasureOption: TypeAlias = Annotated[str, Option("the measure", "-m --measure", deciding=True)]
LevelOption: TypeAlias = Annotated[
    float, Option("level of confidence of bands and intervals", metavar="SHARE", above=0, below=1)
]


def score_values(systems: list[RelevantRanks], measure: str, what: str) -> ScoreTable:
    """A row for each query that any system has; NaN where one does not have it. The names must differ."""
    chosen = parse_measures([measure], systems[0].rel)
    if len(chosen) != 1:
        raise SettingError(f"{what} shows one measure, got {measure}")
    queries = sorted({query for each in systems for query in each.queries}, key=str.encode)
    row = {query: number for number, query in enumerate(queries)}
    values = np.full((len(queries), len(systems)), np.nan)
    for number, each in enumerate(systems):
        values[[row[query] for query in each.queries], number] = chosen[0].bind(each).of(each)
    names = tuple(each.system for each in systems)
    return ScoreTable(
        measure=measure,
        systems=names,
        queries=tuple(queries),
        values=values,
        classes=_classes(systems, row),
        lower_is_better=chosen[0].lower_is_better,
        bounds=chosen[0].bounds(),
    )


def _classes(systems: list[RelevantRanks], row: dict[str, int]) -> tuple[str, ...] | None:
    labels = [""] * len(row)
    for each in systems:
        if each.classes is None:
            return None
        for query, label in zip(each.queries, each.classes, strict=True):
            labels[row[query]] = label
    return tuple(labels)


def compared_values(
    systems: list[RelevantRanks], measure: str, what: str, level: float = 0.95, seed: int = 0
) -> Compared:
    """The verdict on one measure, as every command gives it."""
    from rankscope.statistics.verdicts.compare import compare

    return compare([score_values(systems, measure, what)], by_unit=drawn_by_class(systems), level=level, seed=seed)


def unit_table(systems: list[RelevantRanks], measure: str, what: str) -> tuple[ScoreTable, str]:
    """What intervals of means and differences rest on, for the queries that all systems have, and what its rows are."""
    by_class = drawn_by_class(systems)
    whole = score_values(systems, measure, what).complete()
    if not len(whole):
        raise SettingError(f"{' and '.join(whole.systems)} share no query with a value")
    return units_of(whole, by_class), "classes" if by_class else "queries"
