"""Classes of queries as a table: on which kind of query is each system good?"""

from __future__ import annotations

import numpy as np

from rankscope.errors import SettingError
from rankscope.evaluation.scores import Scores
from rankscope.statistics.table.score_table import MOST_CLASSES, ScoreTable

CLASS_NOTE = "95 % intervals: t, of the queries of one class each."


def class_rows(scores: Scores) -> list[dict[str, object]]:
    """One row per class: how many queries, and for each system the mean of the first measure with its t interval.

    None where queries have no classes, or more than can be read.
    """
    try:
        table = ScoreTable.of(scores)
        names = table.class_names
    except SettingError:
        return []
    if not 1 < len(names) <= MOST_CLASSES:
        return []
    return [_row(table.where(label), label) for label in names]


def _row(table: ScoreTable, label: str) -> dict[str, object]:
    row: dict[str, object] = {"class": label, "queries": len(table)}
    for number, system in enumerate(table.systems):
        row[f"{table.measure} of {system}"] = _with_interval(table.values[:, number])
    return row


def _with_interval(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    from scipy.special import stdtrit

    known = values[~np.isnan(values)]
    if known.size == 0:
        return "-"
    mean = float(known.mean())
    if known.size == 1:
        return f"{mean:.4f}"
    half = float(stdtrit(known.size - 1, 0.975)) * float(known.std(ddof=1)) / known.size**0.5
    return f"{mean:.4f} [{mean - half:.4f}, {mean + half:.4f}]"
