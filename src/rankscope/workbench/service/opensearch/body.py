"""Parts of a body of JSON, each of the kind that it has to be; what is not is refused with its name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from rankscope.catalogue import did_you_mean
from rankscope.workbench.service.refusals import Refusal

PARSING = "parsing_exception"
ILLEGAL = "illegal_argument_exception"


def wrong(message: str, kind: str = PARSING) -> Refusal:
    """A refusal of something in a body."""
    return Refusal(400, message, kind)


def object_of(value: Any, what: str) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise wrong(f"[{what}] must be an object")
    return value


def list_of(value: Any) -> list[Any]:
    """A list as it is, and anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def text_of(value: Any, what: str) -> str:
    """A text, or a number or a truth as it is written."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise wrong(f"[{what}] must be a text")
    return str(value)


def number_of(value: Any, what: str) -> float:
    """A number that is not negative, as a boost has to be."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise wrong(f"[{what}] must be a number") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise wrong(f"[{what}] must be a number from 0 on")
    return float(value)


def whole_of(value: Any, what: str, least: int = 0, most: int = 2**31 - 1) -> int:
    """A whole number between two."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise wrong(f"[{what}] must be a whole number from {least} to {most}", ILLEGAL)
    return value


def truth_of(value: Any, what: str) -> bool:
    """True or false, perhaps as a text."""
    found = {"true": True, "false": False, "": True}.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise wrong(f"[{what}] must be true or false")
    return found


def only(value: Mapping[str, Any], allowed: Iterable[str], what: str) -> None:
    """Refuse names that are not known: whoever wrote them expects something of them."""
    known = list(allowed)
    for name in value:
        if name not in known:
            near = did_you_mean(name[:40], known)
            raise wrong(f"[{what}] does not know [{name[:40]}]{near} There are: {', '.join(known)}")
