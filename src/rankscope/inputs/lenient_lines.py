"""Lines of fields between blanks, whatever they look like: cleaned where they must be, explained where they are wrong.

Tidy text goes straight to polars. Whether it is tidy is proved, not sniffed: as many separators as fields in all, no
two side by side, and no row without its last field. Anything else is cleaned first: runs of blanks become one, blank
lines and comments go. Blanks are what C's isspace says.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, IntArray
from rankscope.inputs.lines import LineLayout, LineRows
from rankscope.inputs.problems import KEPT, Problems, shorten_value
from rankscope.inputs.run_rows import lines_as_range
from rankscope.inputs.tables import SeriesIds, any_floats
from rankscope.inputs.texts import decodable, not_packed
from rankscope.inputs.values import no_number, parse_number

SPACE, NEWLINE, HASH = 32, 10, 35
CACHED = 1 << 18
OTHER_BLANKS = (b"\t", b"\v", b"\f", b"\r")
TAKES_COLUMNS = "missing_columns" in signature(pl.read_csv).parameters  # before that polars took any first line
ANY_FIRST_LINE: dict[str, Any] = {"missing_columns": "insert", "extra_columns": "ignore"} if TAKES_COLUMNS else {}
BLANKS_TO_SPACES = bytes.maketrans(b"".join(OTHER_BLANKS), b"    ")


def read_lenient_lines(
    raw: bytes, layout: LineLayout, problems: Problems, comments: bool, first_line: int, tidy: bool
) -> tuple[LineRows, bool, int]:
    """Rows of one block, whether it was tidy (where one block is not, the next will hardly be), and its lines."""
    if tidy and not (comments and b"#" in raw and (raw.startswith(b"#") or b"\n#" in raw)):
        table = _parsed(raw, layout, b"\t" if b"\t" in raw[:256].partition(b"\n")[0] else b" ")
        if table is not None and _is_tidy(raw, table, layout):
            return _checked(raw, table, None, layout, problems, first_line, 0), True, table.height
    text, dropped = _cleaned(raw, comments)
    table = None if b"\0" in text else _parsed(text, layout, b" ")
    if table is None:
        text, dropped = _cleaned(decodable(raw, problems, first_line, comments), comments)
        table = _parsed(text, layout, b" ")
    assert table is not None, "text without NUL and in UTF-8 can be parsed"
    cut_line = 0 if raw.endswith(b"\n") else first_line + raw.count(b"\n")
    rows = _checked(text, table, dropped, layout, problems, first_line, cut_line)
    return rows, False, raw.count(b"\n")


def _parsed(text: bytes, layout: LineLayout, separator: bytes) -> pl.DataFrame | None:
    if not text:
        return pl.DataFrame(schema={name: _schema(layout)[name] for name in _read_fields(layout)})
    text, skipped = not_packed(text)
    try:
        return pl.read_csv(
            text,
            has_header=False,
            skip_lines=skipped,
            separator=separator.decode(),
            quote_char=None,
            schema=_schema(layout),
            columns=[layout.fields.index(name) for name in _read_fields(layout)],
            truncate_ragged_lines=True,
            ignore_errors=True,
            **ANY_FIRST_LINE,
        )
    except (pl.exceptions.PolarsError, OSError):
        return None


def _read_fields(layout: LineLayout) -> tuple[str, ...]:
    """What is wanted or looked at, and the last field, which shows that a line is whole."""
    return tuple(name for name in layout.fields if name in (*layout.wanted, layout.last, layout.glance))


def _schema(layout: LineLayout) -> dict[str, type[pl.DataType]]:
    return {name: pl.Float64 if name in layout.numbers else pl.String for name in layout.fields}


def _is_tidy(raw: bytes, table: pl.DataFrame, layout: LineLayout) -> bool:
    """Exactly one separator behind each field: the right number in all, none next to another, no last field missing."""
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
    cut_line: int,
) -> LineRows:
    """The good rows; the others are problems. `cut_line` is the line that has no line end, 0 if all have."""
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
        # How many fields each cleaned line has.
        separator = np.frombuffer(text, np.uint8)
        ends = np.flatnonzero(separator == NEWLINE)
        spaces = np.concatenate([[0], np.cumsum(separator == SPACE)])[ends + 1]
        bad |= np.diff(spaces, prepend=0) + 1 > len(layout.fields)
    if not bad.any():
        return _line_rows(table, line, layout)
    _explain(text, bad, line, layout, problems, cut_line)
    good = np.flatnonzero(~bad)
    return _line_rows(table[good], line[good], layout)


def _line_rows(table: pl.DataFrame, line: IntArray, layout: LineLayout) -> LineRows:
    numbers = [name for name in layout.wanted if name in layout.numbers]
    return LineRows(
        texts={name: SeriesIds(table.get_column(name)).as_texts() for name in layout.wanted if name not in numbers},
        numbers={name: table.get_column(name).to_numpy() for name in numbers},
        line=lines_as_range(line),
        last=str(table.item(-1, layout.last)) if layout.last and table.height else "",
        glanced=any_floats(table.get_column(layout.glance)) if layout.glance in layout.fields else None,
    )


def _explain(
    text: bytes, bad: BoolArray, line: IntArray, layout: LineLayout, problems: Problems, cut_line: int
) -> None:
    rows = np.flatnonzero(bad)
    lines = text.split(b"\n")
    problems.advise(layout.reads)
    for row in rows[:KEPT].tolist():
        number = int(line[row])
        what = _wrong_with(lines[row].decode(errors="replace"), layout, problems)
        if number == cut_line:
            what += ". The file ends here without a line end: was it cut off?"
        problems.add(f"line {number}", what, order=number)
    problems.more(max(0, rows.size - KEPT))


def _wrong_with(line: str, layout: LineLayout, problems: Problems) -> str:
    fields = line.split(" ")
    if len(fields) < len(layout.fields):
        missing = ", ".join(layout.fields[len(fields) :])
        return f"has {len(fields)} of {len(layout.fields)} fields ({missing} missing): {shorten_value(line)}"
    if len(fields) > len(layout.fields) and not layout.more_allowed:
        return f"has {len(fields)} fields instead of {len(layout.fields)}: {shorten_value(line)}"
    for name in layout.numbers:
        value = fields[layout.fields.index(name)]
        if name in layout.wanted and parse_number(value) is None:
            return no_number(name, value, problems)
    return f"cannot be read: {shorten_value(line)}"
