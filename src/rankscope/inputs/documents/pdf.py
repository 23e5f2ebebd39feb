"""PDF files: each is one document, its text as far as it has any."""

from __future__ import annotations

from collections.abc import Iterator

from rankscope.errors import RankscopeError
from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record
from rankscope.inputs.documents.single import whole_bytes
from rankscope.inputs.page_texts import pdf_texts
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source


def recognises(head: bytes) -> bool:
    """By its first bytes."""
    return head[:1024].lstrip().startswith(b"%PDF-")


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """All pages; a damaged or locked file is a problem."""
    raw = whole_bytes(source)
    try:
        fields = pdf_texts(raw)
    except RankscopeError:
        raise
    except Exception as error:  # whatever pypdf does with a damaged file
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        problems.add("", f"cannot be read as PDF: {reason}", "Was it cut off, or damaged on its way?")
        return
    if fields is None:
        problems.add("", "is locked with a password")
        return
    yield Record(1, name, fields)


PDF = DocumentReader(
    name="pdf",
    about="PDF files, each one document",
    suffixes=(".pdf",),
    read=read,
    recognises=recognises,
    word="page",
    single=True,
)
