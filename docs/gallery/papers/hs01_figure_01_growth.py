"""HS01, figure 1: the same classes of 8 among ever more distractors, up to the whole collection."""

import numpy as np
from base import base, save

from rankscope.curves import expected_hits, scope_line
from rankscope.curves.curve import Curve
from rankscope.graphs import Axis, Graph
from rankscope.graphs.kinds.shared.describing import chosen_scopes
from rankscope.ranks.relevant_ranks import RelevantRanks

RELEVANT = 8


def thinned(queries: RelevantRanks, size: int) -> Curve:
    """Mean precision and recall at every scope when random distractors are left out until `size` items stay: exact."""
    scopes = chosen_scopes(size)
    hits = np.array([expected_hits(queries, size - RELEVANT, int(scope)).low.mean() for scope in scopes])
    return Curve(hits / RELEVANT, hits / scopes, more={"scope": scopes})


logos = base()
queries = logos.of_size(RELEVANT)
graph = Graph(
    "Growing a collection around classes of 8",
    Axis("recall", "r", domain=(0, 1)),
    Axis("precision", "p", domain=(0, 1)),
    subtitle=f"{logos.caption}; {len(queries)} queries with c = 8, means over all ways to leave distractors out; "
    "markers at scopes 8 (on p = r) and 64",
    ratio=0.85,
)
diagonal = scope_line(1, points=2)
graph = graph.guides([Curve(diagonal.x, diagonal.y, "p = r")])
for size in (*(size for size in (16, 64, 256, 1024, 4096) if 2 * size < logos.size), logos.size):
    curve = thinned(queries, size)
    marked = [int(np.abs(curve.more["scope"] - scope).argmin()) for scope in (8, 64) if scope <= size]
    graph = graph.curve(curve, f"d = {size:,}", markers=marked)
save(graph, "hs01-figure-01-growth")
