"""What people say: how far assessors agree, and which of two systems is preferred, in tables and in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankscope.analysis.assessors.agreement import FEW_PAIRS, LOPSIDED, Agreed, Agreement
from rankscope.core.rendering import text_table
from rankscope.core.wording import how_many, percent_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankscope.analysis.assessors.bradley_terry import Strengths
    from rankscope.analysis.assessors.order_changes import OrderChange
    from rankscope.analysis.assessors.win_rates import PositionBias, WinRate


# How far assessors agree, in tables and in words that follow from them.

SHOWN = ("raw", "kappa", "AC1", "kappa, quadratic", "overlap", "positive")  # coefficients of two in a row


def agreement_parts(found: Agreement) -> list[tuple[str, list[dict[str, object]], str]]:
    """Every table with its heading and what must be said below it, as for a page; the order of systems first."""
    limits = f"low, high: {percent_text(found.level)} limits of kappa over queries."
    parts = [
        ("Every two assessors", two_rows(found.two), " ".join([limits, *agreement_notes(found.two)])),
        ("All assessors together", together_rows([found.together]), ""),
        ("Every two assessors, by class", two_rows(found.two_by_class), ""),
        ("All assessors together, by class", together_rows(found.together_by_class), ""),
    ]
    if found.orders:
        title = f"Order of systems under the judgements of every two assessors, {found.orders[0].measure}"
        rows = [each.row() for each in found.orders]
        parts.insert(0, (title, rows, " ".join(order_lines(found.orders))))
    return parts


def agreement_text(found: Agreement) -> str:
    """Every two assessors, all together, classes, and the order of systems, each with what it says."""
    limits = (
        f"low, high: {percent_text(found.level)} limits of kappa over queries; a dash where queries are too few or all "
        "alike."
    )
    parts = [_titled("Every two assessors", two_rows(found.two)), *_line_block([limits, *agreement_notes(found.two)])]
    parts.append(_titled("All together", together_rows([found.together])))
    if found.two_by_class:
        parts.append(_titled("By class, every two assessors", two_rows(found.two_by_class)))
        parts.append(_titled("By class, all together", together_rows(found.together_by_class)))
    if found.orders:
        title = f"Order of systems, {found.orders[0].measure}"
        parts.append(_titled(title, [each.row() for each in found.orders]))
        parts += _line_block(order_lines(found.orders))
    return "\n".join(parts)


def two_rows(found: Iterable[Agreed]) -> list[dict[str, object]]:
    """One row for every two assessors: the coefficients that are read most, kappa with its limits."""
    rows = []
    for each in found:
        row: dict[str, object] = dict(zip(("first", "second"), each.assessors, strict=True))
        row |= {"class": each.label} if each.label else {}
        row |= {"pairs": each.pairs, "queries": each.queries}
        for name in SHOWN:
            if name in each.names:
                row[name] = each[name].value
            if name == "kappa":
                row |= {"low": each[name].low, "high": each[name].high}
        rows.append(row)
    return rows


def together_rows(found: Iterable[Agreed]) -> list[dict[str, object]]:
    """One row for each coefficient of all assessors together."""
    return [
        {name: value for name, value in row.items() if name != "assessors"} for each in found for row in each.rows()
    ]


def agreement_notes(found: Sequence[Agreed]) -> list[str]:
    """What must be said with the numbers: where few pairs, or one grade that most marks have, mislead."""
    lines = []
    thin = [_names(each) for each in found if each.is_thin]
    if thin:
        lines.append(f"! fewer than {FEW_PAIRS} pairs in common, so these say little: {'; '.join(thin)}")
    lopsided = [_names(each) for each in found if each.is_lopsided and not each.is_thin]
    if lopsided:
        lines.append(
            f"! over {LOPSIDED:.0%} of the marks are one grade: kappa is low there whatever people do, read AC1: "
            f"{'; '.join(lopsided)}"
        )
    return lines


def order_lines(orders: Sequence[OrderChange]) -> list[str]:
    """Whether a disagreement matters for the systems: in the words of the numbers above."""
    turned = [each for each in orders if each.reversed]
    if turned:
        named = "; ".join(f"{each.first} and {each.second} ({each.reversed})" for each in turned)
        return [f"! verdicts turn round between {named}: which system is better depends on who judges"]
    kept = sum(each.kept for each in orders)
    alone = sum(each.one_sided for each in orders)
    swapped = sum(each.swapped for each in orders)
    swaps = f"{swapped or 'no'} {'pair' if swapped == 1 else 'pairs'} of systems change their order"
    if not kept and not alone:
        return [f"No assessor's judgements show a difference between systems; {swaps}."]
    return [
        f"No verdict turns round: {kept} of {kept + alone} stand under both assessors, {alone} under one alone; "
        f"{swaps}."
    ]


def _names(found: Agreed) -> str:
    return " and ".join(found.assessors) + (f", {found.label}" if found.label else "")


def _titled(title: str, rows: list[dict[str, object]]) -> str:
    return f"{title}\n{text_table(rows)}" if rows else f"{title}: nothing was judged in common\n"


def _line_block(lines: Sequence[str]) -> list[str]:
    return ["".join(f"{line}\n" for line in lines)] if lines else []


def beside_text(beside: Mapping[str, Sequence[Agreed]]) -> str:
    """Machines against people together, and people who were asked a second time, where there are any."""
    titles = {"machines": "Machines against people together", "again": "The same person, asked again"}
    return "".join("\n" + _titled(titles[name], two_rows(found)) for name, found in beside.items() if found)


# Which of two systems people prefer, in tables and in words that follow from them.


def preferences_text(
    rates: Sequence[WinRate], bias: PositionBias, level: float = 0.95, strengths: Strengths | None = None
) -> str:
    """The verdicts, the table of win rates, strengths, and what the sides do."""
    words = [*verdict_lines(rates), ""]
    about = f"win rate: of the second system, ties count half; low, high: {percent_text(level)} limits over queries."
    sides = ["Sides", text_table([*bias.rows()]).rstrip("\n"), *bias_lines(bias)] if bias.sided else []
    scale = [*_strength_table(strengths, level), ""] if strengths else []
    return "\n".join([*words, text_table(rate_rows(rates)).rstrip("\n"), about, "", *scale, *sides]).rstrip() + "\n"


def _strength_table(strengths: Strengths, level: float) -> list[str]:
    if not strengths.systems:
        return strength_lines(strengths)
    rows = text_table([each.row() for each in strengths.systems]).rstrip("\n")
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
    lines = []
    for each in rates:
        if each.label:
            continue
        said = f"No significant preference between {each.first} and {each.second}"
        if each.better:
            said = f"{each.better} is preferred to {each.first if each.better == each.second else each.second}"
        counted = f"{each.second} won {how_many(each.wins, 'answers')}, lost {each.losses:,}, tied {each.ties:,}"
        lines.append(f"{said}: {counted}; {how_many(each.queries)}.")
    return lines


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
