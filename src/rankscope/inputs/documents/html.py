"""Pages of HTML: each is one document; what frames a page is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record
from rankscope.inputs.documents.single import whole_bytes
from rankscope.inputs.page_texts import html_texts, html_tree
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

BEGIN = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)


def recognises(head: bytes) -> bool:
    """A document type or <html> begins it."""
    return BEGIN.match(head) is not None


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """The whole page."""
    raw = whole_bytes(source)
    yield Record(1, name, html_texts(html_tree(decoded_page(raw, reading.encoding))))


def decoded_page(raw: bytes, encoding: str) -> str:
    """The text of a page: in the encoding asked for, in the one that it names, else as browsers do.

    >>> decoded_page(b'<meta charset="latin-1">caf\\xe9', "utf-8")[-4:], decoded_page("café".encode(), "utf-8")
    ('café', 'café')
    """
    named = CHARSET.search(raw[:4096])
    for each in (encoding, *([named[1].decode("ascii", "ignore")] if named else []), "cp1252"):
        try:
            return raw.decode(each).removeprefix("\ufeff")
        except (UnicodeError, LookupError):
            continue
    return raw.decode("latin-1")


HTML = DocumentReader(
    name="html",
    about="pages of HTML, each one document: main or article if there is one, without navigation and forms",
    suffixes=(".html", ".htm", ".xhtml"),
    read=read,
    recognises=recognises,
    single=True,
)
