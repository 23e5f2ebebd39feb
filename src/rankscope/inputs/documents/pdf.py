"""PDF files: each is one document, its text as far as it has any."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

from rankscope.extras import import_extra
from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.record import Record
from rankscope.inputs.documents.single import whole_bytes
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

name = "pdf"
about = "PDF files, each one document"
suffixes = (".pdf",)
word = "page"
single = True


def recognises(head: bytes) -> bool:
    """By its first bytes."""
    return head[:1024].lstrip().startswith(b"%PDF-")


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """All pages; a damaged or locked file is a problem."""
    pypdf = import_extra("pypdf", "pypdf", "documents")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what matters of its complaints ends up in ours
    raw = whole_bytes(source)
    try:
        document = pypdf.PdfReader(io.BytesIO(raw))
        if document.is_encrypted and not document.decrypt(""):
            problems.add("", "is locked with a password")
            return
        pages = [page.extract_text() for page in document.pages]
        title = str((document.metadata or {}).get("/Title") or "")
    except Exception as error:  # whatever pypdf does with a damaged file
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        problems.add("", f"cannot be read as PDF: {reason}", "Was it cut off, or damaged on its way?")
        return
    fields = {"title": " ".join(title.split()), "text": "\n".join(pages).strip()}
    yield Record(1, name, {key: _clean(text) for key, text in fields.items() if text})


def _clean(text: str) -> str:
    return text.replace("\0", " ").encode(errors="replace").decode()
