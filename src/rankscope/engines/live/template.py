"""The request as a user writes it: JSON with places that each topic fills."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankscope.catalogue import did_you_mean
from rankscope.engines.live.escaping import escape_words
from rankscope.errors import InputError
from rankscope.names import name_of
from rankscope.wording import setting_usage

PLACE = re.compile(r"\{\{([A-Za-z][\w.-]*)\}\}|\{([A-Za-z][\w.-]*)\}")
QUERY, ESCAPED, VECTOR, TOPIC = "query", "query.escaped", "vector", "topic."
ID = f"{TOPIC}id"


@dataclass(frozen=True)
class TopicValues:
    """What a topic puts into the places: its id, text and parts, and its vector where there is one."""

    id: str
    text: str
    parts: Mapping[str, str]
    vector: list[float] | None = None

    def value(self, place: str, dropped: str) -> Any:
        """What belongs into a place."""
        if place == VECTOR:
            return self.vector
        if place.startswith(TOPIC):
            return self.id if place == ID else self.parts.get(place.removeprefix(TOPIC), "")
        return escape_words(self.text, dropped) if place == ESCAPED else self.text


@dataclass(frozen=True)
class RequestTemplate:
    """A request with places in its texts: `{query}`, `{query.escaped}`, `{topic.desc}`, `{topic.id}`, `{vector}`.

    A text that is a place and nothing else becomes its value, so that "{vector}" is a list of numbers. Two braces stand
    for one, as in `{{query}}`; other braces stay as they are.
    >>> template = RequestTemplate({"q": "{!knn f=v}{vector}", "fq": ["lang:{topic.lang}"]})
    >>> template.filled(TopicValues("1", "wing", {"lang": "en"}, [0.5, 1.0]))
    {'q': '{!knn f=v}[0.5, 1.0]', 'fq': ['lang:en']}
    """

    body: Mapping[str, Any]
    name: str = "the request"
    dropped: str = ""  # signs that cannot be escaped

    @classmethod
    def read(cls, given: str | Path | Mapping[str, Any], dropped: str = "") -> RequestTemplate:
        """From a file of JSON, or from a dictionary."""
        if isinstance(given, Mapping):
            return cls(given, dropped=dropped)
        try:
            body = json.loads(Path(given).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError.of(name_of(given), [f"cannot be read: {error.strerror}"]) from None
        except (ValueError, RecursionError) as error:
            raise InputError.of(name_of(given), [f"is no JSON: {error}"], _advice()) from None
        if not isinstance(body, dict):
            raise InputError.of(name_of(given), ["must be an object of JSON"], _advice())
        return cls(body, name_of(given), dropped)

    @property
    def places(self) -> tuple[str, ...]:
        """The names of all places, each once."""
        return tuple(dict.fromkeys(_places(self.body)))

    def filled(self, topic: TopicValues) -> dict[str, Any]:
        """The request of a topic."""
        return {self._in_text(name, topic): self._in(value, topic) for name, value in self.body.items()}

    def _in(self, value: Any, topic: TopicValues) -> Any:
        if isinstance(value, Mapping):
            return {self._in_text(name, topic): self._in(each, topic) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self._in(each, topic) for each in value]
        if not isinstance(value, str):
            return value
        whole = PLACE.fullmatch(value)
        return topic.value(whole[2], self.dropped) if whole and whole[2] else self._in_text(value, topic)

    def _in_text(self, text: str, topic: TopicValues) -> str:
        def value(place: re.Match[str]) -> str:
            if place[1]:
                return f"{{{place[1]}}}"
            found = topic.value(place[2], self.dropped)
            return found if isinstance(found, str) else json.dumps(found)

        return PLACE.sub(value, text)

    def problems(self, parts: tuple[str, ...], paged: tuple[str, ...]) -> Iterator[str]:
        """What is wrong with it for topics that have these parts and an engine that pages by these members."""
        known = [QUERY, ESCAPED, VECTOR, ID, *(f"{TOPIC}{name}" for name in parts)]
        for place in self.places:
            if place not in known:
                yield f"no place {{{place}}}{did_you_mean(place, known)} There are: {_listed(known)}"
        if not self.places:
            yield f"has no place for the topic, as {{{QUERY}}}: every topic would ask the same"
        for name in paged:
            if name in self.body:
                depth, size = setting_usage("depth", "K"), setting_usage("page_size", "N")
                yield f"'{name}' says which page: leave it out, and give {depth} or {size}"


def _places(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _places(str(name))
            yield from _places(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _places(each)
    elif isinstance(value, str):
        yield from (found[2] for found in PLACE.finditer(value) if found[2])


def _listed(places: list[str]) -> str:
    return ", ".join(f"{{{each}}}" for each in places)


def _advice() -> str:
    return f'A request is JSON with places that topics fill, as {{"query": {{"match": {{"title": "{{{QUERY}}}"}}}}}}.'
