"""Marks behind the numbers of a table for a paper: what the tests show, by the verdict that the text gives.

Letters are groups: two systems that share a letter do not differ significantly. Daggers compare with the baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rankscope.number_texts import percent_text
from rankscope.reports.formats.grid import Grid
from rankscope.statistics.pairs.trust import DECIDING
from rankscope.validation import OneOf, check

if TYPE_CHECKING:
    from rankscope.statistics.verdicts.compared import Compared, MeasureCompared

WAYS = ("auto", "letters", "daggers", "none")
BETTER, WORSE = "†", "‡"
MOST_LETTERS = 16  # more cannot be read
LONGEST = 6  # letters behind one number


@dataclass(frozen=True)
class PaperMarks:
    """The marks of each system by each measure, and what they mean."""

    marks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    note: str = ""

    def on(self, grid: Grid) -> Grid:
        """The grid with marks; its columns are measures, its first column systems."""
        rows = tuple(
            tuple(
                replace(cell, marks=self.marks.get((row[0].text, name), ""))
                for cell, name in zip(row, grid.header, strict=True)
            )
            for row in grid.rows
        )
        return replace(grid, rows=rows)


def marks_of(compared: Compared | None, way: str = "auto") -> PaperMarks:
    """Letters where every pair of three systems or more was compared and they can be read; daggers otherwise."""
    way = check({"marks": way}, marks=OneOf(WAYS))["marks"]
    if compared is None or way == "none":
        return PaperMarks()
    lettered = way == "letters" or (way == "auto" and all(map(_readable, compared.measures)))
    if lettered and all(one.ranks is not None for one in compared.measures) and len(compared.systems) > 2:
        return PaperMarks(_by_measure(compared, _letters), _letter_note(compared))
    return PaperMarks(_by_measure(compared, _daggers), _dagger_note(compared))


def _by_measure(compared: Compared, marks: Callable[[MeasureCompared], dict[str, str]]) -> dict[tuple[str, str], str]:
    """The marks of every measure; a system that equals another has the marks of that one."""
    names = {name: name for name in compared.systems} | dict(compared.same)
    found = {one.measure: marks(one) for one in compared.measures}
    return {
        (name, measure): each[other]
        for measure, each in found.items()
        for name, other in names.items()
        if other in each
    }


def _readable(one: MeasureCompared) -> bool:
    letters = one.ranks.letters if one.ranks is not None else ()
    return len(set("".join(letters))) <= MOST_LETTERS and max(map(len, letters), default=0) <= LONGEST


def _letters(one: MeasureCompared) -> dict[str, str]:
    return dict(zip(one.ranks.systems, one.ranks.letters, strict=True)) if one.ranks is not None else {}


def _daggers(one: MeasureCompared) -> dict[str, str]:
    """Of each system but the baseline, which is the first."""
    first = one.table.systems[0]
    shown = [pair for pair in one.pairs if first in (pair.first, pair.second) and pair.better]
    others = [pair.second if pair.first == first else pair.first for pair in shown]
    return {name: BETTER if pair.better == name else WORSE for name, pair in zip(others, shown, strict=True)}


def _letter_note(compared: Compared) -> str:
    return f"No significant difference between systems that share a letter, by that measure: {_how(compared)}."


def _dagger_note(compared: Compared) -> str:
    return f"{BETTER} better and {WORSE} worse than {compared.systems[0]}: {_how(compared)}."


def _how(compared: Compared) -> str:
    return f"{DECIDING} test at {percent_text(compared.level)}; {str(compared.families).replace(chr(10), '; ')}"
