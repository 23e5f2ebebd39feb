"""HS01, figure 13: class size unknown. Diagonals are numbers of hits; a curve shows how many there are at least."""

import numpy as np
from base import Base, base, fours, save

from rankscope.curves import random_floor, window_curves
from rankscope.curves.curve import Curve
from rankscope.graphs import Axis, Graph
from rankscope.graphs.kinds.shared.describing import chosen_scopes

SEEN = 1024  # how far a practical study looks
CLASSES = (3, 15, 62, 307)


def typical(logos: Base, relevant: int) -> str:
    """The query of this class size, or the nearest there is, whose hits at scope c are the median of all such."""
    sizes = np.unique(logos.ranks.relevant)
    queries = logos.of_size(int(sizes[np.abs(sizes - relevant).argmin()]))
    hits = queries.hits(queries.relevant)
    return queries.queries[int(np.argsort(hits, kind="stable")[hits.size // 2])]


logos = base()
wanted = [logos.ranks.queries.index(typical(logos, relevant)) for relevant in CLASSES]
queries = logos.ranks.take(np.array(wanted))
floor = float(2 ** random_floor(logos.size).y[0])
lowest = 2.0 ** np.floor(np.log2(floor))
graph = Graph(
    "Precision over a doubling window, class size unknown",
    Axis("window", "s", "log2", domain=(1, logos.size), ticks=fours(1, logos.size)),
    Axis("precision", "p", "log2", domain=(lowest, 1)),
    subtitle=f"{logos.caption}; four queries, judged to the upright line, c not known to the judge; "
    "diagonals: v hits, the number on top",
    ratio=0.85,
)
hits = [2**power for power in range(int(np.log2(logos.size)) + 1)]
for v in hits:
    end = min(logos.size, v / lowest)
    graph = graph.guides([Curve(np.array([end, v]), np.array([v / end, 1.0]), f"{v:,}" if v > 1 else "v = 1")])
graph = graph.rule(y=floor, label="1/d").rule(x=SEEN)
for row, curve in enumerate(window_curves(queries, np.union1d(chosen_scopes(logos.size), [SEEN]))):
    seen, found = queries.take(np.array([row])), int(queries.relevant[row])
    v = int(seen.hits(SEEN)[0])
    x, y = 2**curve.x, 2**curve.y
    near, far = x <= SEEN, x >= SEEN
    marked = np.searchsorted(x, [3 * 4**power + row for power in range(5)])
    name = f"query {row + 1}"
    graph = graph.curve(Curve(x[near], y[near]), name, f"v = {v} at s = {SEEN:,}, c = {found}", markers=marked.tolist())
    graph = graph.curve(Curve(x[far], y[far]), name, light=True, markers=0)
save(graph, "hs01-figure-13-window-unknown")
