"""What a format of topics is to the rest of rankscope."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.ids import id_text, is_unicode
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

ID = ("id", "_id", "qid", "query_id", "query-id", "topic_id", "topic-id", "number", "num", "q_id", "topic")


SHORT = {"description": "desc", "narrative": "narr"}  # parts as TREC calls them


class Topic(NamedTuple):
    """One topic: the line or row it stands in, its id, and its parts by name, in small letters."""

    line: int
    id: str
    parts: dict[str, str]


class TopicFormat(Protocol):
    """What reads topics of one format: an object, or a module with these names; `word` is what it counts."""

    @property
    def name(self) -> str: ...  # noqa: D102  (attributes, explained above)
    @property
    def about(self) -> str: ...  # noqa: D102
    @property
    def word(self) -> str: ...  # noqa: D102

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins so is of this format."""
        ...

    def read(self, source: Source, reading: Reading, problems: Problems) -> Iterator[Topic]:
        """The topics one after another; bad ones are problems."""
        ...


@dataclass(frozen=True)
class TopicReader:
    """A format of topics made of its functions."""

    name: str
    about: str
    read: Callable[[Source, Reading, Problems], Iterator[Topic]]
    recognises: Callable[[bytes], bool]
    word: str = "line"


def topic_of(line: int, values: Mapping[str, Any], problems: Problems, word: str = "line") -> Topic | None:
    """A topic from named values, of which the texts are its parts; None: a problem.

    >>> topic_of(2, {"_id": 7, "text": "foxes", "metadata": {}}, Problems("topics"))
    Topic(line=2, id='7', parts={'text': 'foxes'})
    """
    by_name = {name.strip().lower(): name for name in reversed([*values])}
    key = next((by_name[each] for each in ID if each in by_name), None)
    name = None if key is None else id_text(values[key])
    if key is None or name is None or not name.strip():
        what = "has no id" if key is None or values[key] in (None, "") else f"has no id: {shorten_value(values[key])}"
        problems.add(f"{word} {line}", what, f"A topic has an id under one of these names: {', '.join(ID)}.", line)
        return None
    texts = {plain: values[own] for plain, own in by_name.items() if own != key and isinstance(values[own], str)}
    if not all(is_unicode(text) for text in texts.values()):
        problems.add(f"{word} {line}", "holds half of a surrogate pair, which is no text", order=line)
        return None
    return Topic(line, name.strip(), dict(reversed(texts.items())))
