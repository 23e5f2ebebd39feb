"""Expansions, one file each: words of the best documents join the query. `ALL` in the order people read them.

>>> EXPANSIONS.parse("rm3(terms=20)"), str(EXPANSIONS.parse("rocchio(beta=0.5)"))
(RM3Expansion(documents=10, terms=20, weight=0.5), 'rocchio(beta=0.5)')
"""

from __future__ import annotations

from typing import Any

from rankscope.catalogue import Later, later, load_attribute
from rankscope.engines.text.expansion.expansion import Expansion
from rankscope.notation import NamedCatalogue

ALL: dict[str, Later] = later(  # a new expansion adds its line here
    "rankscope.engines.text.expansion",
    {
        "rm3": "rm3:RM3Expansion",
        "rocchio": "rocchio:RocchioExpansion",
    },
)
GROUP = "rankscope.expansions"  # entry points of other packages
EXPANSIONS: NamedCatalogue[Expansion] = NamedCatalogue("expansion", ALL, "rm3(terms=20)", GROUP)


def __getattr__(name: str) -> Any:
    """The class of an expansion by its name."""
    return load_attribute(ALL, name)


__all__ = ["ALL", "EXPANSIONS", "GROUP", "Expansion"]
