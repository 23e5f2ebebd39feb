"""Lines of fields between blanks, as TREC files have them, read at full speed without trusting them.

Simple text, as nearly all files have it, is read by looking at its blanks (`tokens`). Any other goes to the reader that
cleans and explains (`any_lines`), block by block, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rankscope.inputs.blocks import keep_freed_memory, prefetch
from rankscope.inputs.checks import Problems
from rankscope.inputs.contradiction import LOOKED_AT
from rankscope.inputs.decimals import decimals
from rankscope.inputs.id_columns import BEFORE, TextIds
from rankscope.inputs.line_layout import LineLayout, LineRows
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.texts import decode_text, is_utf8
from rankscope.inputs.tokens import tokens_of


def rows_of(source: Source, layout: LineLayout, problems: Problems, reading: Reading) -> Iterator[LineRows]:
    """All good rows of a source, block by block; what is wrong with the others is added to `problems`."""
    keep_freed_memory()
    reader: LineReader | None = None
    for raw in prefetch(_texts(source, reading.encoding, problems)):
        if reader is None:
            found = layout.fitting(raw, reading.comments, problems)
            if found is None:
                return
            reader = LineReader(found, problems, reading.comments)
        if reader.line == 1 and not reader.rest and b"\n" not in raw and b"\r" in raw.rstrip():
            problems.add(
                "", "ends its lines with carriage returns", "Convert the line ends to those of Unix or Windows."
            )
            return
        yield from reader.read(raw)
    if reader is not None:
        yield from reader.finish()


class LineReader:
    """Rows from one block after the other. The lines of a block's last query wait for the next, so that queries come
    whole where they fit into a block. `simple` says whether simple text is read at full speed.
    """

    def __init__(self, layout: LineLayout, problems: Problems, comments: bool, simple: bool = True) -> None:
        self.layout, self.problems, self.comments, self.simple = layout, problems, comments, simple
        self.line, self.rest, self.tidy, self.glanced = 1, b"", True, 0

    def read(self, raw: bytes, last: bool = False) -> Iterator[LineRows]:
        """The rows of what is left and of a block behind it."""
        raw, self.rest = self.rest + raw, b""
        rows = simple_rows(raw, self.layout, self.comments, self.line) if self.simple else None
        if rows is None:
            from rankscope.inputs.any_lines import read_any_lines

            rows, self.tidy, lines = read_any_lines(
                raw, self.layout, self.problems, self.comments, self.line, self.tidy
            )
            self.line += lines
        else:
            rows = rows if last else self._without_last_query(rows, raw)
            self.line += len(rows)
        self.glanced += len(rows)
        if self.layout.glance and self.glanced >= LOOKED_AT:
            self.layout = replace(self.layout, glance="")
        if len(rows):
            yield rows

    def _without_last_query(self, rows: LineRows, raw: bytes) -> LineRows:
        query = rows.texts[self.layout.fields[0]]
        cut = int(query.starts()[-1])
        if cut == 0:
            return rows
        assert isinstance(query, TextIds)
        self.rest = raw[raw.rfind(b"\n", 0, int(query.start[cut]) - BEFORE) + 1 :]
        return rows.head(cut)

    def finish(self) -> Iterator[LineRows]:
        """What was still waiting."""
        if self.rest:
            yield from self.read(b"", last=True)


def _texts(source: Source, encoding: str, problems: Problems) -> Iterator[bytes]:
    if is_utf8(encoding):
        yield from source.blocks()
    else:
        yield decode_text(source.whole(), encoding, problems)


def simple_rows(raw: bytes, layout: LineLayout, comments: bool, first_line: int) -> LineRows | None:
    """The rows of a text in which all lines have their fields and nothing is wrong; None for any other.

    >>> layout = LineLayout("run", ("query", "score"), ("query", "score"), ("score",), more_allowed=True)
    >>> rows = simple_rows(b"q1 2.5\\nq2 -1\\n", layout, comments=True, first_line=3)
    >>> rows.texts["query"].to_list(), rows.numbers["score"], rows.line
    (['q1', 'q2'], array([ 2.5, -1. ]), range(3, 5))
    """
    found = tokens_of(raw, len(layout.fields), comments)
    if found is None:
        return None
    texts, numbers = {}, {}
    for name in layout.wanted:
        column = layout.fields.index(name)
        start, end = found.start[:, column], found.end[:, column]
        if name not in layout.numbers:
            texts[name] = TextIds(found.buffer, start, end - start)
            continue
        values = decimals(found.buffer, start, end)
        if values is None:
            return None
        numbers[name] = values
    last = found.text(-1, layout.fields.index(layout.last)) if layout.last else ""
    glanced = None
    if layout.glance in layout.fields:
        column = layout.fields.index(layout.glance)
        start, end = found.start[:LOOKED_AT, column], found.end[:LOOKED_AT, column]
        glanced = decimals(found.buffer, start, end)
    lines = range(first_line, first_line + len(found))
    return LineRows(texts, numbers, lines, last=last, glanced=glanced)
