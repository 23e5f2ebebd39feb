"""The request of each topic: a template of JSON with places that its id, text, parts and vector fill."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import InputError
from rankscope.core.names import name_of
from rankscope.core.wording import how_many, setting_usage
from rankscope.engines.live.endpoint import Dialect
from rankscope.inputs.documents.topics import QuerySet

Vectors = Mapping[str, list[float]]
MOST_SHOWN = 10


def requests_of(
    queries: QuerySet,
    texts: Mapping[str, str],
    template: RequestTemplate,
    dialect: Dialect,
    vectors: Vectors | None = None,
) -> dict[str, dict[str, Any]]:
    """The request of each topic; all that is wrong with the template and the vectors is said at once."""
    problems = [*template.problems(queries.names, dialect.paged), *_about_vectors(queries, template, vectors)]
    if problems:
        raise InputError.of(template.name, problems)
    return {
        topic: template.filled(
            TopicValues(topic, texts[topic], queries.parts[topic], None if vectors is None else vectors[topic])
        )
        for topic in texts
    }


def _about_vectors(queries: QuerySet, template: RequestTemplate, vectors: Vectors | None) -> list[str]:
    usage = setting_usage("vectors", "FILE")
    if VECTOR not in template.places:
        return [] if vectors is None else [f"has no place {{{VECTOR}}} for what {usage} holds"]
    if vectors is None:
        return [f"has a place {{{VECTOR}}}: give the vectors of the topics with {usage}"]
    missing = [each for each in queries if each not in vectors]
    more = f" and {len(missing) - MOST_SHOWN:,} more" if len(missing) > MOST_SHOWN else ""
    return [f"{usage} has no vector of topic {', '.join(missing[:MOST_SHOWN])}{more}"] if missing else []


def read_vectors(given: Any) -> dict[str, list[float]]:
    """Vectors by the ids of topics: a file of vectors with ids (.npz, Parquet), or a dictionary.

    Numbers of 32 bits are written with the shortest decimals that mean them.
    >>> read_vectors({7: np.array([0.1, 0.5], dtype=np.float32)})
    {'7': [0.1, 0.5]}
    """
    if isinstance(given, Mapping):
        return {str(topic): _decimals(np.asarray(vector)) for topic, vector in given.items()}
    from rankscope.inputs.feature_files import read_contents

    found = read_contents(Path(given))
    if found.ids is None:
        raise InputError.of(name_of(given), ["has no ids, so its vectors belong to no topic"])
    ids: Sequence[Any] = found.ids.tolist() if isinstance(found.ids, np.ndarray) else found.ids
    if len(ids) != len(found.matrix):
        raise InputError.of(name_of(given), [f"has {len(ids):,} ids and {how_many(len(found.matrix), 'vectors')}"])
    return {str(topic): _decimals(vector) for topic, vector in zip(ids, found.matrix, strict=True)}


def _decimals(vector: Any) -> list[float]:
    if vector.ndim != 1 or not np.issubdtype(vector.dtype, np.number) or not np.isfinite(vector).all():
        raise InputError.of("vectors", ["each must be a row of finite numbers"])
    return [float(str(each)) for each in vector]


PLACE = re.compile(r"\{\{([A-Za-z][\w.-]*)\}\}|\{([A-Za-z][\w.-]*)\}")
QUERY, ESCAPED, VECTOR, TOPIC = "query", "query.escaped", "vector", "topic."
TOPIC_ID = f"{TOPIC}id"


@dataclass(frozen=True)
class TopicValues:
    """What a topic puts into the places: its id, text and parts, and its vector where there is one."""

    id: str
    text: str
    parts: Mapping[str, str]
    vector: list[float] | None = None

    def value(self, place: str, dropped: str) -> Any:
        if place == VECTOR:
            return self.vector
        if place.startswith(TOPIC):
            return self.id if place == TOPIC_ID else self.parts.get(place.removeprefix(TOPIC), "")
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
            raise InputError.of(name_of(given), [f"is no JSON: {error}"], _template_advice()) from None
        if not isinstance(body, dict):
            raise InputError.of(name_of(given), ["must be an object of JSON"], _template_advice())
        return cls(body, name_of(given), dropped)

    @property
    def places(self) -> tuple[str, ...]:
        """The names of all places, each once."""
        return tuple(dict.fromkeys(_places(self.body)))

    def filled(self, topic: TopicValues) -> dict[str, Any]:
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
        known = [QUERY, ESCAPED, VECTOR, TOPIC_ID, *(f"{TOPIC}{name}" for name in parts)]
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


def _template_advice() -> str:
    return f'A request is JSON with places that topics fill, as {{"query": {{"match": {{"title": "{{{QUERY}}}"}}}}}}.'


SIGNS = re.compile(r'[+\-=&|!(){}\[\]^"~*?:\\/]')
OPERATORS = re.compile(r"(?<!\S)(?=(?:AND|OR|NOT)(?!\S))")


def escape_words(text: str, dropped: str = "") -> str:
    r"""The text with a backslash before each sign and each operator; `dropped` are signs that cannot have one.

    >>> print(escape_words("C++ AND (what?)"))
    C\+\+ \AND \(what\?\)
    """
    kept = text.translate(dict.fromkeys(map(ord, dropped), " "))
    return OPERATORS.sub(r"\\", SIGNS.sub(r"\\\g<0>", kept))
