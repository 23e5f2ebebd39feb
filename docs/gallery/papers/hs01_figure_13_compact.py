"""HS01, figure 13: an almost ideal, compact cluster of 11 members follows the ideal line."""

import numpy as np
from base import About, Base, base, save
from window_graphs import bounded, precision_over_windows

from rankscope.measures import AP
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Graph

NAME = "hs01-figure-13-compact"
MEMBERS = 11


def compact(logos: Base, exactly: bool = False) -> tuple[str, RelevantRanks]:
    """The cluster of 11 members or more with the highest mean AP, the largest of equals, and its queries."""
    size = logos.ranks.relevant + 1
    queries = logos.ranks.take(np.flatnonzero(size == MEMBERS if exactly else size >= MEMBERS))
    classes, value = np.array(queries.classes or ()), AP().of(queries)
    names = sorted(set(classes.tolist()))
    means = {each: (float(value[classes == each].mean()), int((classes == each).sum())) for each in names}
    best = max(names, key=means.__getitem__)
    return best, queries.take(np.flatnonzero(classes == best))


def share_of_ideal(queries: RelevantRanks) -> float:
    """The least share of the ideal precision that its mean has at any window."""
    mean = precision_over_windows(queries)
    return float((mean.y / np.minimum(1.0, queries.relevant[0] / mean.x)).min())


def draw(logos: Base) -> Graph:
    """Its mean precision along the ceiling."""
    name, queries = compact(logos)
    title = f"A compact cluster of {len(queries)} along the ideal line"
    subtitle = f"{logos.caption}; cluster {name}: each of its {len(queries)} members a query, d = {logos.size:,}"
    return bounded(logos, int(queries.relevant[0]), queries, title, subtitle, f"cluster {name}")


def about(logos: Base) -> About:
    """How far below the ideal line it stays."""
    (name, queries), (other, eleven) = compact(logos), compact(logos, exactly=True)
    several = len(set(logos.of_size(MEMBERS - 1).classes or ()))
    return About(
        title="HS01, figure 13: a compact cluster",
        alt="A curve that runs along the ceiling of its hits over the whole graph.",
        paper="precision of the most compact cluster, of 11 members, closely follows the ideal line.",
        ours=f"cluster {name}, the most compact of those with {MEMBERS} members or more: {len(queries)} members, "
        f"{queries.relevant[0]} to be found, mean AP {float(AP().of(queries).mean()):.3f}.",
        agrees=f"its precision is never below {share_of_ideal(queries):.0%} of the ideal.",
        cannot=f"it has {len(queries)} members; the most compact of our {several} clusters of exactly {MEMBERS} "
        f"(cluster {other}) has mean AP {float(AP().of(eleven).mean()):.3f} and falls to {share_of_ideal(eleven):.0%} "
        "of the ideal.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
