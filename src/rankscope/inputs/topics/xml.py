"""XML topics of INEX, CLEF and TREC: an element for each, with a number and parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.topics.format import SHORT, Topic, TopicReader
from rankscope.inputs.xml_records import XmlRecord, root_of, xml_records

TOPICS = ("topic", "inex_topic", "inex-topic", "top", "query")
NUMBERS = ("number", "id", "topic_id", "topic-id", "num", "qid", "ct_no")
ELEMENTS = ("identifier", "num", "number", "id")
ADVICE = f"Topics are elements called {', '.join(TOPICS)}."


def recognises(head: bytes) -> bool:
    """It begins as XML does, and an element for a topic stands in its beginning."""
    return bool(root_of(head)) and re.search(rb"<(?:inex[_-])?(?:topic|top|query)[\s>]", head, re.I) is not None


def read(source: Source, reading: Reading, problems: Problems) -> Iterator[Topic]:
    """A topic from each outermost element of these names."""
    count = 0
    for each in xml_records(source, reading.encoding, TOPICS, (), problems):
        count += 1
        number = _number(each)
        if number:
            yield Topic(each.line, number, _parts(each))
        else:
            problems.add(f"line {each.line}", f"<{each.name}> has no number", order=each.line)
    if not count and not problems.any:
        problems.add("", "holds no topic", ADVICE)


def _number(each: XmlRecord) -> str:
    own = next((each.attributes[key] for key in NUMBERS if each.attributes.get(key)), "")
    return (own or next((each.parts[key] for key in ELEMENTS if each.parts.get(key)), "")).strip()


def _parts(each: XmlRecord) -> dict[str, str]:
    texts = {SHORT.get(key, key): " ".join(text.split()) for key, text in each.parts.items() if key not in ELEMENTS}
    return {key: text for key, text in texts.items() if text} or {"text": " ".join(each.text.split())}


XML_TOPICS = TopicReader(
    name="xml",
    about="XML of INEX, CLEF and TREC: <topic>, <inex_topic> or <query> with a number and parts",
    read=read,
    recognises=recognises,
)
