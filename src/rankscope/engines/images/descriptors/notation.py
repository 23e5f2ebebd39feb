"""From what people write to descriptors: `cedd`, `lbp(grid=4)`, `rgb-histogram(4)`."""

from __future__ import annotations

import re
import typing
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from rankscope.catalogue import additions, did_you_mean
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.errors import SettingError

GROUP = "rankscope.descriptors"  # entry points of other packages
WRITTEN = re.compile(r"(?P<name>[\w-]+)\s*(?:\((?P<given>[^()]*)\))?")


def split(text: str) -> list[str]:
    """Split at the commas outside brackets.

    >>> split("cedd, colour-moments(space=hsv,grid=3),lbp")
    ['cedd', 'colour-moments(space=hsv,grid=3)', 'lbp']
    """
    parts = (part.strip() for part in re.findall(r"(?:\([^)]*\)|[^,(])+", text))
    return [part for part in parts if part]


def read(text: str, kinds: Sequence[type[Descriptor]]) -> Descriptor:
    """One of these descriptors, or one that another package adds."""
    match = WRITTEN.fullmatch(text.strip())
    if match is None:
        raise SettingError(f"'{text}' is no descriptor: write NAME or NAME(option=value), as rgb-histogram(bins=4)")
    kind = _kind(match["name"].replace("_", "-").lower(), kinds)
    return kind(**_options(kind, text, match["given"] or ""))


def _kind(name: str, kinds: Sequence[type[Descriptor]]) -> type[Descriptor]:
    ours = {kind.name: kind for kind in kinds}
    if name in ours:
        return ours[name]
    known = {**{kind.name: kind for kind in additions(GROUP)}, **ours}
    if name not in known:
        raise SettingError(f"no descriptor '{name}'{did_you_mean(name, known)} There are: {', '.join(known)}")
    return known[name]


def _options(kind: type[Descriptor], text: str, given: str) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    free = [each.name for each in fields(kind)]
    values: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in given.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            key, value = (free[0] if free else ""), part
        if key in values:
            raise SettingError(f"'{text}': {key} is given twice")
        if key not in free:
            there = ", ".join(each.name for each in fields(kind)) or "none"
            raise SettingError(f"'{text}': {kind.name} has no option '{key or value}'. It has: {there}")
        free.remove(key)
        values[key] = _value(hints[key], key, value, text)
    return values


def _value(hint: Any, key: str, value: str, text: str) -> object:
    if hint not in (int, float):
        return value
    try:
        return hint(value)
    except ValueError:
        expected = "a whole number" if hint is int else "a number"
        raise SettingError(f"'{text}': {key} must be {expected}, got '{value}'") from None
