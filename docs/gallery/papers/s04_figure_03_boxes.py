"""S04, figure 3: a low and a high query averaged in three ways; boxes stray from the radial mean."""

import numpy as np
from base import About, Base, base, plane, save, spread_queries

from rankscope.arrays import FloatArray
from rankscope.curves import points_at_scopes, precision_boxes, radial_lattice, recall_boxes, scope_line
from rankscope.curves.curve import Curve
from rankscope.graphs import Graph
from rankscope.graphs.kinds.shared.describing import chosen_scopes
from rankscope.ranks.relevant_ranks import RelevantRanks

NAME = "s04-figure-03-boxes"
RELEVANT = 16
LOW, HIGH = 0.3, 0.7  # recall below and above which the text speaks of low and high
DIRECTIONS = (
    "pbox above at low recall",
    "pbox below at high recall",
    "rbox below at low recall",
    "rbox above at high recall",
)


def chosen(logos: Base) -> RelevantRanks:
    """A query that does badly and one that does well."""
    return spread_queries(logos.of_size(RELEVANT), [0.3, 0.9])


def radial(queries: RelevantRanks) -> Curve:
    """The mean at every scope that the eye can see."""
    last = int(queries.collection.min())
    return radial_lattice(queries, np.union1d(np.arange(1, 4 * RELEVANT + 1), chosen_scopes(last)))


def averages(queries: RelevantRanks) -> dict[str, Curve]:
    """Means in ten boxes of precision and of recall; empty boxes are left out."""
    boxed = {"precision boxes (pbox)": precision_boxes(queries), "recall boxes (rbox)": recall_boxes(queries)}
    return {name: _there(curve) for name, curve in boxed.items()}


def draw(logos: Base) -> Graph:
    """Both queries, and the three means."""
    queries = chosen(logos)
    graph = plane(
        "Two queries, averaged in three ways",
        f"{logos.caption}; queries {' and '.join(queries.queries)}, at 30 and 90 % of the "
        f"{len(logos.of_size(RELEVANT))} "
        f"with c = {RELEVANT}, d = {logos.size:,}; ten boxes",
    )
    graph = graph.guides([scope_line(a, points=2) for a in (0.5, 1, 2)])
    graph = graph.curve(radial(queries), "radial mean", markers=0)
    up, across = averages(queries).items()
    graph = graph.points(up[1], up[0])  # each box has its own depth: they are not joined
    graph = graph.curve(across[1], across[0], markers=range(len(across[1])))
    points = points_at_scopes(queries, chosen_scopes(logos.size))
    for row, name in enumerate(("low query", "high query")):
        own = points.row == row
        graph = graph.curve(Curve(points["recall"][own], points["precision"][own]), name, markers=0, light=True)
    return graph


def gaps(queries: RelevantRanks) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Of each way: recall of its points, and its precision minus that of the radial mean at the same recall."""
    mean = radial(queries)
    return {name: (curve.x, curve.y - _at(mean, curve.x)) for name, curve in averages(queries).items()}


def directions(queries: RelevantRanks) -> list[bool]:
    """Which of the four directions of the text are seen: those of DIRECTIONS; one without a box there is not."""
    (x_up, up), (x_across, across) = gaps(queries).values()
    low, high = _mean(up, x_up <= LOW), _mean(up, x_up >= HIGH)
    return [low > 0, high < 0, _mean(across, x_across <= LOW) < 0, _mean(across, x_across >= HIGH) > 0]


def seen_in_pairs(queries: RelevantRanks, pairs: int = 100) -> list[int]:
    """In how many of so many random pairs of queries each direction is seen."""
    random = np.random.default_rng(0)
    drawn = [random.choice(len(queries), 2, replace=False) for _ in range(pairs)]
    return [int(each) for each in np.sum([directions(queries.take(pair)) for pair in drawn], axis=0)]


def about(logos: Base) -> About:
    """Where boxes lie above and below the radial mean, at low and at high recall; in this pair and in others."""
    queries, others = chosen(logos), logos.of_size(RELEVANT)
    seen = directions(queries)
    held = [words for words, holds in zip(DIRECTIONS, seen, strict=True) if holds]
    missed = [words for words, holds in zip(DIRECTIONS, seen, strict=True) if not holds]
    counts = zip(DIRECTIONS, seen_in_pairs(others), strict=True)
    ends = [
        f"{_mean(gap, x <= LOW):+.3f} at recall up to {LOW}, {_mean(gap, x >= HIGH):+.3f} from {HIGH} on"
        for x, gap in gaps(queries).values()
    ]
    return About(
        title="S04, figure 3: averaging compared",
        alt="A low and a high query, their radial mean between them, and two box means that leave it.",
        paper="averages of a low- and a high-performing query, class size 16 among 21,094 images: precision boxes "
        "(pbox) "
        "overestimate precision at low recall and underestimate it at high recall, recall boxes (rbox) the reverse.",
        ours=f"two queries with c = {RELEVANT}, d = {logos.size:,}, with "
        f"{' and '.join(map(str, queries.hits(RELEVANT)))} hits "
        f"at s = c. Mean gap to the radial curve at the same recall: pbox {ends[0]}; rbox {ends[1]}.",
        agrees=f"{', '.join(held) or 'none of the four directions'}.",
        cannot=f"{', '.join(missed) or 'nothing: all four directions are there'}"
        f"{' is not to be seen with these two queries' if missed else ''}. Of 100 random pairs of the {len(others)} "
        f"queries with c = {RELEVANT}: {', '.join(f'{words} in {count}' for words, count in counts)}. The "
        "text draws smooth curves; a ranking jumps from hit to hit, and boxes without a hit are empty.",
    )


def _mean(gap: FloatArray, chosen: FloatArray) -> float:
    return float(gap[chosen].mean()) if chosen.any() else float("nan")


def _at(curve: Curve, recall: FloatArray) -> FloatArray:
    """Precision of a curve at recalls: of points of equal recall the highest."""
    levels = np.unique(curve.x)
    best = np.array([curve.y[curve.x == each].max() for each in levels])
    return np.interp(recall, levels, best)


def _there(curve: Curve) -> Curve:
    some = np.isfinite(curve.x) & np.isfinite(curve.y)
    order = np.argsort(curve.x[some], kind="stable")
    return Curve(curve.x[some][order], curve.y[some][order])


if __name__ == "__main__":
    save(draw(base()), NAME)
