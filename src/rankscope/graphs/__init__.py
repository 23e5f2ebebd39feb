"""Graphs: immutable descriptions made from ranks, drawn when they are shown or saved; each kind in `kinds`.

Kinds load when they are used: importing this costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankscope.catalogue import additions, did_you_mean
from rankscope.errors import SettingError
from rankscope.graphs import kinds
from rankscope.graphs.kind import GraphKind, kind
from rankscope.graphs.kinds import ALL, FEEDBACK
from rankscope.graphs.option import Option
from rankscope.graphs.system_count import ONE, SEVERAL, TWO, SystemCount

if TYPE_CHECKING:
    from rankscope.graphs.axis import Axis as Axis
    from rankscope.graphs.graph import Graph as Graph
    from rankscope.graphs.kinds import *  # noqa: F403

GROUP = "rankscope.graphs"
_PLACES = {"Axis": "axis", "Graph": "graph"}


def every_kind() -> tuple[GraphKind[Any], ...]:
    """All kinds that show runs, those of other packages included."""
    return (*ALL, *(each for each in _added() if "feedback" not in each.needs))


def every_feedback_kind() -> tuple[GraphKind[Any], ...]:
    """All kinds that show feedback results, those of other packages included."""
    return (*FEEDBACK, *(each for each in _added() if "feedback" in each.needs))


def _added() -> list[GraphKind[Any]]:
    return [each for each in additions(GROUP) if isinstance(each, GraphKind)]


def by_name(wanted: str) -> GraphKind[Any]:
    """A kind that shows runs, by its name; other packages are asked only for a name that is not ours.

    >>> by_name("grip") is kinds.grip_graph
    True
    """
    if wanted in ALL.names:
        return kinds.load(wanted)
    known = {each.name: each for each in every_kind()}
    if wanted not in known:
        raise SettingError(f"no kind of graph '{wanted}'{did_you_mean(wanted, known)} There are: {', '.join(known)}")
    return known[wanted]


__all__ = ["ALL", "FEEDBACK", "ONE", "SEVERAL", "TWO", "Axis", "Graph", "GraphKind", "Option", "SystemCount", "by_name"]
__all__ += ["every_feedback_kind", "every_kind", "kind", *kinds.FUNCTIONS]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    return getattr(kinds, name)


def __dir__() -> list[str]:
    return __all__
