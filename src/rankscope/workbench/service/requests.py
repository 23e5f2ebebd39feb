"""Requests: their parameters and bodies of JSON, why one is refused, answers of JSON, and patterns of names."""

from __future__ import annotations

import fnmatch
import json
import re
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rankscope.core.errors import InputError, MissingExtra, RankscopeError, RunnerError

# What a request says: parameters of an address or a form, and bodies of JSON.

MOST_PARAMETERS = 1000
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
YES, NO = frozenset({"true", "on", "yes", "1", ""}), frozenset({"false", "off", "no", "0"})


class Parameters:
    """Parameters by name, each perhaps several times; what cannot be read is refused with its name.

    >>> asked = Parameters([("fq", "a"), ("fq", "b"), ("rows", "5"), ("hl", "on")])
    >>> asked.all("fq"), asked.whole("rows", 10), asked.flag("hl"), asked.text("q", "*:*")
    (['a', 'b'], 5, True, '*:*')
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.pairs = list(pairs)
        self.first: dict[str, str] = {}
        for name, value in self.pairs:
            self.first.setdefault(name, value)

    @classmethod
    def of_text(cls, text: str) -> Parameters:
        """As they stand behind a question mark, or in the body of a form."""
        try:
            return cls(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_PARAMETERS))
        except ValueError as error:
            raise Refusal(400, f"the parameters cannot be read: {error}") from None

    def __contains__(self, name: str) -> bool:
        return name in self.first

    def __add__(self, other: Parameters) -> Parameters:
        return Parameters([*self.pairs, *other.pairs])

    def all(self, name: str) -> list[str]:
        """Every value of a parameter."""
        return [value for each, value in self.pairs if each == name]

    def text(self, name: str, otherwise: str = "") -> str:
        """The first value of a parameter."""
        return self.first.get(name, otherwise)

    def words(self, name: str) -> list[str]:
        """All values, cut at commas and spaces."""
        return [word for value in self.all(name) for word in value.replace(",", " ").split()]

    def whole(self, name: str, otherwise: int, least: int = 0, most: int = 2**31 - 1) -> int:
        """A whole number between two."""
        value = self.first.get(name)
        if value is None or value == "":
            return otherwise
        if not value.isascii() or not value.lstrip("+-").isdigit() or len(value) > 20:
            raise Refusal(400, f"{name}={value[:40]}: must be a whole number")
        number = int(value)
        if not least <= number <= most:
            advice = f"at most {most:,} are given at once" if number > most else f"must be {least} or more"
            raise Refusal(400, f"{name}={number}: {advice}")
        return number

    def flag(self, name: str, otherwise: bool = False) -> bool:
        """Yes or no; a name alone is yes."""
        value = self.first.get(name)
        if value is None:
            return otherwise
        if value.lower() not in YES | NO:
            raise Refusal(400, f"{name}={value[:40]}: must be true or false")
        return value.lower() in YES


def parameters_of(request: Request) -> Parameters:
    """Those of the address."""
    return Parameters.of_text(request.scope["query_string"].decode("latin-1"))


def body_kind(request: Request) -> str:
    """The kind of body that a request says it has."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def read_json(body: bytes) -> Any:
    """A body of JSON; what is none, or has something that no text may have, is refused."""
    try:
        found = json.loads(body, parse_constant=_no_constant)
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise Refusal(400, f"the body is not JSON: {why[:200]}", "parse_exception") from None
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")


# Why a request gets no answer: one kind of error, with a status, a sentence, and headers.

READ_ONLY = "this service is read-only: index documents with rankscope index, then start it again"
FOLDERS = re.compile(r"(?<![\w:/\\.])(?:[A-Za-z]:[\\/]|/)(?:[^/\\\n:'\",;]+[/\\])*(?=[^/\\\s])")
FAULT = "this is a fault of rankscope, not of the request; the terminal of the service says more"
BROKEN = (InputError, MissingExtra, RunnerError)  # what whoever asks can do nothing about


async def refuse_change(_request: Request) -> Response:
    """Refused: this service is read-only."""
    raise Refusal(403, READ_ONLY)


@dataclass(eq=False)
class Refusal(Exception):  # noqa: N818  (it says what happens)
    """A request that is refused: the status, a sentence for the person who asked, and what kind of problem it is.

    `kind` is a word for programs, such as `index_not_found_exception`; each way in has its own usual ones.
    """

    status: int
    message: str
    kind: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)  # more that an answer says next to the sentence

    def __str__(self) -> str:
        return self.message


def refusal_of(error: Exception, path: str = "", method: str = "") -> Refusal:
    """What an error means for whoever asked; a fault of ours is printed, and nothing of it is sent."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, HTTPException):
        headers = dict(error.headers or {})
        if error.status_code == 404:
            return Refusal(404, f"there is nothing at {path[:200]}", headers=headers)
        if error.status_code == 405:
            return Refusal(405, f"{method} is not possible here: {READ_ONLY}", headers=headers)
        return Refusal(error.status_code, str(error.detail), headers=headers)
    if isinstance(error, RankscopeError):
        broken = isinstance(error, BROKEN)  # other errors speak of the request, which may hold slashes
        return Refusal(500, without_folders(str(error))) if broken else Refusal(400, str(error))
    traceback.print_exception(error, file=sys.stderr)
    return Refusal(500, FAULT)


def without_folders(text: str) -> str:
    """A text with the names of files and without where they lie, which is nothing for whoever asks over a network.

    >>> without_folders("/home/ann/my data/docs.index/a.bin: 1 problem, see C:/data/b.run")
    'a.bin: 1 problem, see b.run'
    """
    return FOLDERS.sub("", text)


# Answers as JSON.

Json = dict[str, Any]
MEDIA = "application/json; charset=utf-8"


def json_bytes(value: object, pretty: bool = False) -> bytes:
    """A value as JSON, perhaps on lines of its own; half a sign becomes a question mark."""
    form: Json = {"indent": 2} if pretty else {"separators": (",", ":")}
    return json.dumps(value, ensure_ascii=False, **form).encode("utf-8", "replace")


def json_answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer of JSON; bytes are JSON already."""
    content = value if isinstance(value, bytes) else json_bytes(value)
    return Response(content, status, dict(headers or {}), MEDIA)


def shown_number(value: float) -> float | None:
    """A score as JSON can hold it, in the shortest digits of its 32 bits.

    >>> import numpy as np
    >>> shown_number(float(np.float32(0.1)))
    0.1
    """
    import numpy as np

    return float(np.format_float_scientific(np.float32(value), unique=True)) if np.isfinite(value) else None


# Names that a pattern means: of indexes, or of fields.

PATTERN_CHARACTERS: Final = frozenset("*?[")
LONGEST_PATTERN: Final = 100  # signs of a pattern


def is_pattern(text: str) -> bool:
    """Whether a text may stand for several names."""
    return not PATTERN_CHARACTERS.isdisjoint(text)


def matching_names(text: str, names: Sequence[str]) -> list[str]:
    """The names that a text means: the same name, or all those of a pattern.

    >>> matching_names("ti*", ["title", "body"]), matching_names("body", ["title", "body"])
    (['title'], ['body'])
    >>> matching_names("x", ["title"])
    []
    """
    if not is_pattern(text):
        return [text] if text in names else []
    if len(text) > LONGEST_PATTERN:
        raise Refusal(400, f"{text[:40]}...: a pattern of names has at most {LONGEST_PATTERN} signs")
    return [name for name in names if fnmatch.fnmatchcase(name, text)]
