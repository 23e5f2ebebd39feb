"""Long texts in portions: blocks of whole lines, lines with their numbers, and records that begin where a sign stands.

Nothing here holds more than one block and one record, so memory stays flat however long a file is.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from rankscope.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.checks import Problems
from rankscope.inputs.sources import Source, without_marks
from rankscope.wording import setting_usage

LONGEST: Final = 64 << 20  # bytes of a line, or of a record
TOO_LONG: Final = f"longer than {LONGEST >> 20} MB"


class TextPart(NamedTuple):
    """A part of a text and the number of its first line."""

    line: int
    text: str


def text_blocks(source: Source, encoding: str, problems: Problems) -> Iterator[TextPart]:
    """A text in blocks of whole lines; what is no text is a problem with its line, and is left out."""
    line, rest, size = 1, [b""], 0
    for chunk in utf8_chunks(source, encoding, problems):
        end = chunk.rfind(b"\n") + 1
        size += end or len(chunk)
        if size > LONGEST and not end:
            raise InputError.of(source.name, [f"line {line} is {TOO_LONG}"], "Is this a text file?")
        if end == 0:
            rest.append(chunk)
            continue
        block = b"".join([*rest, chunk[:end]])
        yield _decoded(block, line, problems)
        line, rest, size = line + block.count(b"\n"), [chunk[end:]], len(chunk) - end
    if any(rest):
        yield _decoded(b"".join(rest), line, problems)


def _decoded(block: bytes, line: int, problems: Problems) -> TextPart:
    text = texts.decodable(without_marks(block), problems, line).decode()
    return TextPart(line, text.replace("\r\n", "\n"))


def utf8_chunks(source: Source, encoding: str, problems: Problems) -> Iterator[bytes]:
    """The bytes of a text as UTF-8, whatever it is stored as; what is not of the encoding ends it with a problem."""
    if texts.is_utf8(encoding):
        yield from source.chunks()
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for chunk in source.chunks():
            yield decoder.decode(chunk).encode(errors="replace")
        yield decoder.decode(b"", final=True).encode(errors="replace")
    except UnicodeError as error:
        problems.add("", f"is not {encoding} text: {error}", f"Give the right {setting_usage('encoding')}.")


def numbered_lines(blocks: Iterable[TextPart]) -> Iterator[TextPart]:
    """The lines that are not blank, without their ends.

    >>> list(numbered_lines([TextPart(1, "a\\n\\nb\\n")]))
    [TextPart(line=1, text='a'), TextPart(line=3, text='b')]
    """
    for first, block in blocks:
        for number, line in enumerate(block.split("\n"), first):
            if line and not line.isspace():
                yield TextPart(number, line)


def records(blocks: Iterable[TextPart], border: re.Pattern[str]) -> Iterator[TextPart]:
    """The parts of a text that begin where the border matches; what stands before the first one is a part too.

    >>> list(records([TextPart(1, "x\\n.I 1\\na\\n"), TextPart(4, "b\\n.I 2\\n")], re.compile("^[.]I ", re.M)))
    [TextPart(line=1, text='x\\n'), TextPart(line=2, text='.I 1\\na\\nb\\n'), TextPart(line=5, text='.I 2\\n')]
    """
    begin, waiting, size = 1, [""], 0
    for first, block in blocks:
        starts = [found.start() for found in border.finditer(block)]
        end = starts[0] if starts else len(block)
        waiting.append(block[:end])
        size += end
        if size > LONGEST:
            raise InputError.of("documents", [f"the record in line {begin} is {TOO_LONG}"], "Is this a text file?")
        if not starts:
            continue
        yield from _whole(begin, waiting)
        line, place = first, 0
        for start, stop in pairwise([*starts, len(block)]):
            line, place = line + block.count("\n", place, start), start
            if stop < len(block):
                yield TextPart(line, block[start:stop])
        begin, waiting, size = line, [block[place:]], len(block) - place
    yield from _whole(begin, waiting)


def _whole(line: int, waiting: list[str]) -> Iterator[TextPart]:
    text = "".join(waiting)
    if text:
        yield TextPart(line, text)
