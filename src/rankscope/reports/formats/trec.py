"""Exactly trec_eval's lines, so that `diff` shows agreement: name padded to 22, tab, query, tab, value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankscope.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankscope.evaluation.scores import Column, Scores, SystemScores
    from rankscope.settings import Settings


def render(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """Queries in byte order, the summary last; with several systems one after the other. Grades must be whole."""
    for system in scores.systems:
        if bool((system.ranks.levels["grade"] % 1 != 0).any()):
            raise SettingError(
                "trec_eval knows whole grades only, and these judgements have fractions: choose another format"
            )
    lines = [line for system in scores.systems for line in _lines(system, per_query, scores.settings)]
    return "".join(f"{line}\n" for line in lines)


def _lines(system: SystemScores, per_query: bool, settings: Settings) -> Iterator[str]:
    if per_query:
        columns = _of_queries(system)
        for row, query in enumerate(system.ranks.queries):
            if _listed(system, row, settings):
                yield from (_line(column, query, text) for column in columns if (text := _value(column, row)))
    for column in system.columns:
        text = column.word if column.word is not None else None if column.words is not None else _number(column)
        if text is not None:
            yield _line(column, "all", text)


def _of_queries(system: SystemScores) -> list[Column]:
    """The columns that have a line for each query: not what trec_eval tells of all queries alone."""
    from rankscope.measures.counts import NumQ

    def of_all(column: Column) -> bool:
        return column.word is not None or column.measure.summary == "geometric" or isinstance(column.measure, NumQ)

    return [column for column in system.columns if column.words is not None or not of_all(column)]


def _listed(system: SystemScores, row: int, settings: Settings) -> bool:
    """Release 9 and pytrec_eval leave queries out that the run does not answer, though 9 counts them in the mean."""
    return bool(system.ranks.answered[row]) or settings.compat not in ("trec_eval-9", "pytrec_eval", "beir")


def _line(column: Column, query: str, text: str) -> str:
    return f"{column.measure.trec_name() or column.asked:<22}\t{query}\t{text}"


def _value(column: Column, row: int) -> str | None:
    if column.words is not None:
        return f"'{column.words[row]}'"
    value = float(column.values[row])
    if math.isnan(value) and not column.counted[row]:
        return None
    return _text(value, column.measure.counts)


def _number(column: Column) -> str:
    return _text(column.summary, column.measure.counts)


def _text(value: float, counts: bool) -> str:
    """As C prints it; NaN as glibc prints 0/0. A count that is a mean over orders need not be whole."""
    if math.isnan(value):
        return "  -nan"
    return str(int(value)) if counts and value == int(value) else f"{value:6.4f}"
