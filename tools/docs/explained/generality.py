"""docs/explanation/g.md: what G is."""

from __future__ import annotations

import numpy as np

from rankscope.reports.graphs.graph import Axis, Graph
from tools.docs.explained.pages import flowed
from tools.docs.explained.shipped import edges
from tools.docs.markdown import page as whole_page

LEVELS = (1, 2, 3, 4, 5)
TEXT = """
The generality index says how rare relevant items are. A query with c relevant items in a collection of d has

    G = log2(d / c)

One more G is a haystack twice as large: of the items every second is relevant at G = 1, one in {two} at G = 2,
one in {last} at G = {level}. A random order finds relevant items at just that rate, so its precision is 2^-G
everywhere.

![Rows of tiles: at each G one more than the row above, the share of relevant tiles halves](g.svg)

**Why it matters.** The same system on the same query has a lower precision in a larger collection, because more
distractors come before the relevant items. A precision of .5 is nothing at G = 1, where chance gives it, and
very much at G = {high:.0f}, where chance gives {chance}. Numbers of collections, classes or years with
different G must not be compared, and must not be averaged without saying so. A graph over G shows what remains
of a system's quality as relevant items grow rare: see [GRiP](grip.md).

**In the icons that ship with rankscope.** {queries:,} queries, one class in eight, each icon looking for the
others of its class among {collection:,}: classes have {fewest} to {most} relevant items, so G goes from
{low:.1f} to {high:.1f}. One and the same collection asks questions whose random levels differ by a factor of
{factor:,.0f}.
""".strip()


def numbers() -> dict[str, float]:
    """What the text says."""
    queries = edges()
    index = np.log2(queries.collection / queries.relevant)
    return {
        "two": 2**2,
        "level": LEVELS[-1],
        "last": 2 ** LEVELS[-1],
        "queries": len(queries),
        "collection": int(queries.collection[0]),
        "fewest": int(queries.relevant.min()),
        "most": int(queries.relevant.max()),
        "low": float(index.min()),
        "high": float(index.max()),
        "factor": float(2.0 ** (index.max() - index.min())),
    }


def page() -> str:
    """The page."""
    found = numbers()
    chance = f"{2.0 ** -round(found['high']):.5f}".removeprefix("0")
    return whole_page("G, the generality index", flowed(TEXT, **found, chance=chance))


def graph() -> Graph:
    """A row of tiles for each G: the share of relevant ones halves from row to row."""
    wide = 2 ** LEVELS[-1]
    rows = np.repeat(np.arange(len(LEVELS), 0, -1.0), wide)
    places = np.tile(np.arange(1.0, wide + 1), len(LEVELS))
    relevant = np.concatenate([np.arange(wide) % 2**level == 0 for level in LEVELS])
    shares = [f"1 in {2**level}" for level in LEVELS]
    return Graph(
        "Of 32 items, how many are relevant at each G",
        Axis("item", domain=(0.5, wide + 0.5), ticks=(1.0, 8.0, 16.0, 24.0, 32.0)),
        Axis(
            "G",
            domain=(0.5, len(LEVELS) + 0.5),
            ticks=tuple(np.arange(1.0, len(LEVELS) + 1)),
            texts=tuple(f"{level}: {share}" for level, share in zip(LEVELS, shares, strict=True))[::-1],
        ),
        subtitle="relevant items coloured; one more G, half as many",
        ratio=0.3,
        summary="At G = 1 every second item is relevant, at G = 5 one in 32.",
    ).tiles(places, rows, np.where(relevant, 0.9, np.nan), [""] * rows.size)
