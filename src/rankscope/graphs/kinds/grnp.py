"""GRnP: precision and recall at n times the class size, over generality (Sebe, Huijsmans, Tian & Gevers 2004)."""

from __future__ import annotations

from typing import Annotated

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
from rankscope.graphs.option import Option


@kind("grnp", "precision and recall at scope n c over generality", needs=("collection size",), costly=True)
def grnp_graph(
    systems: Systems,
    n: Annotated[float, Option("scope in class sizes", "-n", above=0)] = 2.0,
    way: WayOption = "thinned",
    members: MembersOption = "constant",
    reach: ReachOption = None,
) -> Graph:
    """GRnP: precision and recall at scope n c against the generality index G; recall = n times precision, on the right.

    `way`, `members` and `reach` as for grip. Needs the size of the collection.
    """
    shown = counted_systems(systems, "GRnP")
    top = min(1.0, 1.0 / n)
    y = Axis("precision", f"p at scope {n:g}c", domain=(0, top))
    graph = Graph(f"GR{n:g}P: quality at {n:g} times the class size", GENERALITY, y)
    graph = graph.second_axis(Axis("recall", f"r = {n:g}p", domain=(0, 1)), factor=n)
    graph = over_generality(graph, shown, n, way, members, reach)
    return graph.described(summary=f"GR{n:g}P of {', '.join(each.system for each in shown)}.")
