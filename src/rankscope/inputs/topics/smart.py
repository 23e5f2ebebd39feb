"""SMART's query files: .I number and .W text."""

from __future__ import annotations

from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.smart import FIELDS, recognises, sections_of, split_sections
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.topics.format import Topic, TopicReader


def read(source: Source, reading: Reading, problems: Problems) -> Iterator[Topic]:
    """A topic from each .I."""
    for line, text in sections_of(source, reading, problems):
        number, sections = split_sections(text)
        if number:
            parts = {
                FIELDS[letter]: " ".join(inside.split()) for letter, inside in sections.items() if letter in FIELDS
            }
            yield Topic(line, number, parts)
        else:
            problems.add(f"line {line}", ".I has no number behind it", order=line)


SMART_TOPICS = TopicReader(
    name="smart",
    about="SMART: .I number, .W text",
    read=read,
    recognises=recognises,
)
