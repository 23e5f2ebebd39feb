"""Several things at once: rows, and results under names."""

from __future__ import annotations

from typing import Any

from rankscope.displayed import Displayed, ShownByName, ShownRows
from rankscope.number_texts import how_many
from rankscope.reports.displays.display import Display, shortened
from rankscope.reports.displays.long_table import LongTable
from rankscope.reports.displays.presentation import Presentation
from rankscope.reports.formats.grid import Cell

LONGEST = 90


def _rows(rows: ShownRows) -> Display:
    return Display(how_many(len(rows), "row", "rows"), LongTable.of_rows(rows))


def _by_name(results: ShownByName[Any]) -> Display:
    names = list(results)

    def row(number: int) -> list[Cell]:
        return [Cell(names[number], number=False), Cell(_line(results[names[number]]), number=False)]

    return Display(how_many(len(names), "result", "results"), LongTable(("name", "result"), len(names), row))


def _line(result: object) -> str:
    """The first line of what a result shows of itself."""
    if not isinstance(result, Displayed):
        return shortened(repr(result), LONGEST)
    from rankscope.reports.displays import display_of

    return shortened(display_of(result).title, LONGEST)


ROWS = Presentation(_rows, list)
BY_NAME = Presentation(_by_name)
