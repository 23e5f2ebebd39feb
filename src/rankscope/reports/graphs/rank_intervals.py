"""Rank intervals: which places in the list of systems are chance, and how often each is taken over draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from rankscope.analysis.comparison.rank_intervals import RankIntervals
from rankscope.analysis.curves.curve import Curve
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many, percent_text
from rankscope.reports.graphs.axes import Axis
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.kinds import Option, SystemCount, Variant, Variants, kind
from rankscope.reports.graphs.systems import LevelOption, MeasureOption, Systems, compared_values, counted_systems

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared


WHAT = "the graph of rank intervals"
SYSTEMS = SystemCount(2, 60, worth=3)
NAMED = 4  # so many systems stand in the subtitle by name
MOST_LETTERS = 0.035  # room for a letter, as a share of the ranks


SHOWN = Variants(
    "show",
    "Show",
    (
        Variant("intervals", "ranks that remain possible", chosen=True),
        Variant("chances", "how often each rank is taken"),
    ),
)


@kind(
    "rank-intervals",
    "which ranks of several systems are chance",
    systems=SYSTEMS,
    compares=True,
    variants=lambda systems: SHOWN,
)
def rank_intervals_graph(
    systems: Systems,
    measure: MeasureOption = "AP",
    level: LevelOption = 0.95,
    show: Annotated[
        Literal["intervals", "chances"],
        Option("the ranks that tests leave possible, or how often each is taken when queries are drawn again"),
    ] = "intervals",
    seed: int = 0,
    compared: Compared | None = None,
) -> Graph:
    """Systems by their mean, and the ranks that each can have; those that share a letter do not differ significantly.

    The verdict of `compare`: sign-flip and skew-t tests of all pairs, Holm's correction; all intervals hold together
    with the level asked for. The point is the rank of the mean itself. `show` chances: a tile for each system and rank,
    with the share of draws of queries in which it is taken. `compared`: a verdict that was made before.
    """
    shown = counted_systems(systems, WHAT, SYSTEMS)
    result = compared or compared_values(shown, measure, WHAT, level, seed)
    if result.main.ranks is None:
        raise SettingError(f"{WHAT} needs every pair compared, not only those with the baseline")
    if show == "chances":
        return rank_chances_graph(result.main.ranks)
    return _intervals_graph(result.main.ranks, result)


def _intervals_graph(result: RankIntervals, comparison: Compared) -> Graph:
    count = len(result.systems)
    rows = np.arange(float(count), 0.0, -1.0)  # the best system stands highest
    who = ", ".join(result.systems) if count <= NAMED else how_many(count, "systems")
    letters = max(len(each) for each in result.letters)
    right = count + 0.4 + max(0.3, count * (0.02 + MOST_LETTERS * letters))
    drawn = how_many(len(comparison.main.table))
    if comparison.main.unit != "queries":
        drawn += f" of {how_many(len(comparison.main.units), 'classes')}"
    graph = Graph(
        f"Ranks by {result.measure} that remain possible",
        Axis("rank", domain=(min(0.5, 1 - 0.03 * count), right), ticks=_ticks(count)),
        Axis(
            "system", domain=(0.3, count + 0.7), ticks=tuple(rows[::-1].tolist()), texts=result.systems[::-1], rows=1.15
        ),
        subtitle=f"{who}; {drawn}; intervals hold together at {percent_text(result.level)}; no "
        "significant difference between systems that share a letter"
        + "".join(f"; {name} is {other}" for name, other in comparison.same.items()),
        summary=f"Rank intervals of {who} by {result.measure}.",
        conclusion=_conclusion(result),
    )
    facts = {
        "system": list(result.systems),
        f"mean {result.measure}": [round(each, 4) for each in result.mean.tolist()],
        "ranks": [f"{a} to {b}" for a, b in zip(result.low.tolist(), result.high.tolist(), strict=True)],
        "group": list(result.letters),
    }
    low, high = result.low.astype(np.float64), result.high.astype(np.float64)
    graph = graph.spans(rows, low, high, "ranks possible", "the point is the rank of the mean")
    graph = graph.points(Curve(np.arange(1.0, count + 1), rows), "ranks possible", facts=facts)
    for row, own in zip(rows.tolist(), result.letters, strict=True):
        graph = graph.text(count + 0.4 + 0.02 * count, row, own)
    return graph


def _conclusion(result: RankIntervals) -> str:
    """Who may be the best, and who has a rank of its own."""
    count, best = len(result.systems), [name for name, low in zip(result.systems, result.low, strict=True) if low == 1]
    alone = int((result.low == result.high).sum())
    may = f"{best[0]} alone can be the best" if len(best) == 1 else f"{len(best)} of {count} systems can be the best"
    sure = {0: "no system has a rank of its own", 1: "1 system has a rank of its own"}
    return f"By {result.measure} {may}; {sure.get(alone, f'{alone} systems have a rank of their own')}."


def _ticks(count: int) -> tuple[float, ...]:
    step = max(1, -(-count // 8))
    return tuple(float(each) for each in range(1, count + 1) if each == 1 or each % step == 0)


# How often each system takes each rank when queries are drawn again, as numbers on coloured tiles.

MOST = 16  # systems and ranks: more tiles cannot be read
LEAST = 0.005  # a share below is no number on a tile


def rank_chances_graph(result: RankIntervals) -> Graph:
    """Systems by their mean, ranks from left to right; the darker, the more often."""
    count = min(MOST, len(result.systems))
    chance = result.chance[:count, :count]
    names = result.systems[:count]
    everyone = how_many(len(result.systems), "systems")
    who = everyone if count == len(result.systems) else f"the {count} best of {everyone}"
    ranks = np.arange(1.0, count + 1)
    own = np.diag(result.chance)
    kept = f"{int((own > 0.5).sum())} of {how_many(len(own), 'systems')} keep their rank in more than half of them"
    graph = Graph(
        f"How often each system takes each rank by {result.measure}",
        Axis("rank", domain=(0.5, count + 0.5), ticks=tuple(ranks.tolist())),
        Axis("system", domain=(-count - 0.5, -0.5), ticks=tuple((-ranks).tolist()), texts=names, rows=1.4),
        subtitle=f"{who}; {how_many(result.queries)} drawn again with replacement; percent of the draws",
        summary=f"Chances of ranks of {who} by {result.measure}.",
        conclusion=f"{result.systems[0]} is the best in {float(own[0]):.1%} of the draws; {kept}.",
    )
    rank, row = np.meshgrid(ranks, ranks)
    shares = chance.ravel().tolist()
    return graph.tiles(
        rank.ravel(),
        -row.ravel(),
        chance.ravel(),
        [tile_percent(each) for each in shares],
        name="share of draws",
        facts={
            "system": [name for name in names for _ in names],
            "rank": rank.ravel().astype(int).tolist(),
            "share of draws": [round(each, 4) for each in shares],
        },
    )


def tile_percent(share: float) -> str:
    """A share on a tile: nothing where it rounds to 0, and 100 only for all.

    >>> tile_percent(0.004), tile_percent(0.426), tile_percent(0.9974), tile_percent(1.0)
    ('', '43', '>99', '100')
    """
    if share < LEAST:
        return ""
    return ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"
