"""Markdown files: each is one document, its first heading the title."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record
from rankscope.inputs.documents.single import whole_text
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
HEADING = re.compile(r"^(?:#{1,6}[ \t]+(?P<marked>.+?)[ \t#]*|(?P<underlined>\S.*)\n(?:=+|-{3,})[ \t]*)$", re.MULTILINE)
LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
SIGNS = re.compile(
    r"^[ \t]*(?:```.*|[-*_]{3,}[ \t]*|\|?[ \t:|-]{5,}|={3,}[ \t]*)$|^[ \t]*(?:#{1,6}|>+|[-*+])[ \t]+|\*\*|`",
    re.MULTILINE,
)


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """The whole file."""
    fields = marked_texts(whole_text(source, reading.encoding, problems))
    yield Record(1, name, {key: text for key, text in fields.items() if text})


def marked_texts(text: str) -> dict[str, str]:
    """Title and text, without the signs that only mark and without addresses of links.

    >>> marked_texts("# A *fox*\\n\\nSee [its den](https://example.org) **now**.\\n- `one`\\n")
    {'title': 'A *fox*', 'text': 'See its den now.\\none'}
    """
    body = FRONT.sub("", text)
    heading = HEADING.search(body)
    title = "" if heading is None else heading["marked"] or heading["underlined"]
    rest = body if heading is None else body[: heading.start()] + body[heading.end() :]
    return {"title": _plain(title), "text": _plain(rest)}


def _plain(text: str) -> str:
    return SIGNS.sub("", LINK.sub(r"\1", text)).strip()


MARKDOWN = DocumentReader(
    name="md",
    about="Markdown files, each one document with its first heading as title",
    suffixes=(".md", ".markdown"),
    read=read,
    single=True,
)
