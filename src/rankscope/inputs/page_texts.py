"""Title and text of pages of HTML and of PDF files, from files and from the web alike; imports nothing heavy."""

from __future__ import annotations

import io
import logging
import re
from typing import Any

from rankscope.extras import import_extra

FRAME = "script, style, noscript, template, nav, header, footer, aside, form"
BLOCKS = (
    "address article aside blockquote br dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li main ol p pre section"
    " table td th tr ul"
).replace(" ", ", ")
BLANKS = re.compile(r"[^\S\n]+")
LINES = re.compile(r" ?\n[ \n]*")


def html_tree(page: str) -> Any:
    """A page of HTML as selectolax has it."""
    return import_extra("selectolax.lexbor", "selectolax", "documents").LexborHTMLParser(page)


def html_texts(tree: Any) -> dict[str, str]:
    """Title and text of a page, what is empty left out; the tree loses what frames the page.

    >>> html_texts(html_tree("<title>Foxes</title><nav>Home</nav><main>A fox<p>in a den</main>"))
    {'title': 'Foxes', 'text': 'A fox\\nin a den'}
    """
    heading = tree.css_first("title") or tree.css_first("h1")
    title = "" if heading is None else " ".join(heading.text().split())
    for node in tree.css(FRAME):
        node.decompose()
    body = tree.css_first("main") or tree.css_first("article") or tree.body
    fields = {"title": title, "text": "" if body is None else _lines(body)}
    return {key: text for key, text in fields.items() if text}


def _lines(body: Any) -> str:
    """The text, with new lines where elements part it."""
    for node in body.css(BLOCKS):
        node.insert_before("\n")
        node.insert_after("\n")
    return LINES.sub("\n", BLANKS.sub(" ", str(body.text(separator="")))).strip()


def pdf_texts(raw: bytes) -> dict[str, str] | None:
    """Title and text of a PDF, what is empty left out; None if it is locked. A damaged one raises what pypdf raises."""
    pypdf = import_extra("pypdf", "pypdf", "documents")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what matters of its complaints ends up in ours
    document = pypdf.PdfReader(io.BytesIO(raw))
    if document.is_encrypted and not document.decrypt(""):
        return None
    pages = [page.extract_text() for page in document.pages]
    title = str((document.metadata or {}).get("/Title") or "")
    fields = {"title": " ".join(title.split()), "text": "\n".join(pages).strip()}
    return {key: storable_text(text) for key, text in fields.items() if text}


def storable_text(text: str) -> str:
    """Text that every file can hold: no NUL, no half of a letter.

    >>> storable_text("a\\0fox\\udc80")
    'a fox?'
    """
    return text.replace("\0", " ").encode(errors="replace").decode()
