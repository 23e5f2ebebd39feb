"""HS01, section 5.1: the window graph where the class size is unknown, a construction without a number."""

import numpy as np
from base import About, Base, base, save
from window_graphs import window_axes

from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.curves.window import random_floor, window_curves
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.systems import chosen_scopes

NAME = "hs01-section-5-1-unknown"
SEEN = 1024  # how far a practical study looks
CLASSES = (3, 15, 62, 307)


def typical(logos: Base, relevant: int) -> str:
    """The query of this class size, or the nearest there is, whose hits at scope c are the median of all such."""
    sizes = np.unique(logos.ranks.relevant)
    queries = logos.of_size(int(sizes[np.abs(sizes - relevant).argmin()]))
    hits = queries.hits(queries.relevant)
    return queries.queries[int(np.argsort(hits, kind="stable")[hits.size // 2])]


def chosen(logos: Base) -> RelevantRanks:
    """One query of each of four class sizes."""
    return logos.ranks.take(np.array([logos.ranks.queries.index(typical(logos, relevant)) for relevant in CLASSES]))


def draw(logos: Base) -> Graph:
    """Diagonals of equal hits, and four queries over them."""
    queries = chosen(logos)
    floor = float(2 ** random_floor(logos.size).y[0])
    lowest = 2.0 ** np.floor(np.log2(floor))
    graph = window_axes(
        logos,
        floor,
        "Precision over a doubling window, class size unknown",
        f"{logos.caption}; four queries, judged to the upright line, c not known to the judge; "
        "diagonals: v hits, the number on top",
    )
    for v in (2**power for power in range(int(np.log2(logos.size)) + 1)):
        end = min(logos.size, v / lowest)
        graph = graph.guides([Curve(np.array([end, v]), np.array([v / end, 1.0]), f"{v:,}" if v > 1 else "v = 1")])
    graph = graph.rule(y=floor, label="1/d").rule(x=SEEN)
    scopes = np.union1d(chosen_scopes(logos.size), [SEEN])
    hits = queries.hits(SEEN)
    for row, curve in enumerate(window_curves(queries, scopes)):
        x, y = 2**curve.x, 2**curve.y
        near, far = x <= SEEN, x >= SEEN
        marked = np.searchsorted(x, [3 * 4**power + row for power in range(5)])
        name, note = f"query {row + 1}", f"v = {hits[row]} at w = {SEEN:,}, c = {queries.relevant[row]}"
        graph = graph.curve(Curve(x[near], y[near]), name, note, markers=marked.tolist())
        graph = graph.curve(Curve(x[far], y[far]), name, light=True, markers=0)
    return graph


def about(logos: Base) -> About:
    """How many hits the judge saw of how many."""
    queries = chosen(logos)
    seen = queries.hits(SEEN)
    below = bool((seen <= queries.relevant).all())
    return About(
        title="HS01, section 5.1: the window graph with unknown class size",
        alt="Four queries over diagonals of equal numbers of hits.",
        paper="where the cluster size is unknown, ceilings for c = 1, 2, 4, ... and the lowest random level are drawn; "
        "the diagonal on which a curve settles estimates the size. The text describes it without a figure.",
        ours=f"one query each of c = {', '.join(map(str, queries.relevant))}, judged to w = {SEEN:,}: there they "
        "stand on "
        f"the diagonals of {', '.join(map(str, seen))} hits.",
        agrees=f"the diagonal is {'a lower bound' if below else 'no bound'} of c for each.",
        cannot="as an estimate it falls far short for large clusters.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
