"""HS01, figure 1: the same classes of 8 among ever more distractors, up to the whole collection."""

import itertools

import numpy as np
from base import About, Base, base, plane, save

from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.curves.precision_recall import scope_line
from rankscope.analysis.curves.thinning import expected_hits
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.systems import chosen_scopes, number, with_random_levels

NAME = "hs01-figure-01-growth"
RELEVANT = 8


def sizes(logos: Base) -> list[int]:
    """From twice the class to the whole collection, four times as many items each time."""
    return [*(size for size in (16, 64, 256, 1024, 4096) if 2 * size < logos.size), logos.size]


def thinned(queries: RelevantRanks, size: int) -> Curve:
    """Mean precision and recall at every scope when random distractors are left out until `size` items stay: exact."""
    scopes = np.union1d(chosen_scopes(size), [RELEVANT])
    hits = np.array([expected_hits(queries, size - RELEVANT, int(scope)).low.mean() for scope in scopes])
    return Curve(hits / RELEVANT, hits / scopes, more={"scope": scopes})


def draw(logos: Base) -> Graph:
    """A curve for each size of the collection."""
    queries = logos.of_size(RELEVANT)
    graph = plane(
        "Growing a collection around classes of 8",
        f"{logos.caption}; {len(queries)} queries with c = 8, means over all ways to leave distractors out; "
        "markers at scopes 8 (on p = r) and 64",
    )
    diagonal = scope_line(1, points=2)
    graph = graph.guides([Curve(diagonal.x, diagonal.y, "p = r")])
    for size in sizes(logos):
        curve = thinned(queries, size)
        marked = [int(np.abs(curve.more["scope"] - scope).argmin()) for scope in (8, 64) if scope <= size]
        level = RELEVANT / size
        graph = graph.curve(
            curve, f"d = {size:,}", f"G = {-np.log2(level):.3g}, random {number(level)}", markers=marked
        )
    return with_random_levels(graph, [RELEVANT / size for size in sizes(logos)])


def about(logos: Base) -> About:
    """The heights at p = r and at scope 1."""
    curves = [thinned(logos.of_size(RELEVANT), size) for size in sizes(logos)]
    at = [float(curve.y[curve.more["scope"] == RELEVANT][0]) for curve in curves]
    first = [float(curve.y[0]) for curve in curves]
    falls = all(one > other for one, other in itertools.pairwise(at))
    return About(
        title="HS01, figure 1: a growing collection",
        alt="Precision-recall curves of the same queries; each larger collection lies below the smaller ones.",
        paper="Precision-recall curves of a cluster of 8 relevant items while the irrelevant items around it grow to "
        "32,000.",
        ours=f"{len(logos.of_size(RELEVANT))} queries with c = 8. No collection is drawn at random: each point is the "
        f"exact mean over all ways to leave distractors out. p = r is {_list(at)} at d = {_sizes(logos)}.",
        agrees=f"each larger collection lies {'below' if falls else 'not always below'} the smaller ones.",
        cannot=f"the collection ends at {logos.size:,} items; precision at scope 1 falls little (from {first[0]:.3f} "
        f"to {first[-1]:.3f}), because many icons have a near twin.",
    )


def _list(values: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def _sizes(logos: Base) -> str:
    return " / ".join(f"{size:,}" for size in sizes(logos))


if __name__ == "__main__":
    save(draw(base()), NAME)
