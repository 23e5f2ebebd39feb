"""Which of two systems people prefer, in tables and in words that follow from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankscope.number_texts import how_many, percent_text
from rankscope.reports.formats.rows import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.statistics.preferences.position_bias import PositionBias
    from rankscope.statistics.preferences.strengths import Strengths
    from rankscope.statistics.preferences.win_rates import WinRate


def preferences_text(
    rates: Sequence[WinRate], bias: PositionBias, level: float = 0.95, strengths: Strengths | None = None
) -> str:
    """The verdicts, the table of win rates, strengths, and what the sides do."""
    words = [*verdict_lines(rates), ""]
    about = f"win rate: of the second system, ties count half; low, high: {percent_text(level)} limits over queries."
    sides = ["Sides", table([*bias.rows()]).rstrip("\n"), *bias_lines(bias)] if bias.sided else []
    scale = [*_strength_table(strengths, level), ""] if strengths else []
    return "\n".join([*words, table(rate_rows(rates)).rstrip("\n"), about, "", *scale, *sides]).rstrip() + "\n"


def _strength_table(strengths: Strengths, level: float) -> list[str]:
    if not strengths.systems:
        return strength_lines(strengths)
    rows = table([each.row() for each in strengths.systems]).rstrip("\n")
    about = f"strength: log odds (Bradley-Terry), their sum is 0; low, high: {percent_text(level)} limits over queries;"
    return ["Strengths", rows, f"{about} chance: of being preferred to the others, on average."]


def strength_lines(strengths: Strengths | None) -> list[str]:
    """The strengths of three systems or more in a sentence, or why there are none."""
    if strengths is None:
        return []
    if not strengths.systems:
        return [f"No strengths (Bradley-Terry): {strengths.missing}, so no finite ones are the most likely."]
    each = (f"{one.system} {one.strength:.2f} ({one.low:.2f} to {one.high:.2f})" for one in strengths.systems)
    return [f"Strengths in log odds (Bradley-Terry): {', '.join(each)}."]


def rate_rows(rates: Sequence[WinRate]) -> list[dict[str, object]]:
    """One row for each pair of systems, then one for each class."""
    by_class = any(each.label for each in rates)
    return [each.row(by_class) for each in rates]


def verdict_lines(rates: Sequence[WinRate]) -> list[str]:
    """One sentence for each pair of systems: who is preferred, or that nobody is shown to be."""
    return [_verdict(each) for each in rates if not each.label]


def _verdict(found: WinRate) -> str:
    counted = f"{found.second} won {how_many(found.wins, 'answers')}, lost {found.losses:,}, tied {found.ties:,}"
    about = f"{counted}; {found.queries:,} {'query' if found.queries == 1 else 'queries'}"
    if found.better:
        other = found.first if found.better == found.second else found.second
        return f"{found.better} is preferred to {other}: {about}."
    return f"No significant preference between {found.first} and {found.second}: {about}."


def bias_lines(bias: PositionBias) -> list[str]:
    """What the place on the page does, as far as pairs that were shown twice tell."""
    if not bias.twice:
        return ["No lists were answered twice with the sides swapped, so nothing is known of what the side does."]
    if math.isnan(bias.lean_low) or bias.lean_low <= 0 <= bias.lean_high:
        return [f"No significant lean to a side in {bias.twice:,} lists that were answered twice."]
    side, size = ("left", bias.lean) if bias.lean > 0 else ("right", -bias.lean)
    return [
        f"! {size:.0%} of the answers follow the {side} side ({bias.twice:,} lists answered twice): sides are drawn by "
        "lot, so no system gains by it, but every win rate is pulled towards one half"
    ]
