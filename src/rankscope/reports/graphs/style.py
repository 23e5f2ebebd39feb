"""How graphs look: size, theme, colours of tiles, and what tells one series from another in colour and in grey."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from rankscope.core.catalogue import Catalogue
from rankscope.core.validation import Number, OneOf, Optional, Rule, check, check_fields

MM = 96 / 25.4  # CSS pixels
POINT = 96 / 72
FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
WIDTHS: dict[str, float] = {"column": 85.0, "full": 175.0}  # mm: one and two columns of a journal


@dataclass(frozen=True)
class Theme:
    """Colours of paper, ink and series."""

    name: str
    paper: str
    ink: str
    faint: str  # guides and ticks
    words: str  # words on guides
    shade: str  # regions
    series: tuple[str, ...]


MILLIMETRES = Number(least=40, most=600)

# Okabe & Ito's colours, which colour-blind readers can distinguish, without those too pale for a thin line
LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#1a1a1a",
    faint="#a6a6a6",
    words="#5e5e5e",
    shade="#ececec",
    series=("#0072b2", "#d55e00", "#009e73", "#8f4a7b", "#000000", "#b8860b", "#56b4e9", "#7f7f7f"),
)
DARK = Theme(
    name="dark",
    paper="#16181d",
    ink="#e8e8e8",
    faint="#6e737c",
    words="#a9aeb8",
    shade="#262a31",
    series=("#56b4e9", "#ff8c42", "#2fd0a0", "#e79ac8", "#ffffff", "#f0e442", "#4f8fd6", "#9a9a9a"),
)
THEMES: Catalogue[Theme] = Catalogue("theme", (LIGHT, DARK))
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (5, 2),
    (1.5, 1.5),
    (7, 2, 1.5, 2),
    (9, 2.5),
    (3, 1.5, 1, 1.5, 1, 1.5),
    (2.5, 2.5),
    (12, 2, 3, 2),
)
SHAPES: tuple[str, ...] = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)


@dataclass(frozen=True)
class Dress:
    """What one series wears."""

    colour: str
    dash: tuple[float, ...]
    shape: str


class Width(Rule):
    """A width by name or in millimetres, which a text may hold too."""

    def plain(self, value: Any) -> float:
        """In millimetres."""
        if isinstance(value, str) and value in WIDTHS:
            return WIDTHS[value]
        try:
            return float(MILLIMETRES.plain(float(value)))
        except (TypeError, ValueError):
            raise ValueError("must be column (85 mm), full (175 mm) or 40 to 600 millimetres") from None


@dataclass(frozen=True)
class Look:
    """Theme and size of a picture; lengths in CSS pixels, 96 to the inch, so that it prints at the size asked for.

    >>> Look.of(width="column").width
    321.3
    """

    theme: Theme = LIGHT
    width: float = 321.3
    ratio: float = 0.72  # height of the plot over its width
    text: float = 8 * POINT

    def __post_init__(self) -> None:
        check_fields(self, width=Number(above=0), ratio=Number(above=0), text=Number(above=0))

    @classmethod
    def of(cls, theme: str = "light", width: str | float = "column", ratio: float | None = None) -> Look:
        """A look by names: theme light or dark, width column (85 mm), full (175 mm) or millimetres."""
        rules = {"theme": OneOf(THEMES.names()), "width": Width(), "ratio": Optional(Number(above=0))}
        theme, wide, ratio = check(locals(), **rules).values()
        own = cls(THEMES.find(theme), round(wide * MM, 1), text=(8 if wide < 130 else 9) * POINT)
        own = replace(own, ratio=0.72 if wide < 130 else 0.52)
        return own if ratio is None else replace(own, ratio=ratio)

    @property
    def small(self) -> float:
        """Size of the numbers on the axes and of the words on guides."""
        return self.text * 0.92

    @property
    def large(self) -> float:
        """Size of the title."""
        return self.text * 1.12

    @property
    def row(self) -> float:
        """Height of a row of text."""
        return self.text * 1.35

    @property
    def line(self) -> float:
        """Distance of two lines of one name on an axis."""
        return self.small * 1.1

    def dress(self, number: int) -> Dress:
        """Colour, dash and shape of the series of this number; dash and shape go on where colours repeat."""
        colours = self.theme.series
        turn = number // len(colours)
        return Dress(
            colours[number % len(colours)],
            DASHES[(number + turn) % len(DASHES)],
            SHAPES[(number + 3 * turn) % len(SHAPES)],
        )


# Colours of tiles: from the paper to the colour of a series, and ink that can be read on them.

FULL = 0.85  # of the colour of the series, where the shade is 1


def shade_colour(shade: float, theme: Theme) -> str:
    """Paper at 0, towards the first colour of the theme up to 1, towards the second down to -1; NaN is paper.

    >>> from rankscope.reports.graphs.style import LIGHT
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
