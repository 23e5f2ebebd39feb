"""Colours of tiles: from the paper to the colour of a series, and ink that can be read on them."""

from __future__ import annotations

import math

from rankscope.graphs.look import Theme

FULL = 0.85  # of the colour of the series, where the shade is 1


def shade_colour(shade: float, theme: Theme) -> str:
    """Paper at 0, towards the first colour of the theme up to 1, towards the second down to -1; NaN is paper.

    >>> from rankscope.graphs.look import LIGHT
    >>> shade_colour(0.0, LIGHT), shade_colour(1.0, LIGHT), shade_colour(-1.0, LIGHT)
    ('#ffffff', '#2687be', '#db7626')
    """
    if not math.isfinite(shade):
        return theme.paper
    end = _parts(theme.series[0] if shade >= 0 else theme.series[1])
    share = FULL * min(abs(shade), 1.0)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(_parts(theme.paper), end, strict=True))


def ink_on(colour: str) -> str:
    """Black or white, whichever stands out more.

    >>> ink_on("#ffffff"), ink_on("#0072b2")
    ('#000000', '#ffffff')
    """
    bright = sum(
        weight * (part / 255) ** 2.2 for weight, part in zip((0.2126, 0.7152, 0.0722), _parts(colour), strict=True)
    )
    return "#000000" if bright > 0.18 else "#ffffff"


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
