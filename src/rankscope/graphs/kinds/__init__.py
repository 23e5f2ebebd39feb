"""Kinds of graph, one file each, loaded when they are asked for.

A new kind `my-curve` is `my_curve_graph` in `my_curve.py`: its name goes into `ALL`, where people want to see it, and
its import above for those who read types.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from rankscope.graphs.kind import GraphKind

if TYPE_CHECKING:
    from rankscope.graphs.kinds.band import band_graph as band_graph
    from rankscope.graphs.kinds.class_matrix import class_matrix_graph as class_matrix_graph
    from rankscope.graphs.kinds.comparison_intervals import comparison_intervals_graph as comparison_intervals_graph
    from rankscope.graphs.kinds.consistency import consistency_graph as consistency_graph
    from rankscope.graphs.kinds.efficiency import efficiency_graph as efficiency_graph
    from rankscope.graphs.kinds.forecast import forecast_graph as forecast_graph
    from rankscope.graphs.kinds.grep import grep_graph as grep_graph
    from rankscope.graphs.kinds.grip import grip_graph as grip_graph
    from rankscope.graphs.kinds.grnp import grnp_graph as grnp_graph
    from rankscope.graphs.kinds.growth import growth_graph as growth_graph
    from rankscope.graphs.kinds.per_query_differences import per_query_differences_graph as per_query_differences_graph
    from rankscope.graphs.kinds.power_curve import power_curve_graph as power_curve_graph
    from rankscope.graphs.kinds.precision_recall import precision_recall_graph as precision_recall_graph
    from rankscope.graphs.kinds.precision_scope import precision_scope_graph as precision_scope_graph
    from rankscope.graphs.kinds.precision_window import precision_window_graph as precision_window_graph
    from rankscope.graphs.kinds.rank_intervals import rank_intervals_graph as rank_intervals_graph
    from rankscope.graphs.kinds.recall_scope import recall_scope_graph as recall_scope_graph
    from rankscope.graphs.kinds.rounds import rounds_graph as rounds_graph
    from rankscope.graphs.kinds.score_distribution import score_distribution_graph as score_distribution_graph


class Registered(Sequence[GraphKind[Any]]):
    """Kinds by their names, each loaded when it is first asked for."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> GraphKind[Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Registered: ...
    def __getitem__(self, place: int | slice) -> GraphKind[Any] | Registered:
        return Registered(*self.names[place]) if isinstance(place, slice) else load(self.names[place])


def load(name: str) -> GraphKind[Any]:
    """The kind of a name that is registered here."""
    module = name.replace("-", "_")
    found: GraphKind[Any] = getattr(import_module(f"{__name__}.{module}"), f"{module}_graph")
    return found


ALL = Registered(  # of runs
    "precision-recall",
    "precision-scope",
    "recall-scope",
    "band",
    "grip",
    "grnp",
    "grep",
    "precision-window",
    "forecast",
    "per-query-differences",
    "comparison-intervals",
    "class-matrix",
    "rank-intervals",
    "power-curve",
    "score-distribution",
)
FEEDBACK = Registered(  # of feedback results
    "rounds",
    "efficiency",
    "growth",
    "consistency",
)
FUNCTIONS = {f"{name.replace('-', '_')}_graph": name for name in (*ALL.names, *FEEDBACK.names)}


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        return load(FUNCTIONS[name])
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
