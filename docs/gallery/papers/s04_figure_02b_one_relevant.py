"""S04, figure 2b: lines of constant scope for a relevant class of 2, one of which is the query."""

from base import About, Base, base, save
from scope_lines import beyond_border, lines_of_class, mean_at

from rankscope.graphs import Graph

NAME = "s04-figure-02b-one-relevant"
RELEVANT = 1
SCOPES = [1, 2, 4, 8, 16]


def draw(logos: Base) -> Graph:
    """The lines, and what can lie on them."""
    return lines_of_class(logos, RELEVANT, SCOPES, f"Lines of constant scope, class size {RELEVANT}")


def about(logos: Base) -> About:
    """How many queries, where their mean passes s = c, and how many results lie beyond the border."""
    recall, _ = mean_at(logos, RELEVANT, RELEVANT)
    results, beyond = beyond_border(logos, RELEVANT, SCOPES)
    return About(
        title="S04, figure 2b: lines for class size 1",
        alt="Lines of constant scope through the origin; open circles where results can lie; grey where none can.",
        paper="lines along which p, r values lie for a relevant class of 2, one of which is the query, for several "
        "scopes.",
        ours=f"scopes {', '.join(map(str, SCOPES))}, {len(logos.of_size(RELEVANT)):,} queries with c = {RELEVANT}; "
        "their "
        f"mean at s = c is r = p = {recall:.3f}.",
        agrees=f"of {results:,} results with a hit {beyond or 'none'} lies above p = c r.",
        cannot="the border is p = c r; the text prints p = r/c.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
