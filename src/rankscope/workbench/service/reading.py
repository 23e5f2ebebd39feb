"""What a request says: parameters of an address or a form, and bodies of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from starlette.requests import Request

from rankscope.workbench.service.refusals import Refusal

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
        return in_range(name, int(value), least, most)

    def flag(self, name: str, otherwise: bool = False) -> bool:
        """Yes or no; a name alone is yes."""
        value = self.first.get(name)
        if value is None:
            return otherwise
        if value.lower() not in YES | NO:
            raise Refusal(400, f"{name}={value[:40]}: must be true or false")
        return value.lower() in YES


def in_range(name: str, number: int, least: int, most: int) -> int:
    """A number where it is between two, which are in the range too."""
    if not least <= number <= most:
        advice = f"at most {most:,} are given at once" if number > most else f"must be {least} or more"
        raise Refusal(400, f"{name}={number}: {advice}")
    return number


def parameters_of(request: Request) -> Parameters:
    """Those of the address."""
    return Parameters.of_text(request.scope["query_string"].decode("latin-1"))


def kind_of(request: Request) -> str:
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
