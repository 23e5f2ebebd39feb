"""HS01, figure 3: the same table with its sums and the three ratios."""

from base import About, Base, base, save
from decision_table import RELEVANT, example, tiles

from rankscope.reports.graphs.graph import Graph

NAME = "hs01-figure-03-sizes"


def draw(logos: Base) -> Graph:
    """Three by three, and recall, precision and generality at the ends of their rows and columns."""
    of = example(logos)
    d, c, w, v = of.collection, of.relevant, of.scope, of.hits
    return tiles(
        "Retrieval sizes and ratios",
        f"{logos.caption}; below: the query in the middle of those with c = {RELEVANT}, at w = c",
        ["retrieved", "not retrieved", "sum", "ratio"],
        ["relevant", "irrelevant", "sum", "ratio"],
        [
            ["v", "c - v", "c", "r = v/c"],
            ["w - v", "(d + v) - (c + w)", "d - c", ""],
            ["w", "d - w", "d", ""],
            ["p = v/w", "", "g = c/d", ""],
        ],
        [
            [f"{v:,}", f"{c - v:,}", f"{c:,}", f"{of.recall:.3f}"],
            [f"{w - v:,}", f"{d + v - c - w:,}", f"{d - c:,}", ""],
            [f"{w:,}", f"{d - w:,}", f"{d:,}", ""],
            [f"{of.precision:.3f}", "", f"{of.generality:.5f}", ""],
        ],
    )


def about(logos: Base) -> About:
    """The ratios."""
    of = example(logos)
    return About(
        title="HS01, figure 3: sizes and ratios",
        alt="The decision table with its sums, and recall, precision and generality as ratios of them.",
        paper="The table with row and column totals, and r = v/c, p = v/w, g = c/d at their ends.",
        ours=f"the same formulas, and below them one query: v = {of.hits}, c = {of.relevant}, w = {of.scope}, "
        f"d = {of.collection:,}, so r = p = {of.recall:.3f} and g = {of.generality:.5f}.",
        agrees="all nine sizes and the three ratios.",
        cannot="nothing.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
