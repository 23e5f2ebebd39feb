"""GRiP: where precision equals recall, over generality (Sebe, Huijsmans, Tian & Gevers 2004)."""

from __future__ import annotations

from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import Systems, counted_systems
from rankscope.graphs.kinds.shared.generality_graphs import (
    GENERALITY,
    MembersOption,
    ReachOption,
    WayOption,
    over_generality,
)


@kind("grip", "precision = recall (at scope c) over generality", needs=("collection size",), costly=True)
def grip_graph(
    systems: Systems, way: WayOption = "thinned", members: MembersOption = "constant", reach: ReachOption = None
) -> Graph:
    """GRiP: precision = recall (at scope c) against the generality index G, from few distractors to all there are.

    `way` says how G is varied: thinned (random distractors left out within each query, recommended) or bins (queries by
    class size). Queries of large classes do not reach a high G. With constant `members` every point is of the same
    queries, those that reach all levels shown, half of all at least, or with `reach` those that reach this G; varying
    takes at each G those that reach it, and may rise because easy ones are left. A narrow domain next to a wide one:
    rank the features with `--distractors 'nearest(M)'` and 'random(M)' and draw both. Needs the size of the collection.
    """
    shown = counted_systems(systems, "GRiP")
    y = Axis("precision = recall", "p = r", domain=(0, 1))
    empty = Graph("GRiP: quality over generality", GENERALITY, y)
    graph = over_generality(empty, shown, 1.0, way, members, reach)
    return graph.described(summary=f"GRiP of {', '.join(each.system for each in shown)}.")
