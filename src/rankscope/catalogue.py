"""Look-up by name over a folder's ALL and over what other packages add through entry points."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache
from typing import Any


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint that ends the sentence: ` (did you mean 'P@10'?).`, or just a full stop.

    >>> did_you_mean("nDCQ", ["nDCG", "AP"])
    " (did you mean 'nDCG'?)."
    """
    by_case = {each.lower(): each for each in known}
    close = difflib.get_close_matches(name.lower(), by_case, n=1, cutoff=0.6)
    return f" (did you mean '{by_case[close[0]]}'?)." if close else "."


@cache
def additions(group: str) -> tuple[Any, ...]:
    """What other installed packages add to a list, e.g. `rankscope.measures`, in the order of their names.

    Asking costs a noticeable moment, so look among our own first.
    """
    from importlib.metadata import entry_points

    return tuple(entry.load() for entry in sorted(entry_points(group=group), key=lambda entry: entry.name))
