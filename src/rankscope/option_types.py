"""What an option may be, from its type hint: `int | None`, `Literal["a", "b"]`, `float` with limits."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rankscope.validation import (
    FLAG,
    LARGEST,
    NOTHING,
    TEXT,
    AnyOf,
    Anything,
    Former,
    Number,
    OneOf,
    Rule,
    Several,
    WholeNumber,
)

NONE = type(None)


def type_hints(kind: type[Any]) -> dict[str, Any]:
    """The type of each option; empty where names in them are known to type checkers only."""
    try:
        return typing.get_type_hints(kind)
    except NameError:
        return {}


def rule_of(
    hint: Any,
    *,
    choices: Sequence[object] = (),
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    finite: bool = False,
    former: Former = (),
) -> Rule:
    """The rule of a type hint, with choices or limits that the hint does not say.

    A hint of another sort allows all; limits make it one of numbers. `former` are words that were choices once.

    >>> rule_of(int | None, least=1)
    AnyOf(rules=(NoneValue(), WholeNumber(least=1, most=9223372036854775807)))
    >>> rule_of(Sequence[Literal["k", "R"]])
    Several(rule=OneOf(choices=('k', 'R'), exactly=False))
    """
    bounds = {"least": least, "most": most, "above": above, "below": below}
    limits = {name: limit for name, limit in bounds.items() if limit is not None}
    return _rule_of(hint, tuple(choices), limits, finite, former)


def alternatives_of(hint: Any) -> tuple[Any, ...]:
    """The types that a hint allows, None first and text last: what else a text can be is tried before.

    >>> alternatives_of(str | float | None)
    (<class 'NoneType'>, <class 'float'>, <class 'str'>)
    """
    union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
    return tuple(sorted(typing.get_args(hint), key=lambda each: (each is not NONE, each is str))) if union else (hint,)


def element_of(hint: Any) -> Any:
    """The type of each value where a hint asks for any number of them; None where it does not.

    >>> element_of(tuple[float, ...]), element_of(Sequence[str]), element_of(tuple[int, float]), element_of(str)
    (<class 'float'>, <class 'str'>, None, None)
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if not isinstance(origin, type) or not issubclass(origin, Sequence):
        return None
    return arguments[0] if origin is not tuple or arguments[1:] == (...,) else None


def _rule_of(hint: Any, choices: tuple[object, ...], limits: Mapping[str, float], finite: bool, former: Former) -> Rule:
    rules = dict.fromkeys(_single_rule(each, choices, limits, finite, former) for each in alternatives_of(hint))
    if None in choices:
        rules = {NOTHING: None, **rules}
    return AnyOf(tuple(rules)) if len(rules) > 1 else next(iter(rules))


def _single_rule(
    hint: Any, choices: tuple[object, ...], limits: Mapping[str, float], finite: bool, former: Former
) -> Rule:
    """The rule of one type."""
    if hint is NONE:
        return NOTHING
    if (element := element_of(hint)) is not None:
        return Several(_rule_of(element, choices, limits, finite, former))
    if choices or typing.get_origin(hint) is Literal:
        return OneOf(tuple(each for each in choices or typing.get_args(hint) if each is not None), former=former)
    if hint is int:
        return _whole_number(**limits)
    simple: dict[Any, Rule] = {bool: FLAG, str: TEXT}
    if hint in simple:
        return simple[hint]
    return Number(**limits, finite=finite) if hint is float or limits else Anything()


def _whole_number(
    least: float = -LARGEST, most: float = LARGEST - 1, above: float = -LARGEST - 1, below: float = LARGEST
) -> WholeNumber:
    """Whole numbers within limits that may be fractions.

    >>> _whole_number(above=0.5, below=10), _whole_number(least=0.5, most=10.5)
    (WholeNumber(least=1, most=9), WholeNumber(least=1, most=10))
    """
    low, high = max(math.ceil(least), math.floor(above) + 1), min(math.floor(most), math.ceil(below) - 1)
    return WholeNumber(least=low, most=high)
