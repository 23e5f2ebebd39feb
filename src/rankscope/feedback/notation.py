"""How people write a method: `svm`, `rocchio(gamma=0.25, metric=cosine)`."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterable
from dataclasses import Field, fields
from typing import Any, Literal

from rankscope.catalogue import additions, did_you_mean
from rankscope.errors import SettingError
from rankscope.feedback.method import Method

SHAPE = re.compile(r"\s*(?P<name>[^()\s]+)\s*(?:\((?P<parameters>[^()]*)\))?\s*")


def parsed(text: str, known: Iterable[type[Method]]) -> Method:
    """The method a text names, looked for among those known and then among those other packages add."""
    match = SHAPE.fullmatch(text)
    if match is None:
        raise SettingError(f"a method reads name or name(parameter=value, ...), got {text!r}")
    kind = _kind(match["name"], {each.name: each for each in known})
    given: dict[str, Any] = {}
    for part in filter(None, map(str.strip, (match["parameters"] or "").split(","))):
        name, _, value = (each.strip() for each in part.partition("="))
        given[name] = _value(kind, name, value)
    return kind(**given)


def _kind(name: str, own: dict[str, type[Method]]) -> type[Method]:
    if name in own:
        return own[name]
    every = {**own, **{each.name: each for each in additions("rankscope.feedback")}}
    if name not in every:
        raise SettingError(f"no feedback method '{name}'{did_you_mean(name, every)} There are: {', '.join(every)}")
    return every[name]


def _value(kind: type[Method], name: str, value: str) -> Any:
    """The text as the type of the parameter."""
    known: dict[str, Field[Any]] = {each.name: each for each in fields(kind)}
    if name not in known:
        has = f"There are: {', '.join(known)}" if known else "It has none."
        raise SettingError(f"{kind.name} has no parameter '{name}'{did_you_mean(name, known)} {has}")
    wanted = typing.get_type_hints(kind)[name]
    choices = typing.get_args(wanted) if isinstance(wanted, types.UnionType) else (wanted,)
    for choice in choices:
        made = _as(choice, value)
        if made is not _NOTHING:
            return made
    raise SettingError(f"{kind.name}: {name} cannot be {value!r}")


_NOTHING = object()
_WORDS = {"true": True, "false": False}


def _as(wanted: Any, value: str) -> Any:
    """The value as one type, or nothing where it is not of that type."""
    if wanted is type(None):
        return None if value.lower() == "none" else _NOTHING
    if wanted is bool:
        return _WORDS.get(value.lower(), _NOTHING)
    if typing.get_origin(wanted) is Literal:
        return value if value in typing.get_args(wanted) else _NOTHING
    try:
        return wanted(value)
    except ValueError:
        return _NOTHING
