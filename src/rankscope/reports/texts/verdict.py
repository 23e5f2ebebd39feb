"""The result in a few plain sentences: what each system finds, and whether the difference is more than chance."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankscope.measures.direction import best_first
from rankscope.reports.texts.estimates import Estimates, MeasureRow

if TYPE_CHECKING:
    from rankscope.statistics.verdicts.compared import Compared

SENTENCES = 2
UNJUDGED = "Whether the systems differ is tested for plain means over queries only, and this is none."
PLAIN: tuple[tuple[str, str], ...] = (  # measures that can be told without their name, the plainest first
    (r"Rprec", "Looking at as many results as there are relevant items, one finds {share} of 100 of them"),
    (r"success@1", "The first result is relevant for {share} of 100 queries"),
    (r"P@(\d+)", "Of the first {scope} results {items} are relevant"),
    (r"R@(\d+)", "Among the first {scope} results stand {share} of 100 relevant items"),
)


@dataclass(frozen=True)
class Verdict:
    """What anybody understands, then what the statistics support."""

    plain: tuple[str, ...]
    careful: tuple[str, ...]


def verdict_of(names: tuple[str, ...], estimates: Estimates, compared: Compared | None = None) -> Verdict:
    """Best system first; no claim goes beyond the tests, which are corrected for everything compared."""
    main = estimates.main
    if main is None:
        return _without_interval(names, estimates)
    order = best_first([each.value for each in main.means], main.lower_is_better)
    plain = tuple(_plain(names, order, estimates)) or (_named(main, names, order),)
    if len(names) == 1:
        return Verdict(plain, (_alone(main),))
    if compared is None:
        return Verdict(plain, (UNJUDGED,))
    from rankscope.reports.texts.comparison_words import verdict

    return Verdict(plain, (*verdict(compared), *_query_by_query(main, names)))


def _without_interval(names: tuple[str, ...], estimates: Estimates) -> Verdict:
    """Sums and other kinds of means are given, but not tested."""
    if not estimates.rows:
        return Verdict(("Nothing was asked for that is a number.",), ())
    told = _named(estimates.rows[0], names, list(range(len(names))))
    return Verdict((told,), ("Intervals are computed for plain means over queries only, and this is none.",))


def _plain(names: tuple[str, ...], order: list[int], estimates: Estimates) -> list[str]:
    sentences: list[str] = []
    for pattern, sentence in PLAIN:
        for row in estimates.rows:
            found = re.fullmatch(pattern, row.asked)
            if found is None or len(sentences) == (SENTENCES if len(order) < 3 else 1):
                continue
            scope = int(found[1]) if found.groups() else 1
            values = [{"share": _share(each.value), "items": f"{each.value * scope:.1f}"} for each in row.means]
            kind = "share" if "{share}" in sentence else "items"
            others = order[1:] if len(order) < 3 else [0] if order[0] != 0 else order[1:2]
            rest = "".join(f", {values[each][kind]} with {names[each]}" for each in others)
            by = f" with {names[order[0]]}{rest}" if rest else ""
            sentences.append(f"{sentence.format(scope=scope, **values[order[0]])}{by}.")
    return sentences


def _share(value: float) -> str:
    """So many of 100; one decimal where whole numbers would say too little.

    >>> _share(0.583), _share(0.004), _share(0.999), _share(1.0)
    ('58', '0.4', '99.9', '100')
    """
    return f"{100 * value:.0f}" if value in (0, 1) or 0.095 <= value < 0.985 else f"{100 * value:.1f}"


def _named(row: MeasureRow, names: tuple[str, ...], order: list[int]) -> str:
    return f"{row.asked} is " + ", ".join(f"{row.means[each].value:.4f} for {names[each]}" for each in order) + "."


def _alone(row: MeasureRow) -> str:
    mean = row.means[0]
    return f"{row.asked} is {mean.value:.4f}, with a 95 % interval from {mean.low:.4f} to {mean.high:.4f}."


def _query_by_query(row: MeasureRow, names: tuple[str, ...]) -> list[str]:
    """Who wins how many queries, of two systems."""
    if len(names) != 2 or not row.differences:
        return []
    won, lost, equal = row.differences[0].better, row.differences[0].worse, row.differences[0].equal
    if won < lost:
        names, (won, lost) = (names[1], names[0]), (lost, won)
    return [f"Query by query, {names[1]} is better on {won:,}, {names[0]} on {lost:,}; on {equal:,} they are equal."]
