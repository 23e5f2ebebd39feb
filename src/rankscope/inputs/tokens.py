"""Where the fields of lines lie, found by looking at blanks alone, for text in which every line has as many fields.

All blanks of the text in one array prove at once that it is tidy: as many in each line as there are fields, each but
the last a space or a tab, the last a line end, none next to another. Where blanks are repeated, the borders between
blanks and other characters are looked at instead. Any other text (comments, empty lines, more fields) is left to the
reader that cleans and explains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.inputs.id_columns import BEFORE, WORD, padded

TAB, NEWLINE, RETURN, SPACE, HASH = 9, 10, 13, 32, 35


@dataclass(frozen=True, eq=False)
class Tokens:
    """A text and where each field of each line begins and ends in it: one row a line, one column a field."""

    buffer: NDArray[np.uint8]
    start: IntArray
    end: IntArray

    def __len__(self) -> int:
        return len(self.start)

    def text(self, line: int, field: int) -> str:
        """One field of one line."""
        return self.buffer[self.start[line, field] : self.end[line, field]].tobytes().decode()


def tokens_of(raw: bytes, fields: int, comments: bool) -> Tokens | None:
    """The fields of a text of whole lines, of which only the last may lack its end; None where it is not so simple.

    >>> found = tokens_of(b"q1 0 a 1\\nq1  0\\tb 0\\n", 4, comments=True)
    >>> (found.end - found.start).tolist()
    [[2, 1, 1, 1], [2, 1, 1, 1]]
    >>> tokens_of(b"q1 0 a 1\\nq1 0 b\\n", 4, comments=True)
    """
    if not raw or not is_text(raw):
        return None
    buffer = padded(raw if raw.endswith(b"\n") else raw + b"\n")
    found = _between_single_blanks(buffer, fields) or _between_blanks(buffer, fields)
    if found is None or (comments and bool((buffer[found.start[:, 0]] == HASH).any())):
        return None
    return found


def is_text(raw: bytes) -> bool:
    """Whether bytes are UTF-8."""
    if raw.isascii():
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _between_single_blanks(buffer: NDArray[np.uint8], fields: int) -> Tokens | None:
    """The fields, where one blank stands behind each."""
    blank = np.flatnonzero(buffer <= SPACE)
    if blank.size % fields or not _are_ends_of_fields(buffer[blank], fields):
        return None
    start = np.empty_like(blank)
    start[0] = BEFORE
    np.add(blank[:-1], 1, out=start[1:])
    if not (start < blank).all():
        return None
    return Tokens(buffer, start.reshape(-1, fields), blank.reshape(-1, fields))


def _are_ends_of_fields(blanks: NDArray[np.uint8], fields: int) -> bool:
    """Whether blanks are spaces or tabs but for each last one of a line, which is its end."""
    if (blanks == _usual(blanks.size, fields)).all():
        return True
    lines = blanks.reshape(-1, fields)
    inner = lines[:, :-1]
    return bool((lines[:, -1] == NEWLINE).all() and ((inner == SPACE) | (inner == TAB)).all())


_LINES: dict[int, NDArray[np.uint8]] = {}


def _usual(size: int, fields: int) -> NDArray[np.uint8]:
    """The blanks of lines as they usually are; made once for as many as were asked for so far."""
    known = _LINES.get(fields)
    if known is None or known.size < size:
        line = np.array([SPACE] * (fields - 1) + [NEWLINE], dtype=np.uint8)
        _LINES[fields] = known = np.tile(line, size // fields)
    return known[:size]


def _between_blanks(buffer: NDArray[np.uint8], fields: int) -> Tokens | None:
    """The same where several may stand side by side, before the first field and behind the last too."""
    text = buffer[BEFORE:-WORD]
    ink = text > SPACE
    blanks = text[~ink]
    if not (((blanks >= TAB) & (blanks <= RETURN)) | (blanks == SPACE)).all():
        return None
    border = np.flatnonzero(ink[1:] != ink[:-1]) + 1
    if ink[0]:
        border = np.concatenate([[0], border])
    if border.size == 0 or border.size % (2 * fields):
        return None
    border += BEFORE
    start, end = border[::2].reshape(-1, fields), border[1::2].reshape(-1, fields)
    line_end = np.flatnonzero(text == NEWLINE) + BEFORE
    if line_end.size != len(start) or (end[:, -1] > line_end).any() or (start[1:, 0] < line_end[:-1]).any():
        return None
    return Tokens(buffer, start, end)
