"""What a request asks, read by the types of a dataclass: from the path, the address, a form or JSON.

A field is written `name: Annotated[int, WholeNumber(1, 12), "how many items at once"] = 1`: its rule says what it may
be, its text what it means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin, get_type_hints

from starlette.datastructures import FormData, QueryParams, UploadFile
from starlette.requests import Request

from rankscope.core.catalogue import did_you_mean
from rankscope.core.validation import Rule, Several
from rankscope.workbench.service.requests import JSON, Refusal, body_kind, read_json
from rankscope.workbench.store.events import is_storable

T = TypeVar("T")
READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})  # methods that change nothing


@dataclass(frozen=True)
class Words(Rule):
    """A text of so many signs that every database takes."""

    most: int = 200
    least: int = 0

    def plain(self, value: Any) -> str:
        """As it is."""
        if not isinstance(value, str) or not is_storable(value):
            raise ValueError("must be text")
        if not self.least <= len(value) <= self.most:
            raise ValueError(f"must have {self.least} to {self.most:,} signs, and has {len(value):,}")
        return value


@dataclass(frozen=True)
class Picture(Rule):
    """A file that was sent with a form."""

    def plain(self, value: Any) -> UploadFile:
        """As it came."""
        if not isinstance(value, UploadFile):
            raise ValueError("must be a file")
        return value


@dataclass(frozen=True, eq=False)
class Field:
    """One thing that may be asked."""

    name: str
    rule: Rule
    meaning: str
    default: Any

    @property
    def is_needed(self) -> bool:
        """Whether there is no answer without it."""
        return self.default is MISSING


@cache
def fields_of(kind: Any) -> tuple[Field, ...]:
    """What may be asked, in the order of the class."""
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for each in fields(kind):
        assert get_origin(hints[each.name]) is Annotated, f"{each.name} has no rule and no meaning"
        _, rule, meaning = get_args(hints[each.name])
        found.append(Field(each.name, rule, meaning, each.default))
    return tuple(found)


async def read_asked(kind: Callable[..., T], request: Request) -> T:
    """What a request asks; one refusal with everything that is wrong."""
    given, texts = await _given(request)
    known = fields_of(kind)
    names = [each.name for each in known]
    values: dict[str, Any] = {}
    foreign = sorted(given.keys() - names)
    problems = [
        f"there is no '{name[:60]}' to ask for here{did_you_mean(name, names)}".removesuffix(".") for name in foreign
    ]
    for each in known:
        if each.name in request.path_params:
            given = {**given, each.name: request.path_params[each.name]}
        try:
            found = _value(each, given, texts and each.name not in request.path_params)
        except ValueError as error:
            problems.append(f"{each.name}: {error}")
            continue
        if found is not MISSING:
            values[each.name] = found
    if problems:
        raise Refusal(400, "\n".join(problems))
    return kind(**values)


def _value(field: Field, given: Mapping[str, Any], texts: bool) -> Any:
    if field.name not in given:
        if field.is_needed:
            raise ValueError(f"is missing: {field.meaning}")
        return MISSING
    value = given[field.name]
    if not texts:
        return field.rule.plain(value)
    if isinstance(field.rule, Several):
        return field.rule.plain([field.rule.rule.read(each) for each in value])
    if value[-1] == "" and not field.is_needed:
        return MISSING  # a box that was left empty
    return field.rule.plain(field.rule.read(value[-1]) if isinstance(value[-1], str) else value[-1])


async def _given(request: Request) -> tuple[Mapping[str, Any], bool]:
    """Names and values; whether the values are lists of texts, as forms have them."""
    if request.method in READING:
        return _lists(request.query_params), True
    if body_kind(request) == JSON:
        found = read_json(await request.body())
        if not isinstance(found, dict):
            raise Refusal(400, "the body must be an object of JSON: {...}")
        return found, False
    try:
        form = await request.form(max_files=1, max_fields=1000)
    except Exception as error:  # what a broken form raises differs from version to version
        if isinstance(error, Refusal):
            raise
        raise Refusal(400, "the form cannot be read") from None
    return _lists(form), True


def _lists(pairs: QueryParams | FormData) -> dict[str, list[Any]]:
    return {name: pairs.getlist(name) for name in pairs}
