"""HS01, figures 5 to 7: where results can lie at all depends on the size of the class and of the collection."""

import numpy as np
from base import Base, base, save

from rankscope.curves import expected_hits, highest_precision, lowest_precision, scope_line
from rankscope.curves.curve import Curve, Region
from rankscope.graphs import Axis, Graph
from rankscope.graphs.kinds.shared.describing import chosen_scopes

RELATIVE = (0.25, 0.5, 1, 2, 4)  # scopes in units of the class size
AXIS = 0.002  # a region from 0 on would hide the axis


def accessible(logos: Base, relevant: int, size: int, title: str) -> Graph:
    """The mean curve of classes of one size in a collection of `size`, and in grey what no ranking can reach."""
    queries = logos.of_size(relevant)
    lines = [a for a in RELATIVE if 1 / relevant <= a < size / relevant]
    marked = np.rint(np.array(lines) * relevant).astype(np.int64)
    scopes = np.union1d(chosen_scopes(size), marked)
    hits = np.array([expected_hits(queries, size - relevant, int(scope)).low.mean() for scope in scopes])
    recall, left = np.linspace(AXIS, 1.0, 401), np.linspace(AXIS, max(AXIS, 1.0 / relevant), 101)
    graph = Graph(
        title,
        Axis("recall", "r", domain=(0, 1)),
        Axis("precision", "p", domain=(0, 1)),
        subtitle=f"{logos.caption}; {len(queries):,} queries, c = {relevant}, d = {size:,}",
        ratio=0.85,
    )
    above = Region(left, highest_precision(left, relevant), np.ones(left.size))
    below = Region(recall, np.zeros(recall.size), lowest_precision(recall, relevant / size))
    for number, region in enumerate(region for region in (above, below) if _visible(region)):
        graph = graph.area(region, "out of reach" if number == 0 else "")
    graph = graph.guides([scope_line(a, points=2) for a in lines])
    graph = graph.rule(y=relevant / size, label="random")
    rows = np.searchsorted(scopes, marked).tolist()
    return graph.curve(Curve(hits / relevant, hits / scopes), "pixels", markers=rows)


def _visible(region: Region) -> bool:
    return bool(np.trapezoid(region.high - region.low, region.x) > 0.01)


logos = base()
largest = int(logos.ranks.relevant.max())
save(accessible(logos, 1, logos.size, "One relevant item: nothing above p = r"), "hs01-figure-05-one-relevant")
save(accessible(logos, 4, logos.size, "Four relevant items: nothing above p = 4r"), "hs01-figure-06-four-relevant")
save(
    accessible(logos, largest, 2 * largest, "Half of the collection relevant: a floor as well"),
    "hs01-figure-07-half-relevant",
)
