"""PDF files: their title and the text of their pages, as far as they have any."""

from __future__ import annotations

import io
import logging

import pypdf

from rankscope.gathering.parsing import Parsed, storable


def parse_pdf(body: bytes) -> Parsed:
    """All pages; a file that is locked says so, a damaged one raises whatever pypdf raises."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    document = pypdf.PdfReader(io.BytesIO(body))
    if document.is_encrypted and not document.decrypt(""):
        return Parsed(problem="is locked with a password")
    said = document.metadata
    title = str(said.get("/Title") or "") if said is not None else ""
    text = "\n".join(page.extract_text() for page in document.pages)
    return Parsed(title=storable(" ".join(title.split())), text=storable(text))
