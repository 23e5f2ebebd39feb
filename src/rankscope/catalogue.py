"""Look-up by name over a folder's ALL and over what other packages add through entry points."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from rankscope.names import visible

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


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

    Asking costs a noticeable moment, so look among our own first. What cannot be loaded is named once on standard error
    and left out: everything else works without it.
    """
    from importlib.metadata import entry_points

    entries = sorted(entry_points(group=group), key=lambda entry: entry.name)
    loaded = (_loaded(entry, group) for entry in entries)
    return tuple(each for each in loaded if each is not None)


def _loaded(entry: EntryPoint, group: str) -> Any:
    """What an entry point names; None, and a line that says why, where that is nothing of use."""
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:  # whatever another package does while it is imported
        reason = f"{type(error).__name__}: {error}"
    else:
        if isinstance(getattr(found, "name", None), str):
            return found
        reason = "it has no name"
    package = entry.dist.name if entry.dist is not None else entry.value.partition(":")[0]
    line = f"! {package} adds '{entry.name}' to {group}, but it cannot be used and is left out: {reason}"
    print(visible(line.replace("\n", " ")), file=sys.stderr)
    return None
