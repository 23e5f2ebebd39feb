"""Precision over scope."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import Systems
from rankscope.graphs.kinds.shared.scope_graphs import mean_in_classes, over_scope
from rankscope.ranks.relevant_ranks import RelevantRanks


@kind("precision-scope", "share of the first s items that is relevant")
def precision_scope_graph(systems: Systems) -> Graph:
    """Precision against scope: what share of the first s items is relevant, for every s.

    Dashed: the ideal system, which shows all relevant items first, and, where the size of the collection is known,
    a random order.
    """
    return over_scope(systems, "precision", (_ideal, _random), places=((0.45, "above right"), (0.02, "above right")))


def _ideal(queries: RelevantRanks, scopes: FloatArray) -> FloatArray:
    return mean_in_classes(queries.relevant, lambda c: np.minimum(1.0, c / scopes))


def _random(queries: RelevantRanks, scopes: FloatArray) -> FloatArray:
    return np.full(scopes.size, (queries.relevant / queries.collection).mean())
