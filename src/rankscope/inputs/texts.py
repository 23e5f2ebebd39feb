"""Text as UTF-8 bytes, whatever it was stored as; what is no text is a problem with its line number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.sources import Source, without_marks
from rankscope.wording import setting_usage

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


def whole(source: Source, encoding: str, problems: Problems) -> bytes:
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


def beginning(raw: bytes, encoding: str) -> bytes:
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
