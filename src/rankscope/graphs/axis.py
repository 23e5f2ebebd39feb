"""One axis of a graph: a quantity in words with its symbol, a scale, and how far it goes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from rankscope.errors import SettingError

Scale = Literal["linear", "log2"]


@dataclass(frozen=True)
class Axis:
    """What an axis shows; `domain` None takes in all that is drawn, `ticks` None chooses readable ones.

    >>> Axis("generality index", "G = log2(d/c)").title
    'generality index G = log2(d/c)'
    """

    quantity: str
    symbol: str = ""
    scale: Scale = "linear"
    domain: tuple[float, float] | None = None
    ticks: tuple[float, ...] | None = None
    whole: bool = False  # only whole numbers make sense as ticks
    texts: tuple[str, ...] | None = None  # names at the ticks, in place of numbers
    rows: float | None = None  # lines of text that one unit of y takes: the graph is as high as its names need
    lower_is_better: bool = False  # of a measure, so that the curve that leads is the lowest

    def __post_init__(self) -> None:
        if self.scale not in ("linear", "log2"):
            raise SettingError(f"a scale is linear or log2, got {self.scale!r}")
        if self.texts is not None and len(self.texts) != len(self.ticks or ()):
            raise SettingError(f"{self.quantity} has {len(self.texts)} names for {len(self.ticks or ())} ticks")
        if self.domain is not None:
            low, high = self.domain
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise SettingError(
                    f"the domain of {self.quantity} must go from a number to a larger one: {low}, {high}"
                )
            if self.scale == "log2" and low <= 0:
                raise SettingError(f"a log2 axis starts above 0, got {low} for {self.quantity}")

    @property
    def title(self) -> str:
        """The quantity and its symbol."""
        return f"{self.quantity} {self.symbol}".strip()

    def over(self, low: float, high: float) -> Axis:
        """The same axis from low to high."""
        return replace(self, domain=(float(low), float(high)))

    def place(self, value: float) -> float:
        """Where a value stands on the axis: 0 at its start, 1 at its end."""
        low, high = self.domain or (0.0, 1.0)
        if self.scale == "log2":
            return math.log2(value / low) / math.log2(high / low)
        return (value - low) / (high - low)
