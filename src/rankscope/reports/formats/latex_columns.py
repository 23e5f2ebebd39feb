"""The columns of a table for a paper: how wide each is set in points, and how its cells are written.

Numbers stand in dcolumn's columns, aligned by their points; what stands behind a number, an interval, has a column of
its own. dcolumn reserves room by whole digits before and after the point, and the marks behind a number need room too.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

from rankscope.reports.formats.grid import Cell
from rankscope.reports.formats.latex_signs import BOLD_DIGIT, breakable, escape_latex, text_width

NUMBER = re.compile(r"([<>+\u2212-]?)([\d,]*)(?:\.(\d+))?(.*)", re.DOTALL)
SCRIPT = {10: 7, 9: 6, 8: 6, 7: 5}  # the size of superscripts
GAP = 1 / 6  # between a number and its interval, in parts of the size
MARKS = {"†": r"\dagger", "‡": r"\ddagger"}
UNDEFINED = "-"


@dataclass(frozen=True)
class _Number:
    """A number in its parts, without a zero before the point."""

    sign: str
    whole: str
    decimals: str
    rest: str

    @classmethod
    def of(cls, text: str) -> _Number | None:
        """The parts of a text; None where it is not a number."""
        found = NUMBER.fullmatch(text)
        if found is None or not (found[2] or found[3]):
            return None
        whole = "" if found[2] == "0" and found[3] else found[2]
        rest = re.sub(r"(?<![\d.])0\.", ".", found[4].strip())
        return cls(found[1].replace("-", "\u2212"), whole, found[3] or "", rest)


@dataclass(frozen=True)
class LatexColumn:
    """A heading and the cells below it."""

    heading: str
    cells: tuple[Cell, ...]

    @cached_property
    def numbers(self) -> tuple[_Number | None, ...]:
        """The cells as numbers."""
        return tuple(_Number.of(cell.text) for cell in self.cells)

    @cached_property
    def numeric(self) -> bool:
        """Whether all cells are numbers, but for those that are undefined."""
        known = [each for cell, each in zip(self.cells, self.numbers, strict=True) if cell.text != UNDEFINED]
        return bool(known) and None not in known and all(cell.number for cell in self.cells)

    @cached_property
    def has_rest(self) -> bool:
        """Whether something stands behind the numbers."""
        return self.numeric and any(each is not None and each.rest for each in self.numbers)

    def lines(self, stacked: bool) -> tuple[str, ...]:
        """The heading on one line, or before its scope and its parameters on lines of their own.

        >>> LatexColumn("nDCG(gain=exp)@10", ()).lines(stacked=True)
        ('nDCG', '(gain=exp)', '@10')
        """
        return tuple(filter(None, re.split(r"(?=[(@])|(?<=[\w)]) ", self.heading))) if stacked else (self.heading,)

    def width(self, size: float, stacked: bool) -> float:
        """In points, as wide as the widest of its cells or the heading."""
        heading = max((text_width(line, size) for line in self.lines(stacked)), default=0.0)
        return max(heading, self._body(size))

    def _body(self, size: float) -> float:
        if not self.numeric:
            return max((text_width(cell.text, size, cell.best) for cell in self.cells), default=0.0)
        left, right = self.digits(size)
        number = (left + right) * text_width("0", size) + text_width(".", size)
        return number + self._rest(size)

    def _rest(self, size: float) -> float:
        rests = [text_width(each.rest, size) for each in self.numbers if each is not None and each.rest]
        return max(rests) + GAP * size if rests else 0.0

    def digits(self, size: float) -> tuple[int, int]:
        """Room before and after the point in digits, for the widest number with its marks."""
        digit, left, right = text_width("0", size), 0.0, 0.0
        for cell, number in zip(self.cells, self.numbers, strict=True):
            if number is None:
                continue
            bold = BOLD_DIGIT if cell.best else 1.0
            left = max(left, text_width(number.sign + number.whole, size) * bold)
            right = max(right, text_width(number.decimals, size) * bold + marks_width(cell.marks, size))
        return math.ceil(left / digit - 1e-9), math.ceil(right / digit - 1e-9)

    def shape(self, size: float, wrapped: float | None) -> str:
        """What stands for the column at the beginning of the tabular."""
        if self.numeric:
            left, right = self.digits(size)
            return f"D{{.}}{{.}}{{{left}.{right}}}" + (r"@{\,}l" if self.has_rest else "")
        return "l" if wrapped is None else rf">{{\raggedright\arraybackslash}}p{{{wrapped:.1f}pt}}"

    def cell(self, row: int, wrapped: float | None, size: float) -> str:
        """A cell as LaTeX, with the one behind it where the column has two."""
        cell, number = self.cells[row], self.numbers[row]
        if not self.numeric:
            text = escape_latex(cell.text) if wrapped is None else breakable(cell.text, wrapped, size)
            return rf"\textbf{{{text}}}" if cell.best else text
        if number is None:
            return r"\multicolumn{1}{c}{--}" + (" &" if self.has_rest else "")
        return _decimal(number, cell) + (f" & {escape_latex(number.rest)}".rstrip() if self.has_rest else "")


def _decimal(number: _Number, cell: Cell) -> str:
    """A number of dcolumn; bold on both sides of the point, which dcolumn sets by itself."""
    sign = {"\u2212": "-", "<": "{<}", ">": "{>}", "+": "+"}.get(number.sign, "")
    parts = [number.whole.replace(",", "{,}"), number.decimals]
    if cell.best:
        parts = [rf"\mathbf{{{part}}}" if part else "" for part in parts]
    point = "." if number.decimals else ""
    return sign + parts[0] + point + parts[1] + marks_latex(cell.marks)


def marks_latex(marks: str) -> str:
    r"""Marks behind a number, raised.

    >>> print(marks_latex("ab"), marks_latex("†"), marks_latex("ab†"))
    ^{\mathrm{ab}} ^{\dagger} ^{\mathrm{ab}\dagger}
    """
    if not marks:
        return ""
    letters = "".join(sign for sign in marks if sign not in MARKS)
    upright = rf"\mathrm{{{letters}}}" if letters else ""
    return f"^{{{upright}{''.join(MARKS.get(sign, '') for sign in marks)}}}"


def marks_width(marks: str, size: float) -> float:
    """Marks are set smaller, with half a point behind them."""
    return text_width(marks, SCRIPT[round(size)]) + 0.5 if marks else 0.0
