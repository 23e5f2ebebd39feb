"""What the script of a report knows: systems with their places and verdicts, and each query with its values."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.evaluation.scores import SystemScores
from rankscope.reports.formats.grid import numeric_columns
from rankscope.reports.page.contents import Report
from rankscope.reports.page.figures import FIRST, MOST_CURVES

if TYPE_CHECKING:
    from rankscope.statistics.verdicts.compared import Compared

PLACES, FEWER, MANY = 6, 4, 300_000  # digits of a value; fewer where there are so many values that pages grow
STATUS = ("not in it", "answered", "missing", "no relevant", "not judged")


def natural_key(text: str) -> list[tuple[int, int | str]]:
    """Sorts numbers inside words as numbers.

    >>> sorted(["q10", "q9", "q1b", "q1"], key=natural_key)
    ['q1', 'q1b', 'q9', 'q10']
    """
    parts = re.findall(r"\d+|\D+", text)
    return [(0, int(part)) if part.isdecimal() and part.isascii() else (1, part) for part in parts]


def system_data(report: Report) -> dict[str, Any]:
    """Names, places, values as printed, and which pairs differ; `baseline` is what the first system is called."""
    board = report.board
    order = [row.number for row in board.rows] if board else list(range(len(report.systems)))
    return {
        "names": list(report.systems),
        "order": order,
        "values": [cell.text for cell in board.primary.cells] if board else [],
        "measure": board.primary.title if board else "",
        "different": _different(report.systems, report.compared),
        "baseline": report.reference,
        "queries": max((len(system.ranks) for system in report.scores.systems), default=0),
        "first": FIRST,
        "most": MOST_CURVES,
    }


def _different(names: tuple[str, ...], compared: Compared | None) -> list[str]:
    """A row of 0 and 1 for each system: from which others the primary measure distinguishes it."""
    if compared is None:
        return []
    place = {name: number for number, name in enumerate(compared.systems)}
    table = np.zeros((len(place), len(place)), dtype=np.int64)
    for pair in compared.main.pairs:
        one, other = place[pair.first], place[pair.second]
        table[one, other] = table[other, one] = bool(pair.better)
    own = [place[compared.stands_for(name)] for name in names]
    return ["".join(map(str, row)) for row in table[np.ix_(own, own)].tolist()]


def query_data(report: Report) -> dict[str, Any]:
    """Everything the list of queries shows, as columns; values as whole multiples of 1 / `unit`, or null."""
    systems = report.scores.systems
    names = sorted(
        {query for system in systems for query in (*system.ranks.queries, *system.ranks.not_judged)}, key=natural_key
    )
    place = {query: row for row, query in enumerate(names)}
    relevant, classes = _facts(systems, place)
    labels = sorted({each for each in classes if each}, key=natural_key)
    code = {label: number for number, label in enumerate(labels)}
    columns = numeric_columns(systems[0]) if systems else []
    places = PLACES if len(names) * len(systems) * len(columns) <= MANY else FEWER
    return {
        "queries": names,
        "measures": [
            {"name": column.asked, "lower": column.measure.lower_is_better, "whole": column.measure.counts}
            for column in columns
        ],
        "main": _main(report),
        "rel": float(report.scores.settings.rel),
        "top": _top_grade(report),
        "open": "not listed" if any(each.coverage.only_relevant for each in report.scores.systems) else "not judged",
        "relevant": relevant,
        "classes": labels,
        "class": [code.get(each or "", -1) for each in classes],
        "status": [_status(system, place) for system in systems],
        "unit": 10**places,
        "values": [
            [_placed(values.tolist(), system, place, places) for values in (c.values for c in numeric_columns(system))]
            for system in systems
        ],
        **report.found.data(names, report.systems),
    }


def _main(report: Report) -> int:
    """The number of the measure that decides."""
    main = report.estimates.main
    return next((number for number, row in enumerate(report.estimates.rows) if row is main), 0)


def _top_grade(report: Report) -> float:
    """The highest grade that any item was judged with."""
    return max((system.ranks.top_grade for system in report.scores.systems), default=1.0)


def _facts(systems: tuple[SystemScores, ...], place: dict[str, int]) -> tuple[list[int | None], list[str | None]]:
    """How many relevant items each query has, and its class."""
    relevant: list[int | None] = [None] * len(place)
    classes: list[str | None] = [None] * len(place)
    for system in systems:
        count = system.ranks.relevant.tolist()
        for row, query in enumerate(system.ranks.queries):
            relevant[place[query]] = count[row]
            if system.ranks.classes is not None:
                classes[place[query]] = system.ranks.classes[row]
    return relevant, classes


def _status(system: SystemScores, place: dict[str, int]) -> str:
    """One digit per query."""
    codes = ["0"] * len(place)
    for query, status in zip(system.ranks.queries, system.status, strict=True):
        codes[place[query]] = str(STATUS.index(status))
    for query in system.ranks.not_judged:
        codes[place[query]] = str(STATUS.index("not judged"))
    return "".join(codes)


def _placed(values: list[float], system: SystemScores, place: dict[str, int], places: int) -> list[int | None]:
    placed: list[int | None] = [None] * len(place)
    for query, value in zip(system.ranks.queries, values, strict=True):
        placed[place[query]] = round(value * 10**places) if math.isfinite(value) else None
    return placed
