"""HS01, figure 6: lines of windows for clusters of 2, of which one member is the query."""

from base import About, Base, base, save
from scope_lines import beyond_border, lines_of_class, mean_at

from rankscope.graphs import Graph

NAME = "hs01-figure-06-one-relevant"
RELEVANT = 1
WINDOWS = [1, 2, 4, 8, 16]


def draw(logos: Base) -> Graph:
    """The lines, and what can lie on them."""
    return lines_of_class(logos, RELEVANT, WINDOWS, "One relevant item: nothing above p = r", "w")


def about(logos: Base) -> About:
    """How many queries, where their mean passes w = c, and how many results lie beyond the border."""
    recall, _ = mean_at(logos, RELEVANT, RELEVANT)
    results, beyond = beyond_border(logos, RELEVANT, WINDOWS)
    return About(
        title="HS01, figure 6: lines for c = 1",
        alt="Lines of constant window through the origin; open circles where results can lie; grey where none can.",
        paper="lines along which p, r values lie for clusters of 2, of which one member is the query; the complete "
        "upper-left half of the graph is out of reach.",
        ours=f"windows {', '.join(map(str, WINDOWS))}, {len(logos.of_size(RELEVANT)):,} queries with c = {RELEVANT}; "
        f"their mean at w = c is r = p = {recall:.3f}.",
        agrees=f"of {results:,} results with a hit {beyond or 'none'} lies above p = r.",
        cannot="the border is p = c r; the text prints p = r/c.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
