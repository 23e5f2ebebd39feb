"""Topics, queries with an id and one part or several, from whatever holds them: a file of any format, a BEIR folder, a
set of ir_datasets, a dictionary.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import InputError, SettingError
from rankscope.core.wording import setting_usage
from rankscope.inputs import irds, texts
from rankscope.inputs.documents.registry import BINARY_TOPICS, TOPIC_FORMATS, TopicFormat, TopicRecord
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source, packed_or_not

BEIR_QUERIES = "queries.jsonl"  # in a BEIR folder


def read_topics(topics: Any, reading: Reading | None = None, *, download: bool = False) -> QuerySet:
    """Topics from a file, a BEIR folder, a set of ir_datasets, standard input, or a dictionary of texts or parts.

    All bad records of a file are told at once; a second topic of an id is one.
    """
    if isinstance(topics, QuerySet):
        return topics
    if isinstance(topics, Mapping):
        parts = {str(query): each if isinstance(each, Mapping) else {"text": each} for query, each in topics.items()}
        return QuerySet({query: {str(name): str(text) for name, text in each.items()} for query, each in parts.items()})
    if irds.is_irds(topics):
        return QuerySet(dict(irds.irds_queries(str(topics), download)), str(topics))
    how = reading or Reading()
    source = _source_of_topics(topics, how)
    problems = Problems(source.name)
    chosen = TOPIC_FORMATS.find(how.format) if how.format else _recognised_topics(source, how.encoding)
    found = _distinct(chosen.read(source, how, problems), chosen.word, problems)
    if not found and not problems.any:
        problems.add("", "holds no topic", f"Formats: {', '.join(TOPIC_FORMATS.names())}.")
    problems.raise_if_any()
    return QuerySet(found, source.name)


def _source_of_topics(path: str | Path, reading: Reading) -> Source:
    """The file; in a folder, where BEIR has its queries."""
    if str(path) == "-" or not os.path.isdir(path):
        return Source.of(path, reading.max_ratio)
    found = packed_or_not(Path(path), BEIR_QUERIES)
    if found is None:
        raise InputError.of(str(path), [f"is a folder without {BEIR_QUERIES}"], "Name the file of the topics.")
    return Source(str(found), max_ratio=reading.max_ratio)


def _recognised_topics(source: Source, encoding: str) -> TopicFormat:
    raw = source.head()
    text = texts.utf8_beginning(raw, encoding)
    for each in (*TOPIC_FORMATS.added(), *TOPIC_FORMATS.own()):
        if each.recognises(raw if each.name in BINARY_TOPICS else text):
            return each
    what = "is in no format of topics known here" if raw else "is empty"
    raise InputError.of(source.name, [what], f"Formats: {', '.join(TOPIC_FORMATS.names())}.")


def _distinct(topics: Iterator[TopicRecord], word: str, problems: Problems) -> dict[str, dict[str, str]]:
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


# Queries with an id and one part or several: a title, a description, a narrative.

USUAL_PARTS = ("title", "text", "query", "keywords", "question")  # the part that is searched for where none is named


@dataclass(frozen=True)
class QuerySet:
    """Queries in the order of their file, each with its parts by name.

    >>> queries = QuerySet({"301": {"title": "organized crime", "desc": "Identify organizations."}})
    >>> queries.texts(), queries.texts("title+desc")
    ({'301': 'organized crime'}, {'301': 'organized crime\\nIdentify organizations.'})
    """

    parts: Mapping[str, Mapping[str, str]]
    name: str = "topics"

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, in the order they first come."""
        return tuple(dict.fromkeys(name for each in self.parts.values() for name in each))

    def texts(self, parts: str | Sequence[str] | None = None) -> dict[str, str]:
        """The text of each query: the parts asked for, as `title+desc`, else its title or what stands for one."""
        wanted = parts.split("+") if isinstance(parts, str) else list(parts or ())
        names = [name.strip().lower() for name in wanted]
        if not names:  # the part that says most shortly what is wanted; of several languages that of the first
            endings = [(name, name.rpartition("-")[2]) for name in self.names]
            found = [name for usual in USUAL_PARTS for name, ending in endings if usual in (name, ending)]
            names = (found or [*self.names, "text"])[:1]
        missing = [name for name in names if name not in self.names]
        if missing:
            given = setting_usage("parts", "+".join(names))
            raise SettingError(f"{given}: {self.name} has {unknown_name('part', missing[0], self.names)}")
        return {query: "\n".join(filter(None, map(each.get, names))) for query, each in self.parts.items()}
