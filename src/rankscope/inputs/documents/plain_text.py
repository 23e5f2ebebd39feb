"""Text files: each is one document, its name the id."""

from __future__ import annotations

from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record
from rankscope.inputs.documents.single import whole_text
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """The whole file."""
    yield Record(1, name, {"text": whole_text(source, reading.encoding, problems).strip()})


PLAIN_TEXT = DocumentReader(
    name="txt",
    about="text files, each one document",
    suffixes=(".txt", ".text"),
    read=read,
    single=True,
)
