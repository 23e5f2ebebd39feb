"""A page as title, text and links: what a process of its own does, because pages are written by anybody."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.gathering.encodings import decoded
from rankscope.gathering.kinds import PageKind
from rankscope.inputs.page_texts import pdf_texts, storable_text


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
        from rankscope.gathering.html_pages import parse_html

        return parse_html(decoded(body, charset))
    if kind == "pdf":
        texts = pdf_texts(body)
        if texts is None:
            return Parsed(problem="is locked with a password")
        return Parsed(title=texts.get("title", ""), text=texts.get("text", ""))
    return Parsed(text=storable_text(decoded(body, charset)).strip())
