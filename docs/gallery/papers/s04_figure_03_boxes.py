"""S04, figure 3: a low and a high query averaged in three ways along their interpolated curves."""

import numpy as np
from base import About, Base, base, plane, save, spread_queries

from rankscope.analysis.curves.averaging import mean_along_rays
from rankscope.analysis.curves.curve import Curve
from rankscope.analysis.curves.precision_recall import (
    mean_at_precision_levels,
    mean_at_recall_levels,
    points_at_hits,
    scope_line,
)
from rankscope.core.arrays import FloatArray
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.systems import generality_words

NAME = "s04-figure-03-boxes"
RELEVANT = 16
LOW, HIGH = 0.3, 0.7  # recall below and above which the text speaks of low and high
PBOX, RBOX = "precision boxes (pbox)", "recall boxes (rbox)"
MIDDLES = np.arange(0.05, 1.0, 0.1)  # of ten boxes
EACH_DOUBLING = 64  # lines through the origin, at each doubling of the scope
SLACK = 1e-9
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
    """The mean along lines through the origin: all that the eye can tell apart, and all that meet a corner of a curve.

    Between two neighbours of these the mean recall is linear in a.
    """
    points = points_at_hits(queries)
    corners = points["recall"][:, None] / points["precision"]
    first, last = -np.log2(RELEVANT), np.log2(queries.collection.min() / RELEVANT)
    seen = 2.0 ** np.linspace(first, last, round(EACH_DOUBLING * (last - first)))
    return mean_along_rays(queries, np.union1d(seen, corners))


def averages(queries: RelevantRanks) -> dict[str, Curve]:
    """The mean recall at every precision that a query has, and the mean precision at every recall."""
    levels = np.unique(points_at_hits(queries)["precision"])[::-1]
    recall = mean_at_recall_levels(queries, np.arange(1, RELEVANT + 1) / RELEVANT)
    return {PBOX: mean_at_precision_levels(queries, levels), RBOX: recall}


def draw(logos: Base) -> Graph:
    """Both queries, and the three means."""
    queries = chosen(logos)
    graph = plane(
        "Two queries, averaged in three ways",
        f"{logos.caption}; queries {' and '.join(queries.queries)}, at 30 and 90 % of the "
        f"{len(logos.of_size(RELEVANT))} "
        f"with {generality_words([queries])}; interpolated curves",
    )
    graph = graph.guides([scope_line(a, points=2) for a in (0.5, 1, 2)])
    graph = graph.curve(radial(queries), "radial mean", markers=0)
    for name, curve in averages(queries).items():
        graph = graph.curve(staircase(curve), name, markers=0)
    for row, name in enumerate(("low query", "high query")):
        own = mean_at_recall_levels(queries.take(np.array([row])), np.arange(1, RELEVANT + 1) / RELEVANT)
        graph = graph.curve(staircase(own), name, markers=0)
    return graph


def staircase(curve: Curve) -> Curve:
    """An interpolated curve as it is: level up to each recall, where precision falls; from recall 0 on."""
    order = np.lexsort((-curve.y, curve.x))
    x, y = curve.x[order], curve.y[order]
    return Curve(np.concatenate([[0.0], np.repeat(x, 2)[:-1]]), np.repeat(y, 2))


def at_recall(curve: Curve, recall: FloatArray) -> FloatArray:
    """Precision of a curve that falls as recall grows: the highest at this recall or beyond; 0 where it ends before."""
    return np.array([curve.y[curve.x >= each - SLACK].max(initial=0.0) for each in recall.tolist()])


def radial_at_recall(queries: RelevantRanks, recall: FloatArray) -> FloatArray:
    """Precision of the radial mean where it first has this recall; 0 where it never does."""
    mean = radial(queries)
    reach, a = np.append(0.0, mean.x), np.append(0.0, mean.more["a"])
    place = np.minimum(np.searchsorted(reach, recall - SLACK), reach.size - 1)
    share = (recall - reach[place - 1]) / np.maximum(reach[place] - reach[place - 1], SLACK)
    first = a[place - 1] + np.minimum(share, 1.0) * (a[place] - a[place - 1])
    return np.where(reach[-1] >= recall - SLACK, recall / first, 0.0)


def gaps(queries: RelevantRanks) -> dict[str, FloatArray]:
    """Of each way: its precision minus that of the radial mean, at the recalls in the middle of ten boxes."""
    mean = radial_at_recall(queries, MIDDLES)
    return {name: at_recall(curve, MIDDLES) - mean for name, curve in averages(queries).items()}


def directions(queries: RelevantRanks) -> list[bool]:
    """Which of the four directions of the text are seen: those of DIRECTIONS."""
    low, high = MIDDLES <= LOW, MIDDLES >= HIGH
    up, across = gaps(queries).values()
    return [
        bool(sign * gap[some].mean() > SLACK)
        for gap, some, sign in ((up, low, 1), (up, high, -1), (across, low, -1), (across, high, 1))
    ]


def boxes_below(queries: RelevantRanks) -> bool | None:
    """Whether the means of those of ten precision boxes that get to high recall lie below the radial mean there.

    None where none gets there.
    """
    boxes = mean_at_precision_levels(queries, MIDDLES)
    far = boxes.x >= HIGH - SLACK
    if not far.any():
        return None
    return bool((boxes.y[far] - radial_at_recall(queries, boxes.x[far])).mean() < -SLACK)


def pairs_of(queries: RelevantRanks, pairs: int = 100) -> list[RelevantRanks]:
    """So many random pairs of queries."""
    random = np.random.default_rng(0)
    return [queries.take(random.choice(len(queries), 2, replace=False)) for _ in range(pairs)]


def seen_in_pairs(queries: RelevantRanks) -> list[int]:
    """In how many of 100 random pairs of queries each direction is seen."""
    return [int(each) for each in np.sum([directions(pair) for pair in pairs_of(queries)], axis=0)]


def about(logos: Base) -> About:
    """Where boxes lie above and below the radial mean, at low and at high recall; in this pair and in others."""
    queries, others = chosen(logos), logos.of_size(RELEVANT)
    seen = directions(queries)
    held = [words for words, holds in zip(DIRECTIONS, seen, strict=True) if holds]
    missed = [words for words, holds in zip(DIRECTIONS, seen, strict=True) if not holds]
    counts = zip(DIRECTIONS, seen_in_pairs(others), strict=True)
    far = [each for each in map(boxes_below, pairs_of(others)) if each is not None]
    low, high = MIDDLES <= LOW, MIDDLES >= HIGH
    ends = [
        f"{gap[low].mean():+.2g} at recall up to {LOW}, {gap[high].mean():+.2g} from {HIGH} on"
        for gap in gaps(queries).values()
    ]
    return About(
        title="S04, figure 3: averaging compared",
        alt="A low and a high query, their radial mean between them, and two box means that leave it.",
        paper="averages of a low- and a high-performing query, class size 16 among 21,094 images: precision boxes "
        "(pbox) "
        "overestimate precision at low recall and underestimate it at high recall, recall boxes (rbox) the reverse.",
        ours=f"two queries with c = {RELEVANT}, d = {logos.size:,}, with "
        f"{' and '.join(map(str, queries.hits(RELEVANT)))} hits "
        "at s = c; of their interpolated curves the mean recall at constant precision (pbox), the mean precision at "
        f"constant recall (rbox) and the mean along lines through the origin. Mean gap to the last: pbox {ends[0]}; "
        f"rbox {ends[1]}. Of 100 random pairs of the {len(others)} queries with c = {RELEVANT}: "
        f"{', '.join(f'{words} in {count}' for words, count in counts)}. Of ten precision boxes those that get to "
        f"recall {HIGH} lie below the radial mean in {sum(far)} of the {len(far)} pairs that have one.",
        agrees=f"{', '.join(held) or 'none of the four directions'}.",
        cannot=f"{', '.join(missed) or 'nothing: all four directions are there'}"
        f"{' is not to be seen with these two queries' if missed else ''}. The text draws smooth curves, ours fall in "
        "steps from hit to hit.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
