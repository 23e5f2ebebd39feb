"""A page as title, text and links: what a confined process does, because pages are written by anybody."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from rankscope.core.sandbox import MOST_MEMORY, limit_time, serve_confined
from rankscope.inputs.documents.single_files import html_texts, html_tree, pdf_texts, storable_text


@dataclass(frozen=True)
class Parsed:
    """What a page says: `links` as they are written in it, `base` what they start from where it says so.

    `problem` is why nothing could be read, `hidden` that the page asks not to be stored.
    """

    title: str = ""
    text: str = ""
    links: tuple[str, ...] = ()
    base: str = ""
    hidden: bool = False
    problem: str = ""


def parse_page(kind: PageKind, body: bytes, charset: str) -> Parsed:
    """A page of a kind from its bytes.

    >>> parse_page("text", b" a fox", "")
    Parsed(title='', text='a fox', links=(), base='', hidden=False, problem='')
    """
    if kind == "html":
        return parse_html(decoded_page(body, charset))
    if kind == "pdf":
        texts = pdf_texts(body)
        if texts is None:
            return Parsed(problem="is locked with a password")
        return Parsed(title=texts.get("title", ""), text=texts.get("text", ""))
    return Parsed(text=storable_text(decoded_page(body, charset)).strip())


MOST_LINKS = 10_000


def parse_html(page: str) -> Parsed:
    """All of a page; links also from what frames it.

    >>> parse_html("<title>Foxes</title><nav><a href=b.html>more</a></nav><p>A fox")
    Parsed(title='Foxes', text='A fox', links=('b.html',), base='', hidden=False, problem='')
    """
    tree = html_tree(page)
    # What the page asks of those who gather it: nofollow, noindex.
    named = [node for node in tree.css("meta[name][content]") if _attribute(node, "name").lower() == "robots"]
    words = {word for node in named for word in re.split(r"[\s,]+", _attribute(node, "content").lower())}
    asked = words | ({"nofollow", "noindex"} if "none" in words else set())
    base = tree.css_first("base[href]")
    nodes = () if "nofollow" in asked else tree.css("a[href], area[href]")
    followed = (node for node in nodes if "nofollow" not in _attribute(node, "rel").lower())
    texts = html_texts(tree)
    return Parsed(
        title=storable_text(texts.get("title", "")),
        text=storable_text(texts.get("text", "")).strip(),
        links=tuple(dict.fromkeys(_attribute(node, "href") for node in followed))[:MOST_LINKS],
        base=_attribute(base, "href") if base else "",
        hidden="noindex" in asked,
    )


def _attribute(node: Any, name: str) -> str:
    return storable_text(node.attributes.get(name) or "").strip()


NAMED_ENCODING = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
NAMED_WITHIN = 4096
BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
KNOWN_ENCODINGS = re.compile(
    "utf-(?:8|16|16-le|16-be)|cp(?:125[0-8]|866|874|932|949)|iso8859-(?:[2-9]|1[0-6])|koi8-[ru]|mac-(?:roman|cyrillic)"
    "|gb2312|gbk|gb18030|big5|big5hkscs|euc_jp|iso2022_jp|shift_jis|euc_kr"
)
AS_WINDOWS = ("ascii", "iso8859-1")  # browsers read these as cp1252, and so do authors


def decoded_page(body: bytes, spoken: str = "") -> str:
    """A page as text: by its mark, else as its server says, else as it says itself, else as UTF-8, else as cp1252.

    What cannot be in one of these encodings is read in the next.
    >>> decoded_page("café".encode("latin-1"), "utf-8"), decoded_page("café".encode(), "no-such")
    ('café', 'café')
    >>> decoded_page('<meta charset="koi8-r">лиса'.encode("koi8-r"))[-4:]
    'лиса'
    """
    named = NAMED_ENCODING.search(body[:NAMED_WITHIN])
    marks = [encoding for mark, encoding in BYTE_ORDER_MARKS if body.startswith(mark)]
    for encoding in [*marks, _codec(spoken), _codec(named[1].decode("ascii")) if named else "", "utf-8"]:
        try:
            if encoding:
                return body.decode(encoding)
        except UnicodeError:
            continue
    return body.decode("cp1252", "replace")


def _codec(name: str) -> str:
    """The encoding of this name; nothing where there is none that pages are written in."""
    try:
        known = codecs.lookup(name.strip().strip("\"'")).name
    except (LookupError, ValueError):
        return ""
    return "cp1252" if known in AS_WINDOWS else known if KNOWN_ENCODINGS.fullmatch(known) else ""


# What kind of page an answer is: by what its server says, and by its first bytes where it says nothing.

PageKind = Literal["html", "pdf", "text"]
PAGE_KINDS: tuple[PageKind, ...] = get_args(PageKind)
BY_TYPE: dict[str, PageKind] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "text/plain": "text",
    "text/markdown": "text",
}
UNSAID = ("", "application/octet-stream", "binary/octet-stream")


def media_type(headers: Mapping[str, str]) -> tuple[str, str]:
    """The type that the headers give, and its charset.

    >>> media_type({"content-type": 'Text/HTML; charset="koi8-r"'})
    ('text/html', 'koi8-r')
    """
    kind, *options = headers.get("content-type", "").split(";")
    pairs = (option.partition("=") for option in options)
    charsets = [value.strip().strip("\"'") for name, _, value in pairs if name.strip().lower() == "charset"]
    return kind.strip().lower(), charsets[0] if charsets else ""


def may_be_page(headers: Mapping[str, str]) -> bool:
    """Whether the body is worth having."""
    kind, _ = media_type(headers)
    return kind in BY_TYPE or kind in UNSAID


def page_kind(headers: Mapping[str, str], body: bytes) -> PageKind | None:
    """The kind of a page; None where it is no page.

    >>> page_kind({}, b"%PDF-1.7"), page_kind({"content-type": "text/html"}, b"a fox"), page_kind({}, b"PK")
    ('pdf', 'html', None)
    """
    kind, _ = media_type(headers)
    begin = body[:1024].lstrip().lower()
    if begin.startswith(b"%pdf-"):
        return "pdf"
    if kind in BY_TYPE:
        return BY_TYPE[kind]
    return "html" if begin.startswith((b"<!doctype html", b"<html")) else None


PARSING_SECONDS = 30  # of processor time, for one page
LARGEST_PAGE = 1 << 30


def serve_parses() -> None:
    """Parse what comes on standard input, until nobody is there any more."""

    def answer(task: bytes, body: bytes) -> Sequence[bytes]:
        kind, charset = json.loads(task)
        limit_time(PARSING_SECONDS)
        return [json.dumps(asdict(parsed_or_problem(kind, body, charset))).encode()]

    serve_confined(answer, LARGEST_PAGE)


def parsed_or_problem(kind: PageKind, body: bytes, charset: str) -> Parsed:
    """What a page says, or why that cannot be known."""
    try:
        return parse_page(kind, body, charset)
    except MemoryError:
        return Parsed(problem=f"takes more than {MOST_MEMORY >> 20} MB of memory to be read as {kind}")
    except Exception as error:  # whatever a parser does with a damaged page
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        return Parsed(problem=f"cannot be read as {kind}: {reason}")
