"""The leaderboard of a report: means and intervals of its measures, marks and groups of its tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankscope.evaluation.coverage_report import Coverage
from rankscope.evaluation.scores import Scores
from rankscope.measures.direction import Side, best_first
from rankscope.number_texts import how_many, signed_text
from rankscope.reports.formats.warning_kinds import percent
from rankscope.reports.page.leaderboard import (
    MARKS,
    MOST_LETTERS,
    BoardColumn,
    BoardDifference,
    BoardRow,
    Groups,
    Leaderboard,
    Standing,
    UnjudgedShare,
    slots_of,
)
from rankscope.reports.texts.estimates import Estimates, MeasureRow

if TYPE_CHECKING:
    from rankscope.statistics.verdicts.compared import Compared

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
    from rankscope.reports.texts.class_table import class_estimates

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
    return tuple(
        BoardRow(
            number=number,
            place=place + 1,
            system=scores.systems[number].name,
            baseline=number == 0 and len(order) > 1,
            standing=standings[place] if standings else None,
            difference=_difference(main, number),
            unjudged=_unjudged(scores.systems[number].coverage),
        )
        for place, number in enumerate(order)
    )


def _unjudged(seen: Coverage) -> UnjudgedShare:
    """Of the first results; none where only relevant items are listed, which is a warning of its own."""
    known = 0.0 if math.isnan(seen.unjudged_at_10) or seen.only_relevant else seen.unjudged_at_10
    return UnjudgedShare(known, percent(known))


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
        Standing(
            slots=slots[number],
            with_best=low == 1,
            ranks=f"{low}" if low == high else f"{low} to {high}",
        )
        for number, (low, high, _) in enumerate(own)
    ]


def _deciding(compared: Compared | None) -> str:
    """What on the leaderboard shows what the tests say."""
    letters = compared is not None and _group_style(compared) == "letters"
    return "letters and marks" if letters else "marks"


def _notes(main: MeasureRow, compared: Compared | None, reference: str) -> list[str]:
    """How the table is read."""
    drawn = main.means[0].has_interval
    lines = ["Dot: mean. Bar: 95 % interval."] if drawn else []
    if len(main.means) > 1:
        lines.append(
            f"Thin line: the mean of the {reference}. Each column has one scale for all rows. Bold: best mean."
        )
    if compared is not None and _group_style(compared) == "letters":
        lines.append(f"No significant difference between systems that share a letter, by {main.asked}.")
    if main.differences:
        lines.append(
            f"{MARKS} than the {reference}, corrected for all comparisons. "
            f"Whether two bars overlap decides nothing; {_deciding(compared)} do."
        )
    return lines
