"""What the user gets to see, round by round: hits, new hits, and all so far (after Luo & Nascimento 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.measures.fractions import divide

SHARES = (
    "actual precision",
    "actual recall",
    "new precision",
    "new recall",
    "cumulative precision",
    "cumulative recall",
    "new precision of unseen",
    "new recall of the rest",
)
OF_ONE_DISPLAY = tuple(name for name in SHARES if not name.startswith("cumulative"))


@dataclass(frozen=True, eq=False)
class DisplayQuality:
    """One display of each session: how much is on it, how much of that is relevant, new, and both; and the same so far.

    A display that is not full keeps the scope as its divisor; what cannot be divided is NaN.
    """

    scope: int
    relevant: IntArray  # that can be found in all
    hits: IntArray
    unseen: IntArray
    new_hits: IntArray
    seen: IntArray  # different items seen so far, this display included
    seen_hits: IntArray

    def shares(self) -> dict[str, FloatArray]:
        """Precision and recall, in every way of counting, by the names of `SHARES`."""
        before = self.seen_hits - self.new_hits
        result = (
            self.hits / self.scope,
            divide(self.hits, self.relevant),
            self.new_hits / self.scope,
            divide(self.new_hits, self.relevant),
            divide(self.seen_hits, self.seen),
            divide(self.seen_hits, self.relevant),
            divide(self.new_hits, self.unseen),
            divide(self.new_hits, self.relevant - before),
        )
        return dict(zip(SHARES, result, strict=True))


def display_quality(
    shown: IntArray, hit: BoolArray, seen: BoolArray, relevant: IntArray, before: DisplayQuality | None
) -> DisplayQuality:
    """Count one display: sessions x places, -1 in empty ones; whether each is relevant, and whether seen before."""
    there = shown >= 0
    new = there & ~seen
    unseen, new_hits = new.sum(axis=1), (new & hit).sum(axis=1)
    total, total_hits = (0, 0) if before is None else (before.seen, before.seen_hits)
    hits = (there & hit).sum(axis=1)
    return DisplayQuality(
        scope=shown.shape[1],
        relevant=relevant,
        hits=hits,
        unseen=unseen,
        new_hits=new_hits,
        seen=total + unseen,
        seen_hits=total_hits + new_hits,
    )


def trace_displays(
    displays: Sequence[Sequence[str]], target: ArrayLike, scope: int | None = None
) -> list[DisplayQuality]:
    """The displays of one session, given by the names of the items shown.

    >>> one, two = trace_displays(["aXYbZ", "abcWZ"], list("abcdef"))
    >>> two.shares()["cumulative precision"].round(6), two.shares()["new precision of unseen"]
    (array([0.428571]), array([0.5]))
    """
    wanted = set(np.asarray(target).tolist())
    size = max(map(len, displays)) if scope is None else scope
    known: set[str] = set()
    qualities: list[DisplayQuality] = []
    for display in displays:
        names = [*display, *[""] * (size - len(display))]
        shown = np.array([[0 if name else -1 for name in names]])
        hit, seen = (np.array([[name in some for name in names]]) for some in (wanted, known))
        qualities.append(
            display_quality(shown, hit, seen, np.array([len(wanted)]), qualities[-1] if qualities else None)
        )
        known |= set(display)
    return qualities
