"""HS01, figure 6: lines of windows for clusters of 2, of which one member is the query."""

from base import About, Base, base, save
from scope_lines import ONE, ClassLines

NAME = "hs01-figure-06-one-relevant"
LINES = ClassLines(1, ONE, "window")
draw = LINES.draw


def about(logos: Base) -> About:
    """What the page says."""
    return LINES.about(
        logos,
        "HS01, figure 6: lines for c = 1",
        "lines along which p, r values lie for clusters of 2, of which one member is the query; the complete "
        "upper-left half of the graph is out of reach.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
