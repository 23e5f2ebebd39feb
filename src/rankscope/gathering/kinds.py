"""What kind of page an answer is: by what its server says, and by its first bytes where it says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

PageKind = Literal["html", "pdf", "text"]
KINDS: tuple[PageKind, ...] = get_args(PageKind)
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
