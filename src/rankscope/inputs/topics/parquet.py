"""Parquet tables with an id column and texts."""

from __future__ import annotations

from collections.abc import Iterator

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.parquet import frames
from rankscope.inputs.formats.parquet_layout import MAGIC
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.topics.format import Topic, TopicReader, topic_of


def recognises(head: bytes) -> bool:
    """By its first four bytes."""
    return head.startswith(MAGIC)


def read(source: Source, reading: Reading, problems: Problems) -> Iterator[Topic]:
    """A topic from each row."""
    row = 0
    for frame in frames(source, problems):
        for values in frame.iter_rows(named=True):
            row += 1
            topic = topic_of(row, values, problems, "row")
            if topic is not None:
                yield topic


PARQUET_TOPICS = TopicReader(
    name="parquet",
    about="Parquet tables with an id and texts",
    read=read,
    recognises=recognises,
    word="row",
)
