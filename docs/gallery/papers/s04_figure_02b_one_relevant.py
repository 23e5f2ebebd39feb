"""S04, figure 2b: lines of constant scope for a relevant class of 2, one of which is the query."""

from base import About, Base, base, save
from scope_lines import ONE, ClassLines

NAME = "s04-figure-02b-one-relevant"
LINES = ClassLines(1, ONE, "scope")
draw = LINES.draw


def about(logos: Base) -> About:
    """What the page says."""
    return LINES.about(
        logos,
        "S04, figure 2b: lines for class size 1",
        "lines along which p, r values lie for a relevant class of 2, one of which is the query, for several scopes.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
