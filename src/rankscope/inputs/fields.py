"""Lines of fields between blanks, as TREC files have them, read at full speed without trusting them.

Tidy text (one blank between fields, as nearly all files have it) goes straight to polars. Whether it is tidy is proved,
not sniffed: as many separators as fields in all, no two side by side, and no row without its last field. Anything else
is cleaned first: runs of blanks become one, blank lines and comments go. Blanks are what C's isspace says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, IntArray
from rankscope.inputs.blocks import prefetch
from rankscope.inputs.checks import KEPT, Problems, shorten_value
from rankscope.inputs.numbers import parse_number
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.texts import decodable, decode_text, is_utf8, not_packed

SPACE, NEWLINE, HASH = 32, 10, 35
CACHED = 1 << 18
OTHER_BLANKS = (b"\t", b"\v", b"\f", b"\r")
TAKES_COLUMNS = "missing_columns" in signature(pl.read_csv).parameters  # before that polars took any first line
ANY_FIRST_LINE: dict[str, Any] = {"missing_columns": "insert", "extra_columns": "ignore"} if TAKES_COLUMNS else {}
BLANKS_TO_SPACES = bytes.maketrans(b"".join(OTHER_BLANKS), b"    ")


@dataclass(frozen=True)
class LineLayout:
    """Which fields a line has, which are wanted, which of them are numbers, and whether more fields may follow."""

    kind: str
    fields: tuple[str, ...]
    wanted: tuple[str, ...]
    numbers: tuple[str, ...]
    more_allowed: bool

    @property
    def reads(self) -> str:
        """The rule, for messages."""
        return f"A {self.kind} line reads: {' '.join(self.fields)}."

    @property
    def schema(self) -> dict[str, type[pl.DataType]]:
        """Types for the reader."""
        return {name: pl.Float64 if name in self.numbers else pl.String for name in self.fields}

    def want(self, *names: str) -> LineLayout:
        """The same layout with more fields read."""
        wanted = tuple(name for name in self.fields if name in self.wanted or name in names)
        return LineLayout(
            kind=self.kind, fields=self.fields, wanted=wanted, numbers=self.numbers, more_allowed=self.more_allowed
        )


@dataclass(frozen=True)
class LineRows:
    """Wanted fields of a block of lines, all present and all numbers numbers, with the line each row came from."""

    table: pl.DataFrame
    line: IntArray


def rows_of(source: Source, layout: LineLayout, problems: Problems, reading: Reading) -> Iterator[LineRows]:
    """All good rows of a source, block by block; what is wrong with the others is added to `problems`."""
    first_line, tidy = 1, True
    for raw in prefetch(_texts(source, reading.encoding, problems)):
        if first_line == 1 and b"\n" not in raw and b"\r" in raw.rstrip():
            problems.add(
                "", "ends its lines with carriage returns", "Convert the line ends to those of Unix or Windows."
            )
            return
        rows, tidy, lines = _rows(raw, layout, problems, reading.comments, first_line, tidy)
        first_line += lines
        if rows.table.height:
            yield rows


def _texts(source: Source, encoding: str, problems: Problems) -> Iterator[bytes]:
    if is_utf8(encoding):
        yield from source.blocks()
    else:
        yield decode_text(source.whole(), encoding, problems)


def _rows(
    raw: bytes, layout: LineLayout, problems: Problems, comments: bool, first_line: int, tidy: bool
) -> tuple[LineRows, bool, int]:
    """Rows of one block, whether it was tidy (where one block is not, the next will hardly be), and its lines."""
    if tidy and not (comments and b"#" in raw and (raw.startswith(b"#") or b"\n#" in raw)):
        table = _parsed(raw, layout, b"\t" if b"\t" in raw[:256].partition(b"\n")[0] else b" ")
        if table is not None and _is_tidy(raw, table, layout):
            return _checked(raw, table, None, layout, problems, first_line, False), True, table.height
    text, dropped = _cleaned(raw, comments)
    table = None if b"\0" in text else _parsed(text, layout, b" ")
    if table is None:
        text, dropped = _cleaned(decodable(raw, problems, first_line), comments)
        table = _parsed(text, layout, b" ")
    assert table is not None, "text without NUL and in UTF-8 can be parsed"
    rows = _checked(text, table, dropped, layout, problems, first_line, cut_off=not raw.endswith(b"\n"))
    return rows, False, raw.count(b"\n")


def _parsed(text: bytes, layout: LineLayout, separator: bytes) -> pl.DataFrame | None:
    if not text:
        return pl.DataFrame(schema={name: layout.schema[name] for name in layout.wanted})
    text, skipped = not_packed(text)
    try:
        return pl.read_csv(
            text,
            has_header=False,
            skip_lines=skipped,
            separator=separator.decode(),
            quote_char=None,
            schema=layout.schema,
            columns=[layout.fields.index(name) for name in layout.wanted],
            truncate_ragged_lines=True,
            ignore_errors=True,
            **ANY_FIRST_LINE,
        )
    except (pl.exceptions.PolarsError, OSError):
        return None


def _is_tidy(raw: bytes, table: pl.DataFrame, layout: LineLayout) -> bool:
    """Exactly one separator behind each field: the right number in all, none beside another, no last field missing."""
    needed = len(layout.fields) * table.height - (not raw.endswith(b"\n"))
    return (
        table.get_column(layout.fields[-1]).null_count() == 0
        and b"\0" not in raw
        and _single_separators(np.frombuffer(raw, np.uint8)) == needed
    )


def _single_separators(text: NDArray[np.uint8]) -> int:
    """How many separators the text has, -1 if two stand side by side; in portions that processor caches hold."""
    count, at_end = 0, False
    for start in range(0, text.size, CACHED):
        separator = text[start : start + CACHED] <= SPACE
        if (at_end and separator[0]) or np.count_nonzero(separator[1:] & separator[:-1]):
            return -1
        count += int(np.count_nonzero(separator))
        at_end = bool(separator[-1])
    return count


def _cleaned(raw: bytes, comments: bool) -> tuple[bytes, IntArray]:
    """One space between fields, no space at either end of a line, no empty lines; and which lines were dropped."""
    if any(blank in raw for blank in OTHER_BLANKS):
        raw = raw.translate(BLANKS_TO_SPACES)
    text = _single_spaced(np.frombuffer(raw if raw.endswith(b"\n") else raw + b"\n", np.uint8))
    line_ends = np.flatnonzero(text == NEWLINE)
    starts = np.concatenate([[0], line_ends[:-1] + 1])
    dropped = starts == line_ends
    if comments:
        dropped |= text[starts] == HASH
    trailing = line_ends[text[np.maximum(line_ends - 1, 0)] == SPACE] - 1
    if trailing.size or dropped.any():
        keep = ~np.repeat(dropped, line_ends - starts + 1)
        keep[trailing] = False
        text = text[keep]
    return text.tobytes(), np.flatnonzero(dropped)


def _single_spaced(text: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Text without spaces that follow another space or a line end; in portions that processor caches hold."""
    kept, at_end = [], True
    for start in range(0, text.size, CACHED):
        part = text[start : start + CACHED]
        space = part == SPACE
        separator = part == NEWLINE
        separator |= space
        keep = ~space
        keep[1:] |= ~separator[:-1]
        keep[0] |= not at_end
        at_end = bool(separator[-1])
        kept.append(part[keep])
    return np.concatenate(kept)


def _checked(
    text: bytes,
    table: pl.DataFrame,
    dropped: IntArray | None,
    layout: LineLayout,
    problems: Problems,
    first_line: int,
    cut_off: bool,
) -> LineRows:
    """The good rows; the others are problems. `cut_off`: the last line has no line end."""
    line = np.arange(table.height, dtype=np.int64)
    if dropped is not None and dropped.size:
        line += np.searchsorted(dropped - np.arange(dropped.size), line, side="right")
    line += first_line
    bad = np.zeros(table.height, dtype=np.bool_)
    for name in (*layout.wanted, layout.fields[-1]):
        column = table.get_column(name) if name in table.columns else None
        if column is not None and column.null_count():
            bad |= column.is_null().to_numpy()
        if column is not None and name in layout.numbers:
            bad |= np.isnan(column.fill_null(0.0).to_numpy())
    if not layout.more_allowed and dropped is not None:
        bad |= _field_counts(text) > len(layout.fields)
    if not bad.any():
        return LineRows(table, line)
    _explain(text, bad, line, layout, problems, cut_off)
    good = np.flatnonzero(~bad)
    return LineRows(table[good], line[good])


def _field_counts(text: bytes) -> IntArray:
    """How many fields each cleaned line has."""
    separator = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(separator == NEWLINE)
    spaces = np.concatenate([[0], np.cumsum(separator == SPACE)])[ends + 1]
    return np.diff(spaces, prepend=0) + 1


def _explain(
    text: bytes, bad: BoolArray, line: IntArray, layout: LineLayout, problems: Problems, cut_off: bool
) -> None:
    rows = np.flatnonzero(bad)
    lines = text.split(b"\n")
    problems.advise(layout.reads)
    for row in rows[:KEPT].tolist():
        number = int(line[row])
        what = _wrong_with(lines[row].decode(errors="replace"), layout)
        if cut_off and row == bad.size - 1:
            what += ". The file ends here without a line end: was it cut off?"
        problems.add(f"line {number}", what, order=number)
    problems.more(max(0, rows.size - KEPT))


def _wrong_with(line: str, layout: LineLayout) -> str:
    fields = line.split(" ")
    if len(fields) < len(layout.fields):
        missing = ", ".join(layout.fields[len(fields) :])
        return f"has {len(fields)} of {len(layout.fields)} fields ({missing} missing): {shorten_value(line)}"
    if len(fields) > len(layout.fields) and not layout.more_allowed:
        return f"has {len(fields)} fields instead of {len(layout.fields)}: {shorten_value(line)}"
    for name in layout.numbers:
        value = fields[layout.fields.index(name)]
        if name in layout.wanted and parse_number(value) is None:
            return f"{name} must be a number, got {shorten_value(value)}"
    return f"cannot be read: {shorten_value(line)}"
