"""What may be believed of a machine judge, in words and numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankscope.number_texts import how_many
from rankscope.reports.formats.rows import table

if TYPE_CHECKING:
    from rankscope.sampling.machine_judge import CorrectedRow, MachineJudged

ASSUMED = (
    "This holds if the queries that people judged were drawn at random from all, not chosen as hard or frequent ones."
)


def machine_text(done: MachineJudged) -> str:
    """Agreement, means, differences, then what must be said with them."""
    parts = [f"{machine_line(done)}\n"]
    if done.agreement is not None:
        parts.append(f"Agreement of the machine with people, relevant or not\n{table([done.agreement.row()])}")
    parts.append(f"{_title(done, 'Means')}\n{table([each.row() for each in done.rows])}")
    if done.differences:
        parts.append(f"{_title(done, 'Differences')}\n{table([each.row() for each in done.differences])}")
    parts.append("".join(f"{line}\n" for line in machine_lines(done)))
    parts += [f"! {line}\n" for line in done.warnings]
    return "\n".join(parts)


def machine_line(done: MachineJudged) -> str:
    """Who judged what."""
    return (
        f"{how_many(done.queries, 'queries')} judged by people and by the machine, {done.others:,} by the machine alone"
    )


def machine_lines(done: MachineJudged) -> list[str]:
    """What follows: why nothing is corrected, or how much the machine adds and where it alone would mislead."""
    if done.reason:
        return [f"Nothing is corrected: {done.reason}. Believe the columns of people."]
    first = done.rows[0]
    lines = [_worth(done, first)]
    every = [*done.rows, *done.differences]
    outside = [each for each in every if not _within(each)]
    if outside:
        named = ", ".join(f"{each.measure} of {each.run}" for each in outside[:4])
        more = f" and {len(outside) - 4} more" if len(outside) > 4 else ""
        lines.append(f"The machine alone lies outside of the corrected interval for {named}{more}.")
    else:
        lines.append("The machine alone lies within every corrected interval.")
    return [*lines, ASSUMED]


def machine_json(done: MachineJudged) -> dict[str, Any]:
    """All rows, for programs."""
    return {
        "format": "rankscope.machine_judge",
        "version": 1,
        "level": done.level,
        "queries": done.queries,
        "others": done.others,
        "agreement": None if done.agreement is None else done.agreement._asdict(),
        "reason": done.reason,
        "means": [each.row() for each in done.rows],
        "differences": [each.row() for each in done.differences],
        "warnings": list(done.warnings),
    }


def _worth(done: MachineJudged, row: CorrectedRow) -> str:
    worth = row.mean.worth
    if math.isnan(worth):
        return f"{row.measure} of {row.run} does not vary: the machine adds nothing to it."
    return (
        f"For {row.measure} of {row.run} the corrected interval is as short as that of {worth:.0f} queries judged by "
        f"people: {done.queries} were."
    )


def _within(row: CorrectedRow) -> bool:
    return row.mean.corrected.low <= row.mean.machine <= row.mean.corrected.high


def _title(done: MachineJudged, what: str) -> str:
    return f"{what} over queries, intervals of {100 * done.level:.3g} %: corrected, people alone, machine alone"
