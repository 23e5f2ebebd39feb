"""One measure of the systems of a graph as a table, for graphs that show what a test says."""

from __future__ import annotations

import numpy as np

from rankscope.errors import SettingError
from rankscope.measures.notation import parse_measures
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.score_table import ScoreTable


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
    return ScoreTable(measure, names, tuple(queries), values, None, chosen[0].lower_is_better)
