"""Files that are one document each: pages of HTML, PDF, Markdown, plain text; and title and text of pages of HTML and
of PDF, from files and from the web alike. It loads nothing heavy: selectolax and pypdf are extras, loaded when
needed.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from typing import Any

from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError, RankscopeError
from rankscope.inputs import texts
from rankscope.inputs.documents.registry import DocumentReader, DocumentRecord
from rankscope.inputs.problems import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source, without_marks
from rankscope.inputs.texts import LONGEST, TOO_LONG

# Pages of HTML: each is one document; what frames a page is left out.

HTML_BEGIN = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
HTML_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)


def read_html(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
    raw = whole_bytes(source)
    yield DocumentRecord(1, name, html_texts(html_tree(decoded_page(raw, reading.encoding))))


def decoded_page(raw: bytes, encoding: str) -> str:
    """The text of a page: in the encoding asked for, in the one that it names, else as browsers do.

    >>> decoded_page(b'<meta charset="latin-1">caf\\xe9', "utf-8")[-4:], decoded_page("café".encode(), "utf-8")
    ('café', 'café')
    """
    named = HTML_CHARSET.search(raw[:4096])
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
    read=read_html,
    recognises=lambda head: HTML_BEGIN.match(head) is not None,  # a document type or <html> begins it
    single=True,
)


# PDF files: each is one document, its text as far as it has any.


def read_pdf(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
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
    yield DocumentRecord(1, name, fields)


PDF = DocumentReader(
    name="pdf",
    about="PDF files, each one document",
    suffixes=(".pdf",),
    read=read_pdf,
    recognises=lambda head: head[:1024].lstrip().startswith(b"%PDF-"),  # by its first bytes
    word="page",
    single=True,
)


# Markdown files: each is one document, its first heading the title.

FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
HEADING = re.compile(r"^(?:#{1,6}[ \t]+(?P<marked>.+?)[ \t#]*|(?P<underlined>\S.*)\n(?:=+|-{3,})[ \t]*)$", re.MULTILINE)
LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
SIGNS = re.compile(
    r"^[ \t]*(?:```.*|[-*_]{3,}[ \t]*|\|?[ \t:|-]{5,}|={3,}[ \t]*)$|^[ \t]*(?:#{1,6}|>+|[-*+])[ \t]+|\*\*|`",
    re.MULTILINE,
)


def read_markdown(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
    fields = marked_texts(whole_text(source, reading.encoding, problems))
    yield DocumentRecord(1, name, {key: text for key, text in fields.items() if text})


def marked_texts(text: str) -> dict[str, str]:
    """Title and text, without the signs that only mark and without addresses of links.

    >>> marked_texts("# A *fox*\\n\\nSee [its den](https://example.org) **now**.\\n- `one`\\n")
    {'title': 'A *fox*', 'text': 'See its den now.\\none'}
    """
    body = FRONT.sub("", text)
    heading = HEADING.search(body)
    title = "" if heading is None else heading["marked"] or heading["underlined"]
    rest = body if heading is None else body[: heading.start()] + body[heading.end() :]
    return {"title": _unmarked(title), "text": _unmarked(rest)}


def _unmarked(text: str) -> str:
    return SIGNS.sub("", LINK.sub(r"\1", text)).strip()


MARKDOWN = DocumentReader(
    name="md",
    about="Markdown files, each one document with its first heading as title",
    suffixes=(".md", ".markdown"),
    read=read_markdown,
    single=True,
)


# Text files: each is one document, its name the id.


def read_plain_text(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
    yield DocumentRecord(1, name, {"text": whole_text(source, reading.encoding, problems).strip()})


PLAIN_TEXT = DocumentReader(
    name="txt",
    about="text files, each one document",
    suffixes=(".txt", ".text"),
    read=read_plain_text,
    single=True,
)


# Files that are one document each: their bytes, of which there must not be too many, and their text.


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


FRAME_TAGS = "script, style, noscript, template, nav, header, footer, aside, form"
BLOCK_TAGS = (
    "address article aside blockquote br dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li main ol p pre section"
    " table td th tr ul"
).replace(" ", ", ")
BLANKS = re.compile(r"[^\S\n]+")
LINE_BREAKS = re.compile(r" ?\n[ \n]*")


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
    for node in tree.css(FRAME_TAGS):
        node.decompose()
    body = tree.css_first("main") or tree.css_first("article") or tree.body
    fields = {"title": title, "text": "" if body is None else _text_with_lines(body)}
    return {key: text for key, text in fields.items() if text}


def _text_with_lines(body: Any) -> str:
    """The text, with new lines where elements part it."""
    for node in body.css(BLOCK_TAGS):
        node.insert_before("\n")
        node.insert_after("\n")
    return LINE_BREAKS.sub("\n", BLANKS.sub(" ", str(body.text(separator="")))).strip()


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
