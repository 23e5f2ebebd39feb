"""TREC's topics, and those of CLEF that are written alike: <top>, <num>, <title>, <desc>, <narr>."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.trec_sgml import plain
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.text_streams import records, text_blocks
from rankscope.inputs.topics.format import Topic, TopicReader

BEGIN = re.compile(r"<top(?:\s[^<>]*)?>", re.IGNORECASE)
TAG = re.compile(r"<((?:[a-z]{2}-)?(?:num|dom|title|desc|narr|smry|con|fac|def))(?:\s[^<>]*)?>", re.IGNORECASE)
LABEL = re.compile(
    r"\s*(?:Number|Topic|Domain|Description|Narrative|Summary|Concept\(s\)|Factor\(s\)|Definition\(s\))\s*:", re.I
)
NUMBER = re.compile(r"\A0+(?=\d+$)")
SAMPLE = re.compile(rb"<top(?:\s[^<>]*)?>\s*(?:<!--.*?-->\s*)?<(?:head|num)", re.IGNORECASE | re.DOTALL)


def recognises(head: bytes) -> bool:
    """<top> and <num> stand in its beginning."""
    return SAMPLE.search(head) is not None


def read(source: Source, reading: Reading, problems: Problems) -> Iterator[Topic]:
    """A topic from each <top>; numbers lose their zeros in front, which judgements do not have."""
    for line, text in records(text_blocks(source, reading.encoding, problems), BEGIN):
        if not BEGIN.match(text):
            continue
        _, *rest = TAG.split(text)
        parts = {tag.lower(): _text(inside) for tag, inside in zip(rest[::2], rest[1::2], strict=True)}
        number = NUMBER.sub("", parts.pop("num", ""))
        if number:
            yield Topic(line, number, _in_one_language(parts))
        else:
            problems.add(f"line {line}", "<top> has no <num>", order=line)


def _text(inside: str) -> str:
    return " ".join(plain(LABEL.sub("", inside, count=1)).split())


def _in_one_language(parts: dict[str, str]) -> dict[str, str]:
    """Names without the language in front, where there is one language only.

    >>> _in_one_language({"en-title": "foxes", "en-desc": "Find foxes."})
    {'title': 'foxes', 'desc': 'Find foxes.'}
    """
    languages = {name[:2] for name in parts if name[2:3] == "-"}
    return (
        parts if len(languages) != 1 else {name[3:] if name[2:3] == "-" else name: text for name, text in parts.items()}
    )


TREC_TOPICS = TopicReader(
    name="trec",
    about="TREC and CLEF: <top> with <num>, <title>, <desc>, <narr>, or <EN-title> and so on",
    read=read,
    recognises=recognises,
)
