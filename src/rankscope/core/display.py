"""Results that show themselves: ten lines at a prompt, a small table in a notebook, and tables for pages and papers."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from rankscope.core.caching import import_extra
from rankscope.core.names import one_line, visible
from rankscope.core.rendering import (
    Cell,
    Grid,
    HeadedTable,
    Presentation,
    Rows,
    as_json,
    cell_of,
    grid_markdown,
    rows_csv,
)
from rankscope.core.wording import how_many, plain_scalar

Value = TypeVar("Value")


class Displayed:
    """Whatever is not longer than ten lines at a prompt, and than a screen in a notebook, however large it is."""

    __slots__ = ()

    def display(self) -> Display:
        """What it shows of itself."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.display().text()

    def _repr_html_(self) -> str:
        return self.display().html()


def _shown_whole(result: Displayed) -> Presentation:
    """All of what a result shows of itself."""
    display = result.display()
    tables = [] if display.table is None else [HeadedTable("", display.table.whole())]
    return Presentation([display.title], tables, notes=display.notes)


def _rows_alone(result: Tabular) -> dict[str, Any]:
    return {"rows": list(result.records())}


class Tabular(Displayed):
    """A result that is a table in the first place."""

    __slots__ = ()

    presentation: Callable[..., Presentation] = (
        _shown_whole  # all that it says: sentences, tables, what follows from them, notes
    )
    record: Callable[..., dict[str, Any]] = _rows_alone  # all of it as one object, for programs

    def render(self, format: str = "table", **options: Any) -> str:
        """The whole in one format: a table as text, markdown, json or csv."""
        if format == "json":
            return as_json(self.record())
        if format == "csv":
            return rows_csv(self.csv_rows())
        said = self.presentation(**options)
        return said.markdown() if format == "markdown" else said.text()

    def csv_rows(self) -> Rows:
        """Rows for a file: those of the frame, unless a file holds more."""
        return self.records()

    def records(self) -> Rows:
        """Its table for programs: plain numbers under short names."""
        result: Any = self
        rows: Rows = result.rows()
        return rows

    def to_polars(self) -> Any:
        """The table as a polars frame, with all digits."""
        import polars as pl

        rows = list(self.records())
        return pl.DataFrame(rows, infer_schema_length=None, nan_to_null=True) if rows else pl.DataFrame()

    def to_pandas(self) -> Any:
        """The same as a pandas frame."""
        return import_extra("pandas", "pandas", "pandas").DataFrame(self.to_polars().to_dict(as_series=False))

    def to_markdown(self) -> str:
        """The table for a page or a pull request, with what must be said of it."""
        return self.display().markdown()

    def to_latex(self) -> str:
        r"""The table for a paper, to \input; what must be said of it stands above as comments."""
        return self.display().latex()


class ShownRows(list[dict[str, object]], Tabular):
    """A list of rows, each a dictionary, that shows its first and last ones.

    >>> ShownRows({"query": f"q{n}", "rank": n} for n in range(1, 101))
    100 rows
    query  rank
    q1        1
    q2        2
    q3        3
    q4        4
    ... 93 rows are left out ...
    q98      98
    q99      99
    q100    100
    """

    __slots__ = ()
    __repr__ = Displayed.__repr__

    def records(self) -> Rows:
        return self

    def display(self) -> Display:
        return Display.of([how_many(len(self), "row", "rows")], self)


class ShownByName(dict[str, Value], Displayed):
    """A dictionary from names to results that shows a line of each."""

    __slots__ = ()
    __repr__ = Displayed.__repr__

    def display(self) -> Display:
        names = list(self)

        def row(number: int) -> list[Cell]:
            return [Cell(names[number], number=False), Cell(_first_line(self[names[number]]), number=False)]

        return Display(how_many(len(names), "result", "results"), LongTable(("name", "result"), len(names), row))


def _first_line(result: object) -> str:
    """The first line of what a result shows of itself."""
    return shortened(result.display().title if isinstance(result, Displayed) else repr(result), LONGEST_LINE)


# What a result shows of itself: a sentence, a table of which only the ends are seen, and what must be said with it.

LINES = 10
LONGEST_LINE = 90  # of a result among others
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

    @classmethod
    def of(cls, words: Sequence[str], table: Rows | Grid | None = None, more: str = "", places: int = 4) -> Display:
        """Words and a table: the first sentence is the title, the others are notes."""
        shown = None if table is None else LongTable.of(table, places)
        return cls(words[0], shown, tuple(words[1:]), more)

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

    def markdown(self) -> str:
        """The whole table, below the sentence and above the notes."""
        table = [] if self.table is None else [grid_markdown(self.table.whole())]
        notes = ["".join(f"- {line}\n" for line in self.notes)] if self.notes else []
        return visible("\n".join([f"**{self.title}**\n", *table, *notes]))

    def latex(self) -> str:
        r"""The whole table to \input, below sentence and notes as comments."""
        from rankscope.core.latex import latex_comments, latex_table

        table = "" if self.table is None else latex_table(self.table.whole())
        return latex_comments([self.title, *self.notes]) + table

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
        gap = [f"... {how_many(left, 'row is', 'rows are')} left out ..."] if left else []
        return [*lines[:half], *gap, *lines[half:]]

    def _html_rows(self) -> str:
        if self.table is None or not self.table.count:
            return ""
        left = self.table.left_out(SCREEN_ROWS)
        grid = narrowed(self.table.ends(SCREEN_ROWS), SCREEN_COLUMNS)
        numeric = grid.numeric
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
    return [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, grid.numeric, strict=True)
        ).rstrip()
        for row in short
    ]


def _html_row(cells: list[tuple[str, bool]], numeric: list[bool], tag: str = "td") -> str:
    style = f"padding:2px 8px;white-space:nowrap;border-bottom:{RULE};"
    sides = [f"text-align:{'right' if right else 'left'}" for right in numeric]
    texts = [_shown(text, longest_cell(len(cells))) for text, _ in cells]
    strong = [f"<b>{text}</b>" if best else text for text, (_, best) in zip(texts, cells, strict=True)]
    inside = [f'<{tag} style="{style}{side}">{text}</{tag}>' for side, text in zip(sides, strong, strict=True)]
    return f"<tr>{''.join(inside)}</tr>"


def _shown(text: str, most: int) -> str:
    from html import escape  # importing it takes long

    return escape(shortened(text, most))


# A table of which only the first and the last rows are ever made, however many there are.


@dataclass(frozen=True)
class LongTable:
    """A header, how many rows there are, and what gives one of them.

    >>> table = LongTable(("n",), 1_000_000, lambda row: (Cell(str(row)),))
    >>> [cell.text for row in table.ends(4).rows for cell in row], table.left_out(4)
    (['0', '1', '999998', '999999'], 999996)
    """

    header: tuple[str, ...]
    count: int
    row: Callable[[int], Sequence[Cell]]

    @classmethod
    def of(cls, table: Rows | Grid, places: int = 4) -> LongTable:
        """Cells that are made, or rows."""
        return cls.of_grid(table) if isinstance(table, Grid) else cls.of_rows(table, places)

    @classmethod
    def of_grid(cls, grid: Grid) -> LongTable:
        """All rows that are there."""
        return cls(grid.header, len(grid.rows), lambda row: grid.rows[row])

    @classmethod
    def of_rows(cls, rows: Rows, places: int = 4) -> LongTable:
        """Rows as dictionaries; only those that are shown become cells."""
        header = tuple(dict.fromkeys(name for row in rows for name in row))
        return cls(header, len(rows), lambda row: [cell_of(name, rows[row].get(name), places) for name in header])

    @classmethod
    def of_frame(cls, frame: Any) -> LongTable:
        """Rows of a polars frame, made when they are shown."""

        def row(number: int) -> list[Cell]:
            texts = [(each, f"{each:g}" if isinstance(each, float) else str(each)) for each in frame.row(number)]
            return [Cell(text, number=not isinstance(each, str)) for each, text in texts]

        return cls(tuple(frame.columns), frame.height, row)

    @classmethod
    def of_columns(cls, columns: Mapping[str, Sequence[object]], places: int = 4) -> LongTable:
        """Columns of one length by their names; arrays give their values one by one."""
        count = min(map(len, columns.values()), default=0)

        def row(number: int) -> list[Cell]:
            return [cell_of(name, plain_scalar(column[number]), places) for name, column in columns.items()]

        return cls(tuple(columns), count, row)

    def ends(self, most: int) -> Grid:
        """All rows, or where there are more than so many the first and the last ones."""
        head = self.count if self.count <= most else (most + 1) // 2
        tail = 0 if self.count <= most else most - head
        shown = [*range(head), *range(self.count - tail, self.count)]
        return Grid(self.header, tuple(tuple(self.row(number)) for number in shown))

    def left_out(self, most: int) -> int:
        """How many rows are left out where so many are shown."""
        return max(0, self.count - most)

    def whole(self) -> Grid:
        return self.ends(self.count)
