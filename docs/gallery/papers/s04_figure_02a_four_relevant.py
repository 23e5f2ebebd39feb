"""S04, figure 2a: lines of constant scope for a relevant class of four additional members."""

from base import About, Base, base, save
from scope_lines import FOUR, ClassLines

NAME = "s04-figure-02a-four-relevant"
LINES = ClassLines(4, FOUR, "scope")
draw = LINES.draw


def about(logos: Base) -> About:
    """What the page says."""
    return LINES.about(
        logos,
        "S04, figure 2a: lines for class size 4",
        "lines along which p, r values lie for a relevant class of four additional members, for several scopes.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
