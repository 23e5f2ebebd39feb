"""What a result shows of itself: a sentence, a table of which only the ends are seen, and what must be said with it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rankscope.core.catalogue import Later, later
from rankscope.core.names import one_line, visible
from rankscope.core.wording import how_many, plain_scalar
from rankscope.reports.tables import Cell, Grid, Rows, cell_of, grid_markdown

# What results show of themselves, by the names of their classes; loaded when the first of a kind is shown.

PRESENTATIONS: dict[str, Later] = later(  # a new result adds its line here
    "rankscope.reports",
    {
        "Scores": "result_displays:SCORES",
        "SystemScores": "result_displays:SYSTEM_SCORES",
        "Column": "result_displays:COLUMN",
        "ScoreTable": "result_displays:SCORE_TABLE",
        "RelevantRanks": "result_displays:RELEVANT_RANKS",
        "Compared": "result_displays:COMPARED",
        "MeasureCompared": "result_displays:MEASURE_COMPARED",
        "GateResult": "result_displays:GATE_RESULT",
        "Explained": "result_displays:EXPLAINED",
        "Suite": "result_displays:SUITE",
        "ScoredSuite": "result_displays:SCORED_SUITE",
        "Agreement": "result_displays:AGREEMENT",
        "Preferred": "result_displays:PREFERRED",
        "SequentialResult": "result_displays:SEQUENTIAL_RESULT",
        "Ledger": "result_displays:LEDGER",
        "Components": "result_displays:COMPONENTS",
        "JudgingPlans": "result_displays:JUDGING_PLANS",
        "LeaderboardStability": "result_displays:STABILITY",
        "Forecast": "result_displays:FORECAST",
        "Homogeneity": "result_displays:HOMOGENEITY",
        "Estimated": "result_displays:ESTIMATED",
        "SampleSize": "result_displays:SAMPLE_SIZE",
        "RunEstimates": "result_displays:RUN_ESTIMATES",
        "MachineJudged": "result_displays:MACHINE_JUDGED",
        "Reuse": "result_displays:REUSE",
        "LabelCheck": "result_displays:LABEL_CHECK",
        "SearchEffort": "result_displays:SEARCH_EFFORT",
        "UserScore": "object_displays:USER_SCORE",
        "Results": "object_displays:RESULTS",
        "Answer": "object_displays:ANSWER",
        "Standings": "object_displays:STANDINGS",
        "Qrels": "object_displays:QRELS",
        "Run": "object_displays:RUN",
        "FusedRun": "object_displays:FUSED_RUN",
        "Features": "object_displays:FEATURES",
        "Index": "object_displays:INDEX",
        "Hits": "object_displays:HITS",
        "Gathered": "object_displays:GATHERED",
        "Report": "object_displays:REPORT",
        "ReportPage": "object_displays:REPORT_PAGE",
        "ShownRows": "object_displays:ROWS",
        "ShownByName": "object_displays:BY_NAME",
    },
)


def presentation_of(result: object) -> Presentation:
    """How a result shows itself: as the first of its classes that is listed."""
    found = next(PRESENTATIONS[each.__name__] for each in type(result).__mro__ if each.__name__ in PRESENTATIONS)
    presentation: Presentation = found.load()
    return presentation


def display_of(result: object) -> Display:
    """What it shows of itself."""
    return presentation_of(result).display(result)


def frame_of(result: object) -> Any:
    """All its rows as a polars frame."""
    return presentation_of(result).frame(result)


def written(result: object, format: str, options: Mapping[str, Any]) -> str:
    """Its table as Markdown or LaTeX, or its paragraph for a paper."""
    presentation = presentation_of(result)
    ways = {"markdown": presentation.markdown, "latex": presentation.latex, "write-up": presentation.write_up}
    write = ways[format]
    assert write is not None, f"{type(result).__name__} has no {format}"
    return write(result, **options)


def in_texts(place: str) -> Callable[..., Any]:
    """A function of the texts, loaded when it is called: "gate:gate_markdown"."""
    return lambda *results, **options: Later(f"rankscope.reports.texts.{place}").load()(*results, **options)


# How results of one class show themselves: at a prompt, in a notebook, as a frame, on a page and in a paper.


@dataclass(frozen=True)
class Presentation:
    """`display` says what is shown; where a class has its own tables for pages and papers, these are written.

    `rows` are for programs: plain numbers under short names. Without them a frame holds what the display shows.
    """

    display: Callable[[Any], Display]
    rows: Callable[[Any], Rows] | None = None
    own_markdown: Callable[..., str] | None = None
    own_latex: Callable[..., str] | None = None
    write_up: Callable[..., str] | None = None  # one paragraph for a paper

    @classmethod
    def of_rows(
        cls,
        words: Callable[[Any], Sequence[str]],
        rows: Callable[[Any], Rows],
        more: str = "",
        places: int = 4,
        **ways: Callable[..., str],
    ) -> Presentation:
        """Of a result whose table holds its rows; `words` gives the title, then the notes."""

        def display(result: Any) -> Display:
            title, *notes = words(result)
            return Display(title, LongTable.of_rows(rows(result), places), tuple(notes), more)

        return cls(display, rows, **ways)

    def frame(self, result: object) -> Any:
        """All rows as a polars frame; null where there is none."""
        import polars as pl

        rows = [] if self.rows is None else list(self.rows(result))
        return pl.DataFrame(rows, infer_schema_length=None, nan_to_null=True) if rows else pl.DataFrame()

    def markdown(self, result: object, **options: Any) -> str:
        """The whole table, below the sentence and above the notes."""
        if self.own_markdown is not None:
            return self.own_markdown(result, **options)
        display = self.display(result)
        table = [] if display.table is None else [grid_markdown(display.table.whole())]
        notes = ["".join(f"- {line}\n" for line in display.notes)] if display.notes else []
        return visible("\n".join([f"**{display.title}**\n", *table, *notes]))

    def latex(self, result: object, **options: Any) -> str:
        r"""The whole table to \input, below sentence and notes as comments."""
        if self.own_latex is not None:
            return self.own_latex(result, **options)
        from rankscope.reports.latex import latex_comments, latex_table

        display = self.display(result)
        table = "" if display.table is None else latex_table(display.table.whole())
        return latex_comments([display.title, *display.notes]) + table


# What a result shows of itself: a sentence, a table of which only the ends are seen, and what must be said with it.

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
    def of_grid(cls, grid: Grid) -> LongTable:
        """All rows that are there."""
        return cls(grid.header, len(grid.rows), lambda row: grid.rows[row])

    @classmethod
    def of_rows(cls, rows: Rows, places: int = 4) -> LongTable:
        """Rows as dictionaries; only those that are shown become cells."""
        header = tuple(dict.fromkeys(name for row in rows for name in row))
        return cls(header, len(rows), lambda row: [cell_of(name, rows[row].get(name), places) for name in header])

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
