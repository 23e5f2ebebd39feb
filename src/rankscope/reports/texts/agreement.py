"""How far assessors agree, in tables and in words that follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.number_texts import percent_text
from rankscope.reports.formats.rows import table
from rankscope.statistics.agreement.agreement import FEW, LOPSIDED, Agreed, Agreement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankscope.statistics.agreement.orders import OrderChange

SHOWN = ("raw", "kappa", "AC1", "kappa, quadratic", "overlap", "positive")  # coefficients of two in a row


def agreement_parts(found: Agreement) -> list[tuple[str, list[dict[str, object]], str]]:
    """Every table with its heading and what must be said below it, as for a page; the order of systems first."""
    limits = f"low, high: {percent_text(found.level)} limits of kappa over queries."
    parts = [
        ("Every two assessors", two_rows(found.two), " ".join([limits, *notes(found.two)])),
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
    parts = [_titled("Every two assessors", two_rows(found.two)), *_line_block([limits, *notes(found.two)])]
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
    return [_row_of_two(each) for each in found]


def _row_of_two(found: Agreed) -> dict[str, object]:
    first, second = found.assessors
    head: dict[str, object] = {"first": first, "second": second}
    head |= {"class": found.label} if found.label else {}
    head |= {"pairs": found.pairs, "queries": found.queries}
    for name in SHOWN:
        if name in found.names:
            head[name] = found[name].value
        if name == "kappa":
            head |= {"low": found[name].low, "high": found[name].high}
    return head


def together_rows(found: Iterable[Agreed]) -> list[dict[str, object]]:
    """One row for each coefficient of all assessors together."""
    return [
        {name: value for name, value in row.items() if name != "assessors"} for each in found for row in each.rows()
    ]


def notes(found: Sequence[Agreed]) -> list[str]:
    """What must be said with the numbers: where few pairs, or one grade that most marks have, mislead."""
    lines = []
    thin = [_names(each) for each in found if each.is_thin]
    if thin:
        lines.append(f"! fewer than {FEW} pairs in common, so these say little: {'; '.join(thin)}")
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
    if not kept and not alone:
        return [f"No assessor's judgements show a difference between systems; {_swaps(swapped)}."]
    return [
        f"No verdict turns round: {kept} of {kept + alone} stand under both assessors, {alone} under one alone; "
        f"{_swaps(swapped)}."
    ]


def _swaps(number: int) -> str:
    return f"{number or 'no'} {'pair' if number == 1 else 'pairs'} of systems change their order"


def _names(found: Agreed) -> str:
    return " and ".join(found.assessors) + (f", {found.label}" if found.label else "")


def _titled(title: str, rows: list[dict[str, object]]) -> str:
    return f"{title}\n{table(rows)}" if rows else f"{title}: nothing was judged in common\n"


def _line_block(lines: Sequence[str]) -> list[str]:
    return ["".join(f"{line}\n" for line in lines)] if lines else []


def beside_text(beside: Mapping[str, Sequence[Agreed]]) -> str:
    """Machines against people together, and people who were asked a second time, where there are any."""
    titles = {"machines": "Machines against people together", "again": "The same person, asked again"}
    return "".join("\n" + _titled(titles[name], two_rows(found)) for name, found in beside.items() if found)
