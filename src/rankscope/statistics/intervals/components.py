"""Parts of a variance that come out below 0: they are 0, and the result says so, everywhere in the same words."""

from __future__ import annotations

from collections.abc import Mapping


def never_below_zero(parts: Mapping[str, float]) -> tuple[dict[str, float], str]:
    """Each part, 0 in place of less, and the words that say which; NaN, a part that is not known, stays.

    >>> never_below_zero({"queries": 0.2, "classes": -0.1})
    ({'queries': 0.2, 'classes': 0.0}, 'the variance of classes comes out below 0 and counts as 0')
    """
    below = [name for name, value in parts.items() if value < 0]
    kept = {name: 0.0 if value < 0 else value for name, value in parts.items()}
    return kept, said_of(below)


def said_of(below: list[str]) -> str:
    """The sentence for the parts named; nothing where there is none.

    >>> said_of(["queries", "classes"])
    'the variances of queries and classes come out below 0 and count as 0'
    """
    if not below:
        return ""
    if len(below) == 1:
        return f"the variance of {below[0]} comes out below 0 and counts as 0"
    return f"the variances of {' and '.join(below)} come out below 0 and count as 0"
