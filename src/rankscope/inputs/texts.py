"""Text as UTF-8, whatever it was stored as: whole, in blocks of lines, lines with numbers, records behind a sign.

What is no text is a problem with its line number. Nothing of a long text is held but one block and one record.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from rankscope.core.errors import InputError
from rankscope.core.wording import setting_usage
from rankscope.inputs.problems import Problems
from rankscope.inputs.sources import Source, without_marks

BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def is_utf8(encoding: str) -> bool:
    """Whether an encoding is UTF-8 under one of its names.

    >>> is_utf8("UTF_8"), is_utf8("latin-1")
    (True, False)
    """
    return encoding.lower().replace("-", "").replace("_", "") in ("utf8", "utf8sig")


def decoded_blocks(source: Source, encoding: str, problems: Problems, inner_marks: bool = False) -> Iterator[bytes]:
    """A text as UTF-8 in blocks of whole lines; lines that are no text are problems and are left empty.

    In another encoding than UTF-8 it is one block. `inner_marks` leaves byte order marks inside the text.
    """
    line = 1
    if is_utf8(encoding):
        blocks: Iterable[bytes] = source.blocks(inner_marks=inner_marks)
    else:
        blocks = [decode_text(source.whole(), encoding, problems)]
    for block in blocks:
        yield decodable(block, problems, line)
        line += block.count(b"\n")


def whole_utf8(source: Source, encoding: str, problems: Problems) -> bytes:
    """All of a text; lines that are no text are problems and are left empty, so that the others keep their numbers."""
    if is_utf8(encoding):
        return decodable(without_marks(source.whole()), problems, 1)
    return decodable(decode_text(source.whole(), encoding, problems), problems, 1)


def decode_text(raw: bytes, encoding: str, problems: Problems) -> bytes:
    """Text of another encoding as UTF-8; nothing, and a problem, where it is not of that encoding."""
    try:
        return without_marks(raw.decode(encoding).encode())
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"byte {error.start + 1} of the file is not {encoding} text ({error.reason})"
        problems.add(f"line {line}", what, f"Give the right {setting_usage('encoding')}.", line)
    except (UnicodeError, LookupError) as error:
        problems.add("", f"cannot be read as {encoding}: {error}", f"Give the right {setting_usage('encoding')}.")
    return b""


def utf8_beginning(raw: bytes, encoding: str) -> bytes:
    """The first bytes of a text as UTF-8, for telling its format; a character that was cut in two is left out."""
    try:
        text = raw.decode("utf-8" if is_utf8(encoding) else encoding, errors="ignore")
    except (UnicodeError, LookupError):
        return raw
    return text.removeprefix("\ufeff").encode(errors="ignore")


def decodable(raw: bytes, problems: Problems, first_line: int, comments: bool = False) -> bytes:
    """The bytes without what is not text: each line with a NUL or with bytes that are not UTF-8 is a problem.

    `comments` says that lines that begin with # do not matter.
    """
    try:
        raw.decode()
        if b"\0" not in raw:
            return raw
    except UnicodeDecodeError:
        pass
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, first_line):
        what = _not_text(line)
        if what and comments and line.lstrip().startswith(b"#"):
            lines[number - first_line] = b"#"
        elif what:
            advice = f"Text must be UTF-8; name another one with {setting_usage('encoding', 'NAME')}."
            problems.add(f"line {number}", what, advice, number)
            lines[number - first_line] = b""
    return b"\n".join(lines)


def _not_text(line: bytes) -> str:
    if b"\0" in line:
        return "holds a NUL byte: is this a binary file?"
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return f"byte {error.start + 1} is not UTF-8 text ({line[error.start : error.start + 1]!r})"
    return ""


def not_packed(text: bytes) -> tuple[bytes, int]:
    """Text for polars and how many lines of it to skip: an id such as x^1 must not be taken for packed data.

    >>> not_packed(b"x^1 Q0 a 1 2.0 tag")
    (b'-\\nx^1 Q0 a 1 2.0 tag', 1)
    """
    return (b"\n".join([b"-", text]), 1) if text.startswith((b"x", b"\x1f", b"(")) else (text, 0)


# Long texts in portions: blocks of whole lines, lines with their numbers, and records that begin where a sign stands.

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
        yield _decoded_block(block, line, problems)
        line, rest, size = line + block.count(b"\n"), [chunk[end:]], len(chunk) - end
    if any(rest):
        yield _decoded_block(b"".join(rest), line, problems)


def _decoded_block(block: bytes, line: int, problems: Problems) -> TextPart:
    text = decodable(without_marks(block), problems, line).decode()
    return TextPart(line, text.replace("\r\n", "\n"))


def utf8_chunks(source: Source, encoding: str, problems: Problems) -> Iterator[bytes]:
    """The bytes of a text as UTF-8, whatever it is stored as; what is not of the encoding ends it with a problem."""
    if is_utf8(encoding):
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


def text_records(blocks: Iterable[TextPart], border: re.Pattern[str]) -> Iterator[TextPart]:
    """The parts of a text that begin where the border matches; what stands before the first one is a part too.

    >>> list(text_records([TextPart(1, "x\\n.I 1\\na\\n"), TextPart(4, "b\\n.I 2\\n")], re.compile("^[.]I ", re.M)))
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
        yield from _whole_record(begin, waiting)
        line, place = first, 0
        for start, stop in pairwise([*starts, len(block)]):
            line, place = line + block.count("\n", place, start), start
            if stop < len(block):
                yield TextPart(line, block[start:stop])
        begin, waiting, size = line, [block[place:]], len(block) - place
    yield from _whole_record(begin, waiting)


def _whole_record(line: int, waiting: list[str]) -> Iterator[TextPart]:
    text = "".join(waiting)
    if text:
        yield TextPart(line, text)
