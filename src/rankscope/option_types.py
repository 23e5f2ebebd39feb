"""Options by their types: text read as what a type hint asks for, and values checked against it and against limits."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import Any, ClassVar, Literal, Protocol, cast

from rankscope.catalogue import fold
from rankscope.errors import RankscopeError
from rankscope.validation import LARGEST

TRUTH = {"true": True, "false": False}
NONE = type(None)
WORDS: dict[object, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "text", NONE: "none"}


class Limited(Protocol):
    """What a class tells of its options."""

    name: ClassVar[str]
    choices: ClassVar[Mapping[str, tuple[object, ...]]]
    least: ClassVar[Mapping[str, float]]
    most: ClassVar[Mapping[str, float]]
    above: ClassVar[Mapping[str, float]]
    error: ClassVar[type[RankscopeError]]


def type_hints(kind: type[Any]) -> dict[str, Any]:
    """The type of each option; empty where names in them are known to type checkers only."""
    return _type_hints(cast(Hashable, kind))


@cache
def _type_hints(kind: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(kind)
    except NameError:
        return {}


def read_option(kind: type[Limited], name: str, text: str, hint: Any, whole: str) -> object:
    """The value of an option from its text; a text of another type is an error that shows the whole."""
    allowed = kind.choices.get(name, ())
    for each in _alternatives(hint):
        try:
            return _read(each, text, allowed)
        except ValueError:
            continue
    raise kind.error(f"'{whole}': {name} must be {_expected(hint)}, got '{text}'")


def settle_option(kind: type[Limited], name: str, value: object, hint: Any) -> object:
    """A value as it is kept: numbers of arrays as plain ones, whole ones as int where the type says so.

    One of another type, not among the choices, not a number or beyond the limits is an error.
    """
    value = _plain(value)
    choices = kind.choices.get(name)
    if choices is not None and value not in choices:
        raise kind.error(f"{kind.name}: {name} must be one of {', '.join(map(str, choices))}, got {value!r}")
    alternatives = _alternatives(hint)
    if any(each in WORDS or typing.get_origin(each) is Literal for each in alternatives):
        fitting = [found for each in alternatives if (found := _fitted(each, value)) is not _UNFIT]
        if not fitting:
            raise kind.error(f"{kind.name}: {name} must be {_expected(hint)}, got {value!r}")
        value = fitting[0]
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_limits(kind, name, value)
    return value


_UNFIT = object()


def _alternatives(hint: Any) -> tuple[Any, ...]:
    """The types that a hint allows, None and text last: what else a text can be is tried before."""
    union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
    return tuple(sorted(typing.get_args(hint), key=lambda each: each is str)) if union else (hint,)


def _read(hint: Any, text: str, allowed: tuple[object, ...]) -> object:
    """Text as one type; ValueError where it is not of that type."""
    if typing.get_origin(hint) is Literal:
        return _word(text, typing.get_args(hint))
    if hint is str and allowed:
        return _word(text, allowed, strict=False)
    readers: dict[object, Callable[[str], object]] = {int: _whole, float: float, bool: _truth, NONE: _none}
    return readers.get(hint, str)(text)


def _word(text: str, allowed: tuple[object, ...], strict: bool = True) -> object:
    """One of the words allowed, regardless of its case."""
    same: list[object] = [each for each in allowed if each == text]
    alike = same or [each for each in allowed if fold(str(each)) == fold(text)]
    if len(alike) == 1:
        return alike[0]
    if strict:
        raise ValueError
    return text


def _whole(text: str) -> int:
    """A whole number, also as 1e3."""
    try:
        return int(text)
    except ValueError:
        value = float(text)
        if "." in text or not value.is_integer():
            raise
        return int(value)


def _truth(text: str) -> bool:
    if text.lower() not in TRUTH:
        raise ValueError
    return TRUTH[text.lower()]


def _none(text: str) -> None:
    if text.lower() != "none":
        raise ValueError


def _plain(value: object) -> Any:
    """A number or text of an array as one of Python."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def _fitted(hint: Any, value: Any) -> Any:
    """The value as this type keeps it, or `_UNFIT`."""
    if typing.get_origin(hint) is Literal:
        return value if value in typing.get_args(hint) else _UNFIT
    if hint is NONE:
        return None if value is None else _UNFIT
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        whole = number and math.isfinite(value) and value == int(value)
        return int(value) if whole else _UNFIT
    if hint is float:
        return value if number else _UNFIT
    return value if hint not in WORDS or isinstance(value, hint) else _UNFIT


def _expected(hint: Any) -> str:
    """What an option takes, in words."""
    words = []
    for each in _alternatives(hint):
        literal = typing.get_origin(each) is Literal
        words.append(f"one of {', '.join(typing.get_args(each))}" if literal else WORDS.get(each, str(each)))
    return " or ".join(words)


def _check_limits(kind: type[Limited], name: str, value: int | float) -> None:
    if isinstance(value, int) and not -LARGEST <= value < LARGEST:
        raise kind.error(f"{kind.name}: {name} must be below 2^63, got one of {value.bit_length()} bits")
    low, high, border = kind.least.get(name), kind.most.get(name), kind.above.get(name)
    fits = (low is None or value >= low) and (high is None or value <= high) and (border is None or value > border)
    if value == value and fits:
        return
    bounds = [f"above {border:g}"] if border is not None else [f"at least {low:g}"] if low is not None else []
    bounds += [f"at most {high:g}"] if high is not None else []
    raise kind.error(f"{kind.name}: {name} must be {' and '.join(bounds) or 'a number'}, got {value!r}")
