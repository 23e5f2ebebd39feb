"""HS01, figure 12: precision over a doubling window, between the ceiling of a known class size and the random floor."""

import numpy as np
from base import About, Base, base, save
from window_graphs import bounded, precision_over_windows

from rankscope.reports.graphs.graph import Graph

NAME = "hs01-figure-12-window"
RELEVANT = 8


def draw(logos: Base) -> Graph:
    """The bounds of clusters of 8, and the mean of such queries between them."""
    queries = logos.of_size(RELEVANT)
    subtitle = f"{logos.caption}; mean of {len(queries)} queries with c = {RELEVANT}, d = {logos.size:,}"
    return bounded(logos, RELEVANT, queries, "Precision over a doubling window, class size known", subtitle, "pixels")


def about(logos: Base) -> About:
    """The bounds, and that the mean stays between them."""
    mean = precision_over_windows(logos.of_size(RELEVANT))
    low, high = RELEVANT / logos.size, np.minimum(1.0, RELEVANT / mean.x)
    within = bool(((mean.y >= low - 1e-12) & (mean.y <= high + 1e-12)).all())
    return About(
        title="HS01, figure 12: bounds of the window graph",
        alt="On log scales precision falls along the ceiling of 8 hits to the random floor.",
        paper="precision bounds for clusters of 8 (the caption has a database of about 16,000, the text of about "
        "20,000): "
        "1 to w = c, then halved with each doubling of w, down to the random level at w = d.",
        ours=f"d = {logos.size:,}: the ceiling meets the floor c/d = 1/{logos.size / RELEVANT:,.0f} at w = d. With it "
        "the "
        f"mean of {len(logos.of_size(RELEVANT))} queries, {mean.y[0]:.3f} at w = 1.",
        agrees=f"both bounds; the mean {'stays' if within else 'does not stay'} between them.",
        cannot="nothing; the mean is ours.",
    )


if __name__ == "__main__":
    save(draw(base()), NAME)
