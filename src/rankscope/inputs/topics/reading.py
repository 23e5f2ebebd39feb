"""Topics from whatever holds them: a file of any format, a BEIR folder, a set of ir_datasets, a dictionary."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rankscope.errors import InputError
from rankscope.inputs import irds, texts
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source
from rankscope.inputs.topics import BINARY, TOPIC_FORMATS
from rankscope.inputs.topics.format import Topic, TopicFormat
from rankscope.inputs.topics.query_set import QuerySet

QUERIES = "queries.jsonl"  # in a BEIR folder


def read_topics(topics: Any, reading: Reading | None = None, *, download: bool = False) -> QuerySet:
    """Topics from a file, a BEIR folder, a set of ir_datasets, standard input, or a dictionary of texts or parts.

    All bad records of a file are told at once; a second topic of an id is one.
    """
    if isinstance(topics, QuerySet):
        return topics
    if isinstance(topics, Mapping):
        return QuerySet({str(query): _parts(given) for query, given in topics.items()})
    if irds.is_irds(topics):
        return QuerySet(dict(irds.queries(str(topics), download)), str(topics))
    how = reading or Reading()
    source = _source(topics, how)
    problems = Problems(source.name)
    chosen = TOPIC_FORMATS.find(how.format) if how.format else _recognised(source, how.encoding)
    found = _distinct(chosen.read(source, how, problems), chosen.word, problems)
    if not found and not problems.any:
        problems.add("", "holds no topic", f"Formats: {', '.join(TOPIC_FORMATS.names())}.")
    problems.raise_if_any()
    return QuerySet(found, source.name)


def _parts(given: object) -> dict[str, str]:
    return (
        {str(name): str(text) for name, text in given.items()} if isinstance(given, Mapping) else {"text": str(given)}
    )


def _source(path: str | Path, reading: Reading) -> Source:
    """The file; in a folder, where BEIR has its queries."""
    if str(path) == "-" or not os.path.isdir(path):
        return Source.of(path, reading.max_ratio)
    places = (Path(path) / f"{QUERIES}{packed}" for packed in ("", *COMPRESSED_SUFFIXES))
    found = next((each for each in places if each.is_file()), None)
    if found is None:
        raise InputError.of(str(path), [f"is a folder without {QUERIES}"], "Name the file of the topics.")
    return Source(str(found), max_ratio=reading.max_ratio)


def _recognised(source: Source, encoding: str) -> TopicFormat:
    raw = source.head()
    text = texts.beginning(raw, encoding)
    for each in (*TOPIC_FORMATS.added(), *TOPIC_FORMATS.own()):
        if each.recognises(raw if each.name in BINARY else text):
            return each
    what = "is in no format of topics known here" if raw else "is empty"
    raise InputError.of(source.name, [what], f"Formats: {', '.join(TOPIC_FORMATS.names())}.")


def _distinct(topics: Iterator[Topic], word: str, problems: Problems) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    places: dict[str, int] = {}
    for each in topics:
        if each.id in found:
            what = f"topic {shorten_value(each.id)} stands in {word} {places[each.id]} already"
            problems.add(f"{word} {each.line}", what, order=each.line)
            continue
        if not any(text.strip() for text in each.parts.values()):
            problems.add(f"{word} {each.line}", f"topic {shorten_value(each.id)} has no text", order=each.line)
        found[each.id], places[each.id] = each.parts, each.line
    return found
