"""Settings that people write as a name with numbers: `noisy(0.1, 0.2)`, `examples(3, 3)`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from rankscope.catalogue import did_you_mean
from rankscope.errors import SettingError

T = TypeVar("T")
SHAPE = re.compile(r"\s*(?P<name>[\w-]+)\s*(?:\((?P<values>[^()]*)\))?\s*")


def chosen(text: str, known: Mapping[str, type[T]], what: str) -> T:
    """The choice a text means; values come in the order of its fields, or by name.

    >>> from rankscope.feedback.users import ALL
    >>> chosen("noisy(0.1, eps_neg=0.2)", ALL, "user")
    Noisy(eps_pos=0.1, eps_neg=0.2)
    """
    match = SHAPE.fullmatch(text)
    name = "" if match is None else match["name"].replace("-", "_")
    if match is None or name not in known:
        raise SettingError(f"no {what} '{text}'{did_you_mean(name or text, known)} There are: {usage(known)}")
    kind = known[name]
    takes = [each.name for each in fields(kind)]  # type: ignore[arg-type]
    given: dict[str, Any] = {}
    for part in filter(None, map(str.strip, (match["values"] or "").split(","))):
        key, equals, value = (each.strip() for each in part.partition("="))
        key, value = (key, value) if equals else (next((each for each in takes if each not in given), ""), key)
        if key not in takes:
            raise SettingError(f"{what} '{text}': {usage({name: kind})} is how it is written")
        given[key] = _number(value, f"{what} '{text}'")
    lacking = [each.name for each in fields(kind) if each.default is MISSING and each.name not in given]  # type: ignore[arg-type]
    if lacking:
        raise SettingError(f"{what} '{text}' lacks {', '.join(lacking)}: it is written {usage({name: kind})}")
    return kind(**given)


def written(choice: object, known: Mapping[str, type[Any]]) -> str:
    """A choice as people write it."""
    name = next(name for name, kind in known.items() if type(choice) is kind)
    values = [f"{getattr(choice, each.name):g}" for each in fields(choice)]  # type: ignore[arg-type]
    return f"{name}({', '.join(values)})" if values else name


def usage(known: Mapping[str, type[Any]]) -> str:
    """How each choice is written."""
    shown = {name: ", ".join(each.name for each in fields(kind)) for name, kind in known.items()}
    return ", ".join(f"{name}({values})" if values else name for name, values in shown.items())


def _number(text: str, what: str) -> int | float:
    try:
        value = float(text)
    except ValueError:
        raise SettingError(f"{what}: {text!r} is no number") from None
    if not math.isfinite(value) or abs(value) >= 2**63:
        raise SettingError(f"{what}: {text!r} is too large, or no number")
    return int(value) if value == int(value) and "." not in text else value
