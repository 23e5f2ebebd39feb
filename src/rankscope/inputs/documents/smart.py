"""SMART's files, in which the classic collections came: .I number, then .T title, .A author, .B source, .W text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.text_streams import TextPart, records, text_blocks

FIELDS = {"T": "title", "A": "author", "B": "source", "K": "keywords", "W": "text"}
BEGIN = re.compile(r"^\.I(?=[ \t\n]|$)", re.MULTILINE)
SECTION = re.compile(r"^\.([A-Z])[ \t]*$", re.MULTILINE)
SAMPLE = re.compile(rb"\s*\.I[ \t]+\S+[ \t]*\r?\n\.[A-Z][ \t]*\r?\n")


def recognises(head: bytes) -> bool:
    """A number and a section begin it."""
    return SAMPLE.match(head) is not None


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """A document from each .I; other sections than those above are lists of numbers and are left out."""
    for part in sections_of(source, reading, problems):
        record = _record(part, problems)
        if record is not None:
            yield record


def sections_of(source: Source, reading: Reading, problems: Problems) -> Iterator[TextPart]:
    """What stands behind each .I, which is a problem where none is."""
    for part in records(text_blocks(source, reading.encoding, problems), BEGIN):
        if BEGIN.match(part.text):
            yield part
        elif part.text.strip():
            problems.add(f"line {part.line}", "must be .I and a number", order=part.line)


def _record(part: TextPart, problems: Problems) -> Record | None:
    number, sections = split_sections(part.text)
    if not number:
        problems.add(f"line {part.line}", ".I has no number behind it", order=part.line)
        return None
    fields = {FIELDS[letter]: text for letter, text in sections.items() if letter in FIELDS and text}
    return Record(part.line, number, fields)


def split_sections(text: str) -> tuple[str, dict[str, str]]:
    """The number behind .I, and the text of each section by its letter; one that comes again goes on.

    >>> split_sections(".I 7\\n.T\\nA fox\\n.W\\nin a\\nden\\n.X\\n1 2\\n")
    ('7', {'T': 'A fox', 'W': 'in a\\nden', 'X': '1 2'})
    """
    head, *rest = SECTION.split(text)
    sections: dict[str, str] = {}
    for letter, inside in zip(rest[::2], rest[1::2], strict=True):
        sections[letter] = "\n".join(filter(None, (sections.get(letter, ""), inside.strip())))
    return head[2:].strip(), sections


SMART_DOCUMENTS = DocumentReader(
    name="smart",
    about="SMART: .I number, .T title, .A author, .W text",
    suffixes=(".all", ".smart"),
    read=read,
    recognises=recognises,
)
