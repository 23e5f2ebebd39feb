"""HS01, figure 7: lines of windows for a cluster of four further members."""

from base import About, Base, base, save
from scope_lines import FOUR, ClassLines

NAME = "hs01-figure-07-four-relevant"
LINES = ClassLines(4, FOUR, "window")
draw = LINES.draw


def about(logos: Base) -> About:
    """What the page says."""
    return LINES.about(
        logos,
        "HS01, figure 7: lines for c = 4",
        "lines along which p, r values lie for a cluster of four further members; several windows, one line each.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
