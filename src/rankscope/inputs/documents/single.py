"""Files that are one document each: their bytes, of which there must not be too many, and their text."""

from __future__ import annotations

from rankscope.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.checks import Problems
from rankscope.inputs.sources import Source, without_marks
from rankscope.inputs.text_streams import LONGEST, TOO_LONG


def whole_bytes(source: Source) -> bytes:
    """All bytes of a file; one that is too large for a document is an `InputError`."""
    gathered, size = [], 0
    for chunk in source.chunks():
        gathered.append(chunk)
        size += len(chunk)
        if size > LONGEST:
            raise InputError.of(source.name, [f"is {TOO_LONG}, too long for one document"])
    return b"".join(gathered)


def whole_text(source: Source, encoding: str, problems: Problems) -> str:
    """The text of a file; lines that are none are problems."""
    raw = whole_bytes(source)
    plain = without_marks(raw) if texts.is_utf8(encoding) else texts.decode_text(raw, encoding, problems)
    return texts.decodable(plain, problems, 1).decode().replace("\r\n", "\n")
