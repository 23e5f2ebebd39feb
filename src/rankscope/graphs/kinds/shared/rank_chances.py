"""How often each system takes each rank when queries are drawn again, as numbers on coloured tiles."""

from __future__ import annotations

import numpy as np

from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.number_texts import how_many
from rankscope.statistics.verdicts.rank_intervals import RankIntervals

MOST = 16  # systems and ranks: more tiles cannot be read
LEAST = 0.005  # a share below is no number on a tile


def rank_chances_graph(result: RankIntervals) -> Graph:
    """Systems by their mean, ranks from left to right; the darker, the more often."""
    count = min(MOST, len(result.systems))
    chance = result.chance[:count, :count]
    names = result.systems[:count]
    who = (
        f"{how_many(count, 'systems')}"
        if count == len(result.systems)
        else f"the {count} best of {how_many(len(result.systems), 'systems')}"
    )
    ranks = np.arange(1.0, count + 1)
    graph = Graph(
        f"How often each system takes each rank by {result.measure}",
        Axis("rank", domain=(0.5, count + 0.5), ticks=tuple(ranks.tolist())),
        Axis("system", domain=(-count - 0.5, -0.5), ticks=tuple((-ranks).tolist()), texts=names, rows=1.4),
        subtitle=f"{who}; {how_many(result.queries)} drawn again with replacement; percent of the draws",
        summary=f"Chances of ranks of {who} by {result.measure}.",
        conclusion=_conclusion(result),
    )
    rank, row = np.meshgrid(ranks, ranks)
    shares = chance.ravel().tolist()
    return graph.tiles(
        rank.ravel(),
        -row.ravel(),
        chance.ravel(),
        [percent_text(each) for each in shares],
        name="share of draws",
        facts={
            "system": [name for name in names for _ in names],
            "rank": rank.ravel().astype(int).tolist(),
            "share of draws": [round(each, 4) for each in shares],
        },
    )


def percent_text(share: float) -> str:
    """A share on a tile: nothing where it rounds to 0, and 100 only for all.

    >>> percent_text(0.004), percent_text(0.426), percent_text(0.9974), percent_text(1.0)
    ('', '43', '>99', '100')
    """
    if share < LEAST:
        return ""
    return ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"


def _conclusion(result: RankIntervals) -> str:
    """How sure the first rank is, and how many keep theirs in most draws."""
    first, own = float(result.chance[0, 0]), np.diag(result.chance)
    kept = int((own > 0.5).sum())
    return (
        f"{result.systems[0]} is the best in {first:.1%} of the draws; {kept} of {how_many(len(own), 'systems')} "
        "keep their rank in "
        "more than half of them."
    )
