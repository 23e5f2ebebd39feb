"""TREC's SGML, which is no XML: <DOC>, <DOCNO>, a headline and texts, found by patterns as everybody does.

Documents of CLEF's newspapers are written so too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.text_streams import records, text_blocks

BEGIN = re.compile(r"<doc(?:\s[^<>]*)?>", re.IGNORECASE)
END = re.compile(r"</doc\s*>", re.IGNORECASE)
NUMBER = re.compile(r"<(docno|docid)\s*>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
TITLE = re.compile(
    r"<(title(?:-\w\w)?|headline|hl|ttl|ti|head|h3)(?:\s[^<>]*)?>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL
)
TEXT = re.compile(
    r"<(text|leadpara|lp|lead|body|abstract(?:-\w\w)?)(?:\s[^<>]*)?>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL
)
TAG = re.compile(r"<!--.*?-->|</?[A-Za-z!?][^<>]*>", re.DOTALL)
BLANKS = re.compile(r"[ \t]*\n[ \t\n]*")
SAMPLE = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*|<\w+>\s*)?<doc(?:\s[^<>]*)?>", re.I | re.S
)


def recognises(head: bytes) -> bool:
    """<DOC> begins it, perhaps inside one more element, and <DOCNO> follows."""
    return SAMPLE.match(head) is not None and re.search(rb"<docno|<docid", head, re.IGNORECASE) is not None


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """A document from each <DOC>."""
    none = True
    for line, text in records(text_blocks(source, reading.encoding, problems), BEGIN):
        if not BEGIN.match(text):
            continue
        none = False
        record = _record(line, text, problems)
        if record is not None:
            yield record
    if none:
        problems.add("", "holds no <DOC>")


def _record(line: int, text: str, problems: Problems) -> Record | None:
    place = f"line {line}"
    ending = END.search(text)
    if ending is None:
        problems.add(place, "<DOC> has no end", "Was the file cut off?", line)
        return None
    inside = text[BEGIN.match(text).end() : ending.start()]  # type: ignore[union-attr]
    number = NUMBER.search(inside)
    if number is None or not plain(number[2]):
        problems.add(place, "<DOC> has no <DOCNO>", order=line)
        return None
    inside = inside[: number.start()] + inside[number.end() :]
    title = TITLE.search(inside)
    if title is not None:
        inside = inside[: title.start()] + "\n" + inside[title.end() :]
    texts = [found[2] for found in TEXT.finditer(inside)]
    fields = {"title": plain(title[2]) if title else "", "text": plain("\n".join(texts) if texts else inside)}
    return Record(line, plain(number[2]), {name: each for name, each in fields.items() if each})


def plain(marked: str) -> str:
    """Text without tags, with the signs that entities stand for.

    >>> plain(" <P>R&amp;D,\\n   x &lt; y</P> ")
    'R&D,\\nx < y'
    """
    return BLANKS.sub("\n", html.unescape(TAG.sub(" ", marked))).strip()


TREC_DOCUMENTS = DocumentReader(
    name="trec",
    about="TREC's SGML: <DOC> with <DOCNO>, a headline and <TEXT>; CLEF's newspapers too",
    suffixes=(".sgml", ".sgm", ".trec"),
    read=read,
    recognises=recognises,
)
