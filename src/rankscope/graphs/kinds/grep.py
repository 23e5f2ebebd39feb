"""GReP: the surface of precision over recall and generality (Sebe, Huijsmans, Tian & Gevers 2004)."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.generality_tables import GeneralityTable
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import Systems, counted_systems
from rankscope.graphs.kinds.shared.generality_graphs import (
    GENERALITY,
    WAYS,
    MembersOption,
    WayOption,
    generality_tables,
    members_words,
)
from rankscope.graphs.system_count import ONE
from rankscope.number_texts import decimal_text
from rankscope.statistics.intervals.deciding import FEW

HALF = 0.5  # of the relevant items
SCOPES = tuple(float(2.0 ** (step / 2)) for step in range(-4, 13, 2))


@kind(
    "grep",
    "precision over recall and generality, a surface",
    systems=ONE,
    needs=("collection size",),
    enough=500,
)
def grep_graph(systems: Systems, way: WayOption = "thinned", members: MembersOption = "constant") -> Graph:
    """GReP: precision as a surface over recall and the generality index G, of one system.

    `way` and `members` as for grip. Drawn in three dimensions by matplotlib (svg, pdf, png), with the plane p = r, GRiP
    and the random level in it; without matplotlib, and on a page, as a heat map. Needs the size of the collection.
    """
    (queries,) = counted_systems(systems, "GReP", ONE)
    (cut,) = generality_tables([queries], 1.0, way, members)
    from rankscope.curves.surface import grep_surface

    surface = grep_surface(queries, SCOPES, way, members=members)
    index = np.broadcast_to(surface.index[:, None], surface.recall.shape)
    graph = Graph(
        f"GReP of {queries.system}: precision over recall and generality",
        GENERALITY.over(float(surface.index.min()) - 0.5, float(surface.index.max()) + 0.5),
        Axis("recall", "r", domain=(0, 1)),
        subtitle=_subtitle(cut),
        summary=f"Precision of {queries.system} as a surface over recall and generality.",
    )
    precision = Axis("precision", "p", domain=(0, 1))
    height = np.minimum(surface.precision, 1.0)
    graph = graph.described(conclusion=_conclusion(surface.index, surface.recall, height))
    return graph.surface(index, surface.recall, height, queries.system, precision)


def _conclusion(index: FloatArray, recall: FloatArray, precision: FloatArray) -> str:
    """Precision at a recall of a half, at the lowest and the highest generality index that reach it."""
    heights = [_at_half(*each) for each in zip(recall, precision, strict=True)]
    reached = [row for row, height in enumerate(heights) if np.isfinite(height)]
    if len(reached) < 2:
        return f"A recall of {decimal_text(HALF)} is not reached at two levels of G."
    low, high = (float(index[row]) for row in (reached[0], reached[-1]))
    first, last = (heights[row] for row in (reached[0], reached[-1]))
    way = "falls" if last < first else "rises"
    return (
        f"At recall {decimal_text(HALF)} precision {way} from {decimal_text(first)} at G = {low:.3g} to "
        f"{decimal_text(last)} at G = {high:.3g}, where {_others(high)} for each relevant item in place of "
        f"{2**low - 1:,.0f}."
    )


def _others(generality: float) -> str:
    """How many items next to each relevant one: of d/c = 2^G one is relevant.

    >>> _others(13.0), _others(1.0)
    ('8,191 others stand', '1 other stands')
    """
    count = round(2**generality - 1)
    return "1 other stands" if count == 1 else f"{count:,} others stand"


def _at_half(recall: FloatArray, precision: FloatArray) -> float:
    """Precision where recall is a half; NaN where the curve does not reach from below it to above."""
    there = np.isfinite(recall) & np.isfinite(precision)
    order = np.argsort(recall[there], kind="stable")
    x, y = recall[there][order], precision[there][order]
    return float(np.interp(HALF, x, y)) if x.size and x[0] <= HALF <= x[-1] else float("nan")


def _subtitle(cut: GeneralityTable) -> str:
    """How G varies, who is followed, and from where on few units are left."""
    from rankscope.statistics.intervals.generality_estimate import deciding_at

    few = deciding_at(cut) < FEW
    from_level = f"fewer than {FEW} units decide from G = {cut.index[few].min():.3g} on" if few.any() else ""
    return "; ".join(filter(None, (WAYS[cut.way], members_words(cut), from_level)))
