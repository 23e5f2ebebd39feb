"""Analysers, one file each: from texts to terms. `ALL` in the order people read them; each is loaded when it is named.

>>> ANALYSERS.parse("english").analyse("The quick foxes jumped")
[('quick', 1), ('fox', 2), ('jump', 3)]
"""

from __future__ import annotations

from typing import Any

from rankscope.catalogue import Later, later, load_attribute
from rankscope.engines.text.analysis.analyser import AnalysedColumn, Analyser
from rankscope.notation import NamedCatalogue

ALL: dict[str, Later] = later(  # a new analyser adds its line here
    "rankscope.engines.text.analysis",
    {
        "whitespace": "whitespace:Whitespace",
        "standard": "standard:Standard",
        "english": "english:English",
        "german": "german:German",
    },
)
GROUP = "rankscope.analysers"  # entry points of other packages
ANALYSERS: NamedCatalogue[Analyser] = NamedCatalogue("analyser", ALL, example="english", group=GROUP)


def __getattr__(name: str) -> Any:
    """The class of an analyser by its name."""
    return load_attribute(ALL, name)


__all__ = ["ALL", "ANALYSERS", "GROUP", "AnalysedColumn", "Analyser"]
