"""HS01, figure 4: results of windows w = c/2, c and 2c lie on the lines p = 2r, p = r and p = r/2."""

import numpy as np
from base import About, Base, base, plane, save
from scope_lines import line_of

from rankscope.analysis.curves.curve import Curve
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.systems import generality_words

NAME = "hs01-figure-04-windows"
RELEVANT = 8
WINDOWS = {4: "w = c/2: p = 2r", 8: "w = c: p = r", 16: "w = 2c: p = r/2"}


def results(logos: Base, window: int) -> Curve:
    """Recall and precision of every query at a window."""
    hits = logos.of_size(RELEVANT).hits(window)
    return Curve(hits / RELEVANT, hits / window)


def draw(logos: Base) -> Graph:
    """The three lines, every query on each, and their means."""
    queries = logos.of_size(RELEVANT)
    graph = plane(
        "Results of a window lie on a line",
        f"{logos.caption}; {len(queries)} queries with {generality_words([queries])}; open: results of queries, many "
        "in one place; full: their means",
    )
    graph = graph.guides([line_of(window, RELEVANT, name) for window, name in WINDOWS.items()])
    for window in WINDOWS:
        each = results(logos, window)
        there = np.unique(np.stack([each.x, each.y], axis=1), axis=0)
        graph = graph.points(Curve(there[:, 0], there[:, 1]), f"w = {window}", open=True)
        graph = graph.points(Curve(np.array([each.x.mean()]), np.array([each.y.mean()])), f"w = {window}")
    return graph


def about(logos: Base) -> About:
    """Whether all lie on their lines, and where the means do."""
    found = {window: results(logos, window) for window in WINDOWS}
    on = all(np.allclose(each.y, each.x * RELEVANT / window) for window, each in found.items())
    means = "; ".join(
        f"w = {window}: r = {each.x.mean():.3f}, p = {each.y.mean():.3f}" for window, each in found.items()
    )
    return About(
        title="HS01, figure 4: lines of window sizes",
        alt="Three lines through the origin with the results of all queries on them, and a mean on each.",
        paper="p, r values are restricted to lines that the window as a multiple of the cluster size defines: w = c/2, "
        "c and 2c.",
        ours=f"the three lines, and on them all {len(logos.of_size(RELEVANT))} queries with c = {RELEVANT}. Means: "
        f"{means}.",
        agrees=f"{'every' if on else 'not every'} result lies on its line, and so does its mean.",
        cannot="nothing; whether the paper's figure has results on its lines its text does not say.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
