"""Recall over scope."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import Systems
from rankscope.graphs.kinds.shared.scope_graphs import mean_in_classes, over_scope
from rankscope.ranks.relevant_ranks import RelevantRanks


@kind("recall-scope", "share of the relevant items among the first s")
def recall_scope_graph(systems: Systems) -> Graph:
    """Recall against scope: what share of the relevant items stands among the first s, for every s.

    Dashed: the ideal system, which shows all relevant items first, and, where the size of the collection is known,
    a random order.
    """
    return over_scope(systems, "recall", (_ideal, _random), places=((0.4, "above left"), (0.8, "below right")))


def _ideal(queries: RelevantRanks, scopes: FloatArray) -> FloatArray:
    return mean_in_classes(queries.relevant, lambda c: np.minimum(1.0, scopes / c))


def _random(queries: RelevantRanks, scopes: FloatArray) -> FloatArray:
    share = scopes[None, :] / np.unique(queries.collection)[:, None]
    weight = np.unique(queries.collection, return_counts=True)[1]
    return np.minimum(1.0, np.average(share, axis=0, weights=weight))
