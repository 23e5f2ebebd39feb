"""HS01, figure 14: the level of random retrieval as a function of the cluster size."""

import numpy as np
from base import About, Base, base, fours, save
from scipy.stats import hypergeom

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.sampling.estimate import relative_deviation
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.reports.graphs.graph import Axis, Graph

NAME = "hs01-figure-14-random"
SEED = 0
WINDOW, SHORT = 500, 50
INNER = (0.1, 0.9)  # of single random windows
LOWEST = 2.0**-17


def sizes(logos: Base) -> IntArray:
    """All numbers of relevant items that queries have."""
    return np.unique(logos.ranks.relevant)


def levels(logos: Base, window: int) -> FloatArray:
    """Precision of random retrieval, one random window for each query, averaged over the queries of a cluster size."""
    relevant = logos.ranks.relevant
    found = np.random.default_rng([SEED, window]).hypergeometric(relevant, logos.size - relevant, window)
    totals = np.bincount(relevant, weights=found / window)
    return totals[sizes(logos)] / np.bincount(relevant)[sizes(logos)]


def draw(logos: Base) -> Graph:
    """Measured levels over cluster sizes, the line c/d, and what single windows give."""
    c = sizes(logos)
    last = 2.0 ** np.ceil(np.log2(c.max()))
    graph = Graph(
        "Random performance level over cluster size",
        Axis("cluster size", "c", "log2", domain=(1, last), ticks=fours(1, last)),
        Axis("random precision", "p", "log2", domain=(LOWEST, 2.0**-4)),
        subtitle=f"{logos.collection}, d = {logos.size:,}; a random window for each of {len(logos.ranks):,} queries, "
        "means "
        f"by cluster size (seed {SEED}); shaded: 10 to 90 % of single windows of {WINDOW}; triangles: nothing found",
        ratio=0.85,
    )
    low, high = (hypergeom.ppf(share, logos.size, c, WINDOW) / WINDOW for share in INNER)
    inner = Region(c.astype(np.float64), np.maximum(low, LOWEST), np.maximum(high, LOWEST))
    graph = graph.area(inner, f"single windows of {WINDOW}")
    graph = graph.guides([Curve(c.astype(np.float64), c / logos.size, "c/d")], at=0.0)
    for window in (WINDOW, SHORT):
        level = levels(logos, window)
        some = level > 0
        graph = graph.points(Curve(c[some], level[some]), f"w = {window}")
        if not some.all():
            graph = graph.points(
                Curve(c[~some], np.full(int((~some).sum()), LOWEST)), f"w = {window}", open=True, edge=True
            )
    return graph


def about(logos: Base) -> About:
    """How far a single window may be off, and how far the means are."""
    c = sizes(logos)
    largest = int(c.max())
    off = [float(np.abs(np.log2(level[level > 0] * logos.size / c[level > 0])).max()) for level in _both(logos)]
    empty = [int((level == 0).sum()) for level in _both(logos)]
    spread = {relevant: relative_deviation(logos.size, relevant, WINDOW) for relevant in (largest, 64, 8)}
    told = ", ".join(f"{value:.2f} (c = {relevant})" for relevant, value in spread.items())
    return About(
        title="HS01, figure 14: random level over cluster size",
        alt="Measured random levels scatter around the line c/d, those of short windows far more.",
        paper="the random performance level as a function of cluster size; estimates of the size from it were accurate "
        "only when the window was at least 500.",
        ours=f"random windows of {WINDOW} and of {SHORT} for every query: means by size lie within a factor "
        f"{2 ** off[0]:.1f} and {2 ** off[1]:.1f} of c/d, and {empty[0]} and {empty[1]} of {c.size} sizes found "
        "nothing. "
        f"A single window of {WINDOW} has a relative standard deviation of {told}.",
        agrees=f"windows of {WINDOW} lie {'nearer to' if off[0] < off[1] else 'no nearer to'} the line than shorter "
        "ones.",
        cannot="one window of 500 is accurate for large clusters only, not for all as the text reads.",
    )


def _both(logos: Base) -> list[FloatArray]:
    return [levels(logos, window) for window in (WINDOW, SHORT)]


if __name__ == "__main__":
    save(draw(base()), NAME)
