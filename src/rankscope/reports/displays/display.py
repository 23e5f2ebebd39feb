"""What a result shows of itself: a sentence, a table of which only the ends are seen, and what must be said with it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape

from rankscope.names import one_line
from rankscope.number_texts import how_many
from rankscope.reports.displays.long_table import LongTable
from rankscope.reports.formats.grid import Cell, Grid

LINES = 10
WIDTH = 120
LONGEST_CELL = 44
FEW_COLUMNS, LONG_CELL = 3, 88  # where there are few columns, cells may be longer
TITLE_LINES = 2
NOTES = 2  # at a prompt
SCREEN_ROWS = 14
SCREEN_COLUMNS = 12
SCREEN_NOTES = 4
LONGEST_NOTE = 320
FRAME = "max-height:660px;overflow:auto;font-size:13px;line-height:1.45"
RULE = "1px solid rgba(128,128,128,.45)"


@dataclass(frozen=True)
class Display:
    """What stands first, the table, what stands below it; `more` is where all of it is to be had."""

    title: str
    table: LongTable | None = None
    notes: tuple[str, ...] = ()
    more: str = ""

    def text(self) -> str:
        """At most ten lines of at most 120 signs."""
        title = wrapped(self.title, WIDTH, TITLE_LINES)
        below = [f"! {line}" for line in self._notes(NOTES, WIDTH - 2)]
        return "\n".join([*title, *self._text_rows(LINES - len(title) - len(below)), *below])

    def html(self) -> str:
        """A table that takes its colours from the page around it, and is not higher than a screen."""
        title = f'<div style="font-weight:600;margin:0 0 4px">{_shown(self.title, 2 * LONGEST_NOTE)}</div>'
        notes = "".join(f"<div>{_shown(line, LONGEST_NOTE)}</div>" for line in self._notes(SCREEN_NOTES, LONGEST_NOTE))
        below = f'<div style="margin:4px 0 0;opacity:.8">{notes}</div>' if notes else ""
        return f'<div style="{FRAME}">{title}{self._html_rows()}{below}</div>'

    def _notes(self, most: int, width: int) -> list[str]:
        """The first ones; what is left out is counted."""
        if len(self.notes) <= most:
            return [shortened(line, width) for line in self.notes]
        hint = f": see {self.more}" if self.more else ""
        left = f"{len(self.notes) - most + 1} more notes{hint}"
        return [*(shortened(line, width) for line in self.notes[: most - 1]), left]

    def _text_rows(self, room: int) -> list[str]:
        if self.table is None or not self.table.count:
            return []
        most = room - 1 if self.table.count < room else room - 2
        left = self.table.left_out(most)
        lines = text_lines(self.table.ends(most))
        half = 1 + (most + 1) // 2
        return (
            [*lines[:half], f"... {how_many(left, 'row is', 'rows are')} left out ...", *lines[half:]]
            if left
            else lines
        )

    def _html_rows(self) -> str:
        if self.table is None or not self.table.count:
            return ""
        left = self.table.left_out(SCREEN_ROWS)
        grid = narrowed(self.table.ends(SCREEN_ROWS), SCREEN_COLUMNS)
        numeric = _numeric(grid)
        rows = [_html_row([(cell.text, cell.best) for cell in row], numeric) for row in grid.rows]
        if left:
            style = f"padding:2px 8px;text-align:center;opacity:.7;border-bottom:{RULE}"
            told = how_many(left, "row is", "rows are")
            gap = f'<tr><td colspan="{len(grid.header)}" style="{style}">{told} left out</td></tr>'
            rows.insert((SCREEN_ROWS + 1) // 2, gap)
        head = _html_row([(name, False) for name in grid.header], numeric, "th")
        return f'<table style="border-collapse:collapse;margin:0">{head}{"".join(rows)}</table>'


def text_lines(grid: Grid) -> list[str]:
    """Columns side by side, as many as a line holds; the last one says how many are left out."""
    for columns in range(len(grid.header), 0, -1):
        part = narrowed(grid, columns)
        lines = _aligned(part)
        if max(map(len, lines)) <= WIDTH:
            return lines
    return [shortened(line, WIDTH) for line in _aligned(narrowed(grid, 1))]


def narrowed(grid: Grid, columns: int) -> Grid:
    """The first columns, and one that says how many more there are.

    >>> narrowed(Grid(("a", "b", "c"), ()), 1).header
    ('a', '+2 columns')
    """
    left = len(grid.header) - columns
    if left <= 0:
        return grid
    told = f"+{left} columns" if left > 1 else "+1 column"
    return Grid((*grid.header[:columns], told), tuple((*row[:columns], Cell("", False)) for row in grid.rows))


def shortened(text: str, most: int) -> str:
    """A text in one line, cut where it is longer: behind a word, if the last one is not very long.

    >>> shortened("a long name", 8), shortened("short", 8), shortened("bm25_with_all_its_options", 12)
    ('a lon...', 'short', 'bm25_with...')
    """
    line = one_line(text.replace("\n", " "))
    if len(line) <= most:
        return line
    words = line[: most - 2].rpartition(" ")[0]
    return f"{(words if 2 * len(words) > most else line[: most - 3]).rstrip()}..."


def wrapped(text: str, width: int, most: int) -> list[str]:
    """A text in at most so many lines, cut behind them.

    >>> wrapped("one two three four", 8, 2)
    ['one two', 'three...']
    """
    lines = textwrap.wrap(one_line(text.replace("\n", " ")), width)
    rest = " ".join(lines[most - 1 :])
    return [*lines[: most - 1], shortened(rest, width)] if len(lines) > most else lines


def longest_cell(columns: int) -> int:
    """How long a cell may be among so many columns."""
    return LONG_CELL if columns <= FEW_COLUMNS else LONGEST_CELL


def _aligned(grid: Grid) -> list[str]:
    """The header and the rows, numbers to the right."""
    texts = [grid.header, *(tuple(cell.text for cell in row) for row in grid.rows)]
    short = [[shortened(text, longest_cell(len(row))) for text in row] for row in texts]
    widths = [max(map(len, column)) for column in zip(*short, strict=True)]
    numeric = _numeric(grid)
    return [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in short
    ]


def _numeric(grid: Grid) -> list[bool]:
    return [bool(grid.rows) and all(row[place].number for row in grid.rows) for place in range(len(grid.header))]


def _html_row(cells: list[tuple[str, bool]], numeric: list[bool], tag: str = "td") -> str:
    style = f"padding:2px 8px;white-space:nowrap;border-bottom:{RULE};"
    sides = [f"text-align:{'right' if right else 'left'}" for right in numeric]
    texts = [_shown(text, longest_cell(len(cells))) for text, _ in cells]
    strong = [f"<b>{text}</b>" if best else text for text, (_, best) in zip(texts, cells, strict=True)]
    return "".join(
        ["<tr>"]
        + [f'<{tag} style="{style}{side}">{text}</{tag}>' for side, text in zip(sides, strong, strict=True)]
        + ["</tr>"]
    )


def _shown(text: str, most: int) -> str:
    return escape(shortened(text, most))
