"""JSON lines: one object a line, as BEIR's queries.jsonl."""

from __future__ import annotations

from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.json_lines import objects
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.topics.format import Topic, TopicReader, topic_of


def recognises(head: bytes) -> bool:
    """An object begins it."""
    return head.lstrip()[:1] == b"{"


def read(source: Source, reading: Reading, problems: Problems) -> Iterator[Topic]:
    """A topic from each line."""
    for line, row in objects(source, reading, problems):
        topic = topic_of(line, row, problems)
        if topic is not None:
            yield topic


JSON_TOPICS = TopicReader(
    name="jsonl",
    about="JSON lines with an id and texts, as BEIR's queries.jsonl",
    read=read,
    recognises=recognises,
)
