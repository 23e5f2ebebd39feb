"""Graphs: immutable descriptions made from ranks, drawn when they are shown or saved; the kinds are listed in `kinds`.

Kinds load when they are used: importing this costs next to nothing. `ALL` are our own that show runs, `FEEDBACK` those
that show feedback results; `KINDS` and `FEEDBACK_KINDS` find them by name, those of other packages too.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rankscope.core.catalogue import load_attribute
from rankscope.reports.graphs import kinds
from rankscope.reports.graphs.kinds import (
    FEEDBACK_KINDS,
    KINDS,
    ONE,
    SEVERAL,
    TWO,
    GraphKind,
    Option,
    SystemCount,
    kind,
)

_FUNCTIONS = [entry.address.partition(":")[2] for entry in kinds.ENTRIES.values()]


def by_name(wanted: str) -> GraphKind[Any]:
    """A kind that shows runs, by its name.

    >>> by_name("grip").name
    'grip'
    """
    return KINDS.find(wanted)


__all__ = ["ALL", "FEEDBACK", "FEEDBACK_KINDS", "KINDS", "ONE", "SEVERAL", "TWO", "Axis", "Graph", "GraphKind"]
__all__ += ["Option", "SystemCount", "by_name", "kind", *_FUNCTIONS]


def __getattr__(name: str) -> Any:
    if name == "ALL":
        return KINDS.own()
    if name == "FEEDBACK":
        return FEEDBACK_KINDS.own()
    if name in ("Axis", "Graph"):
        return getattr(import_module(f"{__name__}.graph"), name)
    return load_attribute(kinds.ENTRIES, name)


def __dir__() -> list[str]:
    return __all__
