"""Kinds of graph, one file each, loaded when they are asked for.

A new kind `my-curve` is `my_curve_graph` in `my_curve.py`: its name goes into `KINDS`, where people want to see it, and
its import above for those who read types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rankscope.catalogue import Catalogue, later, load_attribute
from rankscope.graphs.kind import GraphKind

if TYPE_CHECKING:
    from rankscope.graphs.kinds.band import band_graph as band_graph
    from rankscope.graphs.kinds.class_matrix import class_matrix_graph as class_matrix_graph
    from rankscope.graphs.kinds.comparison_intervals import comparison_intervals_graph as comparison_intervals_graph
    from rankscope.graphs.kinds.consistency import consistency_graph as consistency_graph
    from rankscope.graphs.kinds.efficiency import efficiency_graph as efficiency_graph
    from rankscope.graphs.kinds.even_growth import even_growth_graph as even_growth_graph
    from rankscope.graphs.kinds.forecast import forecast_graph as forecast_graph
    from rankscope.graphs.kinds.grep import grep_graph as grep_graph
    from rankscope.graphs.kinds.grip import grip_graph as grip_graph
    from rankscope.graphs.kinds.grnp import grnp_graph as grnp_graph
    from rankscope.graphs.kinds.growth import growth_graph as growth_graph
    from rankscope.graphs.kinds.ledger import ledger_graph as ledger_graph
    from rankscope.graphs.kinds.per_query_differences import per_query_differences_graph as per_query_differences_graph
    from rankscope.graphs.kinds.power_curve import power_curve_graph as power_curve_graph
    from rankscope.graphs.kinds.precision_recall import precision_recall_graph as precision_recall_graph
    from rankscope.graphs.kinds.precision_scope import precision_scope_graph as precision_scope_graph
    from rankscope.graphs.kinds.precision_window import precision_window_graph as precision_window_graph
    from rankscope.graphs.kinds.rank_intervals import rank_intervals_graph as rank_intervals_graph
    from rankscope.graphs.kinds.recall_scope import recall_scope_graph as recall_scope_graph
    from rankscope.graphs.kinds.rounds import rounds_graph as rounds_graph
    from rankscope.graphs.kinds.score_distribution import score_distribution_graph as score_distribution_graph


ELSEWHERE = {  # what others call such graphs
    "prc": "precision-recall",
    "pr_curve": "precision-recall",
    "p_r_curve": "precision-recall",
    "recall_precision": "precision-recall",
    "rp": "precision-recall",
    "precision_at_k": "precision-scope",
    "recall_at_k": "recall-scope",
    "recall": "recall-scope",
    "precision": "precision-scope",
    "per_topic": "per-query-differences",
    "per_query": "per-query-differences",
    "differences": "per-query-differences",
    "forest": "comparison-intervals",
    "intervals": "comparison-intervals",
    "confusion": "class-matrix",
    "confusion_matrix": "class-matrix",
    "leaderboard": "rank-intervals",
    "critical_difference": "rank-intervals",
    "power": "power-curve",
    "histogram": "score-distribution",
    "scores": "score-distribution",
    "funnel": "ledger",
    "waterfall": "ledger",
}


class KindCatalogue(Catalogue[GraphKind[Any]]):
    """Kinds that show runs, or kinds that show feedback results; packages add both to one group.

    The runs of `staged` kinds are the stages of one pipeline; those of all others are rivals.
    """

    def __init__(self, what: str, *names: str, staged: tuple[str, ...] = (), feedback: bool = False) -> None:
        modules = {name: name.replace("-", "_") for name in names}
        self.entries = later(__name__, {name: f"{module}:{module}_graph" for name, module in modules.items()})
        super().__init__(what, self.entries, "rankscope.graphs", elsewhere=ELSEWHERE)
        self.staged, self.feedback = staged, feedback

    def of_rivals(self) -> Iterator[GraphKind[Any]]:
        """The kinds that a report of several systems may show; the others are not even loaded."""
        yield from (self.find(name) for name in self.own_names() if name not in self.staged)
        yield from self.added()

    def added(self) -> tuple[GraphKind[Any], ...]:
        """Kinds of other packages that show the same."""
        kinds = [each for each in super().added() if isinstance(each, GraphKind)]
        return tuple(each for each in kinds if ("feedback" in each.needs) == self.feedback)


KINDS = KindCatalogue(
    "kind of graph",
    "precision-recall",
    "precision-scope",
    "recall-scope",
    "band",
    "grip",
    "grnp",
    "grep",
    "precision-window",
    "even-growth",
    "forecast",
    "per-query-differences",
    "comparison-intervals",
    "class-matrix",
    "rank-intervals",
    "power-curve",
    "score-distribution",
    "ledger",
    staged=("ledger",),
)
FEEDBACK_KINDS = KindCatalogue(
    "kind of graph of feedback",
    "rounds",
    "efficiency",
    "growth",
    "consistency",
    feedback=True,
)
ENTRIES = {**KINDS.entries, **FEEDBACK_KINDS.entries}


def __getattr__(name: str) -> Any:
    return load_attribute(ENTRIES, name)
