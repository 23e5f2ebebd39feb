"""Graphs: immutable descriptions made from ranks, drawn when they are shown or saved; one file per kind."""

from __future__ import annotations

from typing import Any

from rankscope.catalogue import Catalogue
from rankscope.graphs.axis import Axis
from rankscope.graphs.band import band_graph
from rankscope.graphs.class_matrix import class_matrix_graph
from rankscope.graphs.comparison_intervals import comparison_intervals_graph
from rankscope.graphs.consistency import consistency_graph
from rankscope.graphs.efficiency import efficiency_graph
from rankscope.graphs.forecast import forecast_graph
from rankscope.graphs.graph import Graph
from rankscope.graphs.grep import grep_graph
from rankscope.graphs.grip import grip_graph
from rankscope.graphs.grnp import grnp_graph
from rankscope.graphs.growth import growth_graph
from rankscope.graphs.kind import Kind, kind
from rankscope.graphs.per_query_differences import per_query_differences_graph
from rankscope.graphs.power_curve import power_curve_graph
from rankscope.graphs.precision_recall import precision_recall_graph
from rankscope.graphs.precision_scope import precision_scope_graph
from rankscope.graphs.precision_window import precision_window_graph
from rankscope.graphs.rank_intervals import rank_intervals_graph
from rankscope.graphs.recall_scope import recall_scope_graph
from rankscope.graphs.rounds import rounds_graph
from rankscope.graphs.score_distribution import score_distribution_graph

ALL: tuple[Kind[Any], ...] = (  # in the order people want to see them; a new kind adds its import and its name here
    precision_recall_graph,
    precision_scope_graph,
    recall_scope_graph,
    band_graph,
    grip_graph,
    grnp_graph,
    grep_graph,
    precision_window_graph,
    forecast_graph,
    per_query_differences_graph,
    comparison_intervals_graph,
    class_matrix_graph,
    rank_intervals_graph,
    power_curve_graph,
    score_distribution_graph,
)

FEEDBACK: tuple[Kind[Any], ...] = (  # of feedback results, not runs
    rounds_graph,
    efficiency_graph,
    growth_graph,
    consistency_graph,
)


KINDS: Catalogue[Kind[Any]] = Catalogue("kind of graph", ALL, "rankscope.graphs")


def kinds() -> tuple[Kind[Any], ...]:
    """All kinds of graph, those of other packages included."""
    return tuple(KINDS)


def by_name(wanted: str) -> Kind[Any]:
    """A kind of graph by its name.

    >>> by_name("grip") is grip_graph
    True
    """
    return KINDS.find(wanted)


__all__ = [
    "ALL", "FEEDBACK", "KINDS", "Axis", "Graph", "Kind", "band_graph", "by_name", "class_matrix_graph",
    "comparison_intervals_graph", "consistency_graph", "efficiency_graph", "forecast_graph", "grep_graph",
    "grip_graph", "grnp_graph", "growth_graph", "kind", "kinds", "per_query_differences_graph", "power_curve_graph",
    "precision_recall_graph", "precision_scope_graph", "precision_window_graph", "rank_intervals_graph",
    "recall_scope_graph", "rounds_graph", "score_distribution_graph",
]  # fmt: skip
