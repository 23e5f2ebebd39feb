"""The leaderboard: one row a system, one scale a column, with what a reader must see to trust a place.

`Leaderboard` holds what stands in each cell and where its bar begins and ends, for a report or a suite; the macro
`leaderboard` of `leaderboard.html.j2` writes it, `leaderboard.js` sorts it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankscope.analysis.comparison.estimates import Estimate, Estimates, MeasureRow
from rankscope.core.wording import decimal_text, how_many, signed_text
from rankscope.measures.direction import EQUAL, Side, best_first, best_value
from rankscope.measures.evaluation.scores import Scores
from rankscope.measures.evaluation.warning_kinds import MUCH, percent

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared


Role = Literal["primary", "measure", "class", "collection"]
Groups = Literal["letters", "ranks", ""]  # how groups are shown, if at all
ROUND = (1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
MARKS = "\u25b2 on green: significantly better, \u25bc on red: significantly worse"
MOST_LETTERS = 16  # more cannot be followed down a column


@dataclass(frozen=True)
class Scale:
    """Where the bars of one column begin and end.

    >>> Scale.of([0.2, 0.341]), Scale.of([-0.2, 0.7]), Scale.of([120.0, 340.0])
    (Scale(low=0.0, high=0.35), Scale(low=-0.2, high=0.7), Scale(low=100.0, high=350.0))
    """

    low: float
    high: float

    @classmethod
    def of(cls, ends: Sequence[float]) -> Scale:
        """From 0 to the next round number above the highest; beyond 0 and 1 from round number to round number."""
        known = [each for each in ends if math.isfinite(each)] or [1.0]
        low, high = min(known), max(known)
        if low >= 0 and high <= 1:
            return cls(0.0, _rounded(high) or 1.0)
        start = -_rounded(-low) if low < 0 else _rounded(low, up=False)
        end = _rounded(high) if high > 0 else -_rounded(-high, up=False)
        return cls(start, end if end > start else start + 1.0)

    def percent(self, value: float) -> float:
        """Where a value stands, from 0 at the left end to 100 at the right."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def zero(self) -> float | None:
        return self.percent(0.0) if self.low < 0 < self.high else None


def _rounded(value: float, up: bool = True) -> float:
    """The next round number, or the one before; 0 of 0."""
    if value <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value) + 1e-12)
    if up:
        step = next(each for each in ROUND if each * power >= value * (1 - 1e-12))
    else:
        step = max(each for each in ROUND if each * power <= value * (1 + 1e-12))
    return float(f"{step * power:.6g}")


@dataclass(frozen=True)
class BoardCell:
    """One value: as printed, its interval in words, its bar in percent, and what the tests say of it."""

    value: float
    text: str
    interval: str = ""
    bar: tuple[float, float] | None = None
    dot: float | None = None
    best: bool = False
    side: Side = ""  # against the baseline, after correction


@dataclass(frozen=True)
class BoardColumn:
    """One quantity of all systems, in the order of the systems."""

    key: str  # safe in a class name and no other column's
    title: str
    cells: tuple[BoardCell, ...]
    scale: Scale
    role: Role = "measure"
    lower_is_better: bool = False
    baseline: float | None = None  # where the baseline's mean stands, in percent
    about: str = ""

    @classmethod
    def of(
        cls,
        key: str,
        title: str,
        estimates: Sequence[Estimate],
        *,
        sides: Sequence[Side] = (),
        role: Role = "measure",
        lower_is_better: bool = False,
        counts: bool = False,
        baseline: int | None = 0,
        about: str = "",
    ) -> BoardColumn:
        """From estimates, one a system; `baseline` is the number of the system that the others are compared with."""
        ends = [end for each in estimates for end in (each.value, each.low, each.high)]
        scale = Scale.of(ends)
        values = np.array([each.value for each in estimates])
        best = math.nan if counts or len(values) < 2 else best_value(values, lower_is_better)
        known = list(sides) or [""] * len(estimates)
        cells = tuple(
            _cell(each, scale, counts=counts, best=each.value == best, side=known[place])
            for place, each in enumerate(estimates)
        )
        there = baseline is not None and len(estimates) > 1 and math.isfinite(estimates[baseline].value)
        mean = scale.percent(estimates[baseline].value) if there and baseline is not None else None
        return cls(key, title, cells, scale, role=role, lower_is_better=lower_is_better, baseline=mean, about=about)

    @property
    def ends(self) -> tuple[str, str]:
        return scale_text(self.scale.low), scale_text(self.scale.high)

    @property
    def has_intervals(self) -> bool:
        return any(each.bar is not None for each in self.cells)


def _cell(each: Estimate, scale: Scale, *, counts: bool, best: bool, side: Side) -> BoardCell:
    if not math.isfinite(each.value):
        return BoardCell(math.nan, "\u2013")
    ends = (each.low, each.high) if each.has_interval and math.isfinite(each.high) else None
    return BoardCell(
        value=each.value,
        text=board_number(each.value, counts),
        interval=" to ".join(board_number(end, counts) for end in ends) if ends else "",
        bar=(scale.percent(ends[0]), scale.percent(ends[1])) if ends else None,
        dot=scale.percent(each.value),
        best=best,
        side=side,
    )


def board_number(value: float, counts: bool = False) -> str:
    """Three decimals, no leading 0, a true minus sign; a count as it is.

    >>> board_number(0.2625), board_number(-0.0123), board_number(4120.0, counts=True), board_number(-0.0001)
    ('.263', '−.012', '4,120', '.000')
    """
    return f"{value:,.0f}" if counts and value == int(value) else decimal_text(value)


def scale_text(value: float) -> str:
    """An end of a scale, as short as it is exact.

    >>> scale_text(0.0), scale_text(0.35), scale_text(-0.2), scale_text(1200.0)
    ('0', '.35', '−.2', '1,200')
    """
    text = f"{abs(value):,.6g}" if abs(value) < 1000 else f"{abs(value):,.0f}"
    return ("\u2212" if value < 0 else "") + (text[1:] if text.startswith("0.") else text)


@dataclass(frozen=True)
class Standing:
    """What remains possible for a system: its groups in fixed slots, or where these are too many its ranks."""

    slots: str = ""
    with_best: bool = False  # no significant difference from the best
    ranks: str = ""


@dataclass(frozen=True)
class BoardDifference:
    """The primary measure minus the baseline's: as printed, and what the tests say of it."""

    value: float
    text: str
    interval: str = ""
    side: Side = ""


@dataclass(frozen=True)
class UnjudgedShare:
    """How many of the first 10 results have no judgement, as the warning says it."""

    share: float
    text: str

    @property
    def much(self) -> bool:
        """Whether it is so much that the values say little."""
        return self.share > MUCH + EQUAL


@dataclass(frozen=True)
class BoardRow:
    """One system: its place by the primary measure, its name, and what is shown next to its values."""

    number: int  # of the system, in the order given
    place: int
    system: str
    baseline: bool = False
    standing: Standing | None = None
    difference: BoardDifference | None = None
    unjudged: UnjudgedShare | None = None
    placed: bool = True  # not so where it has no primary value


@dataclass(frozen=True)
class Leaderboard:
    """Rows from the best to the worst by the primary column; columns in the order they are asked for.

    Without groups or differences those columns are not there; a suite has collections in the place of measures.
    """

    columns: tuple[BoardColumn, ...]  # the first is the primary one
    rows: tuple[BoardRow, ...]
    groups: Groups = ""
    notes: tuple[str, ...] = ()
    reference: str = "baseline"  # what the system is called with which the others are compared

    @property
    def primary(self) -> BoardColumn:
        return self.columns[0]

    @property
    def others(self) -> tuple[BoardColumn, ...]:
        return self.columns[1:]

    @property
    def with_differences(self) -> bool:
        return any(row.difference is not None for row in self.rows)

    @property
    def with_unjudged(self) -> bool:
        return any(row.unjudged is not None and row.unjudged.share > 0 for row in self.rows)


def slots_of(letters: Sequence[str]) -> list[str]:
    """Letters of each system in fixed places, so that a group reads as a line down the column.

    >>> slots_of(["a", "ab", "b", "ac"])
    ['a  ', 'ab ', ' b ', 'a c']
    """
    every = sorted(set("".join(letters)), key=lambda each: (each.isupper(), each))
    return ["".join(each if each in own else " " for each in every) for own in letters]


# The leaderboard of a report: means and intervals of its measures, marks and groups of its tests.

MOST_CLASS_COLUMNS = 8


def board_of(
    scores: Scores, estimates: Estimates, compared: Compared | None, reference: str = "baseline"
) -> Leaderboard | None:
    """Places by the measure that decides; None where nothing asked for is a number.

    `reference`: what the first system is called, with which the others are compared.
    """
    if not estimates.rows:
        return None
    main = estimates.main or estimates.rows[0]
    ordered = (main, *(row for row in estimates.rows if row is not main))
    columns = [_column(f"m{number}", row, primary=number == 0) for number, row in enumerate(ordered)]
    columns += _class_columns(scores, compared) if main is estimates.main else []
    return Leaderboard(
        columns=tuple(columns),
        rows=_rows(scores, main, compared),
        groups=_group_style(compared),
        notes=tuple(_notes(main, compared, reference)),
        reference=reference,
    )


def _column(key: str, row: MeasureRow, primary: bool) -> BoardColumn:
    sides: list[Side] = ["", *(each.side for each in row.differences)] if row.differences else []
    return BoardColumn.of(
        key,
        row.asked,
        row.means,
        sides=sides,
        role="primary" if primary else "measure",
        lower_is_better=row.lower_is_better,
        counts=row.measure.counts,
        about=row.meaning,
    )


def _class_columns(scores: Scores, compared: Compared | None) -> list[BoardColumn]:
    """The mean of the primary measure on each class of queries, where these were given and are few."""
    if not scores.by_class_wanted:
        return []
    from rankscope.analysis.comparison.estimates import class_estimates

    found = class_estimates(scores)
    if not 1 < len(found) <= MOST_CLASS_COLUMNS:
        return []
    lower = scores.systems[0].columns[0].measure.lower_is_better
    names = [system.name for system in scores.systems]
    return [
        BoardColumn.of(
            f"k{number}",
            each.label or "(no class)",
            each.means,
            sides=_class_sides(each.label, names, compared),
            role="class",
            lower_is_better=lower,
            about=f"{each.measure} on the {how_many(each.queries, 'queries')} of this class",
        )
        for number, each in enumerate(found)
    ]


def _class_sides(label: str, names: list[str], compared: Compared | None) -> list[Side]:
    """On which side of the baseline each system is shown to be on one class."""
    if compared is None:
        return []
    better = {
        effects.second: effect.better
        for effects in compared.main.classes
        for effect in effects.effects
        if effect.label == label
    }
    own = [compared.stands_for(name) for name in names]
    return ["" if not better.get(name) else "better" if better[name] == name else "worse" for name in own]


def _rows(scores: Scores, main: MeasureRow, compared: Compared | None) -> tuple[BoardRow, ...]:
    order = best_first([each.value for each in main.means], main.lower_is_better)
    standings = _standings([scores.systems[each].name for each in order], compared)
    rows = []
    for place, number in enumerate(order):
        seen = scores.systems[number].coverage
        # where only relevant items are listed it is a warning of its own
        unjudged = 0.0 if math.isnan(seen.unjudged_at_10) or seen.only_relevant else seen.unjudged_at_10
        rows.append(
            BoardRow(
                number=number,
                place=place + 1,
                system=scores.systems[number].name,
                baseline=number == 0 and len(order) > 1,
                standing=standings[place] if standings else None,
                difference=_difference(main, number),
                unjudged=UnjudgedShare(unjudged, percent(unjudged)),
            )
        )
    return tuple(rows)


def _difference(main: MeasureRow, number: int) -> BoardDifference | None:
    if not main.differences:
        return None
    if number == 0:
        return BoardDifference(0.0, "")
    own = main.differences[number - 1]
    ends = f"{signed_text(own.estimate.low)} to {signed_text(own.estimate.high)}" if own.estimate.has_interval else ""
    return BoardDifference(own.estimate.value, signed_text(own.estimate.value), ends, own.side)


def _group_style(compared: Compared | None) -> Groups:
    if compared is None or compared.main.ranks is None or len(compared.systems) < 3:
        return ""
    letters = {each for own in compared.main.ranks.letters for each in own}
    several = any(each.isdigit() for each in letters)
    return "letters" if len(letters) <= MOST_LETTERS and not several else "ranks"


def _standings(names: list[str], compared: Compared | None) -> list[Standing]:
    """Of each system what remains possible; in the order given."""
    if compared is None or not _group_style(compared):
        return []
    places = compared.places()
    own = [places[compared.stands_for(name)] for name in names]
    slots = slots_of([letters for _, _, letters in own])
    return [
        Standing(slots=slots[number], with_best=low == 1, ranks=f"{low}" if low == high else f"{low} to {high}")
        for number, (low, high, _) in enumerate(own)
    ]


def _notes(main: MeasureRow, compared: Compared | None, reference: str) -> list[str]:
    drawn = main.means[0].has_interval
    lines = ["Dot: mean. Bar: 95 % interval."] if drawn else []
    if len(main.means) > 1:
        lines.append(
            f"Thin line: the mean of the {reference}. Each column has one scale for all rows. Bold: best mean."
        )
    lettered = _group_style(compared) == "letters"  # both show what the tests say
    if lettered:
        lines.append(f"No significant difference between systems that share a letter, by {main.asked}.")
    if main.differences:
        lines.append(
            f"{MARKS} than the {reference}, corrected for all comparisons. "
            f"Whether two bars overlap decides nothing; {'letters and marks' if lettered else 'marks'} do."
        )
    return lines
