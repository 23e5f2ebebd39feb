"""Names that a pattern means: of indexes, or of fields."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Final

from rankscope.workbench.service.refusals import Refusal

SIGNS: Final = frozenset("*?[")
LONGEST: Final = 100  # signs of a pattern


def is_pattern(text: str) -> bool:
    """Whether a text may stand for several names."""
    return not SIGNS.isdisjoint(text)


def matching(text: str, names: Sequence[str]) -> list[str]:
    """The names that a text means: the same name, or all those of a pattern.

    >>> matching("ti*", ["title", "body"]), matching("body", ["title", "body"]), matching("x", ["title"])
    (['title'], ['body'], [])
    """
    if not is_pattern(text):
        return [text] if text in names else []
    if len(text) > LONGEST:
        raise Refusal(400, f"{text[:40]}...: a pattern of names has at most {LONGEST} signs")
    return [name for name in names if fnmatch.fnmatchcase(name, text)]
