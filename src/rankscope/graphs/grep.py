"""GReP: the surface of precision over recall and generality (Sebe, Huijsmans, Tian & Gevers 2004)."""

from __future__ import annotations

import numpy as np

from rankscope.curves.generality_table import GeneralityTable
from rankscope.curves.surface import grep_surface
from rankscope.graphs.axis import Axis
from rankscope.graphs.describing import Systems, counted_systems
from rankscope.graphs.generality_graphs import (
    GENERALITY,
    WAYS,
    checked_members,
    checked_way,
    generality_tables,
    members_words,
)
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.statistics.deciding import FEW
from rankscope.statistics.generality_estimate import deciding_at

SCOPES = tuple(float(2.0 ** (step / 2)) for step in range(-4, 13, 2))


@kind("grep")
def grep_graph(systems: Systems, way: str = "thinned", members: str = "constant") -> Graph:
    """GReP: precision as a surface over recall and the generality index G, of one system.

    `way` and `members` as for grip. Drawn in three dimensions by matplotlib (svg, pdf, png), as an interactive heat map
    on a page. Needs the size of the collection.
    """
    (queries,) = counted_systems(systems, "GReP", most=1)
    chosen, who = checked_way(way), checked_members(members)
    (cut,) = generality_tables([queries], 1.0, chosen, who)
    surface = grep_surface(queries, SCOPES, chosen, members=who)
    index = np.broadcast_to(surface.index[:, None], surface.recall.shape)
    graph = Graph(
        f"GReP of {queries.system}: precision over recall and generality",
        GENERALITY.over(float(surface.index.min()) - 0.5, float(surface.index.max()) + 0.5),
        Axis("recall", "r", domain=(0, 1)), subtitle=_subtitle(cut),
        summary=f"Precision of {queries.system} as a surface over recall and generality.",
    )  # fmt: skip
    precision = Axis("precision", "p", domain=(0, 1))
    return graph.surface(index, surface.recall, np.minimum(surface.precision, 1.0), queries.system, precision)


def _subtitle(cut: GeneralityTable) -> str:
    """How G varies, who is followed, and from where on few units are left."""
    few = deciding_at(cut) < FEW
    from_level = f"fewer than {FEW} units decide from G = {cut.index[few].min():.3g} on" if few.any() else ""
    return "; ".join(filter(None, (WAYS[cut.way], members_words(cut), from_level)))
