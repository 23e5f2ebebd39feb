"""Pages of HTML: each is one document; what frames a page is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankscope.extras import import_extra
from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.record import Record
from rankscope.inputs.documents.single import whole_bytes
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

name = "html"
about = "pages of HTML, each one document: main or article if there is one, without navigation and forms"
suffixes = (".html", ".htm", ".xhtml")
word = "line"
single = True

BEGIN = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
FRAME = "script, style, noscript, template, nav, header, footer, aside, form"
BLOCKS = (
    "address article aside blockquote br dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li main ol p pre section"
    " table td th tr ul"
).replace(" ", ", ")
BLANKS = re.compile(r"[^\S\n]+")
LINES = re.compile(r" ?\n[ \n]*")


def recognises(head: bytes) -> bool:
    """A document type or <html> begins it."""
    return BEGIN.match(head) is not None


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """The whole page."""
    raw = whole_bytes(source)
    yield Record(1, name, page_texts(decoded_page(raw, reading.encoding)))


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


def page_texts(page: str) -> dict[str, str]:
    """Title and text of a page."""
    parser = import_extra("selectolax.lexbor", "selectolax", "documents").LexborHTMLParser(page)
    heading = parser.css_first("title") or parser.css_first("h1")
    title = "" if heading is None else " ".join(heading.text().split())
    for node in parser.css(FRAME):
        node.decompose()
    body = parser.css_first("main") or parser.css_first("article") or parser.body
    fields = {"title": title, "text": "" if body is None else _lines(body)}
    return {key: text for key, text in fields.items() if text}


def _lines(body: object) -> str:
    """The text, with new lines where elements part it."""
    for node in body.css(BLOCKS):  # type: ignore[attr-defined]
        node.insert_before("\n")
        node.insert_after("\n")
    text = str(body.text(separator=""))  # type: ignore[attr-defined]
    return LINES.sub("\n", BLANKS.sub(" ", text)).strip()
