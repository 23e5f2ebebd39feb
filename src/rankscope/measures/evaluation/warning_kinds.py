"""Warnings by kind: one line says what, how much and in how many systems; the list by system stands behind it.

A page shows every kind so. On a terminal only kinds that very many systems have are folded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from rankscope.core.wording import how_many, setting_value
from rankscope.measures.evaluation.coverage import (
    CONTRADICTED,
    UNCHECKED,
    UNMET,
    Caution,
    fate_of_empty,
    fate_of_missing,
    tie_fate,
)
from rankscope.measures.evaluation.scores import Scores

UNFOLDED = 3  # systems whose warnings of one kind a terminal tells one by one
MUCH = 0.3  # share of first results without a judgement from which on a value says little


@dataclass(frozen=True)
class WarningKind:
    """One kind of warning: its name, what it says of all systems, and each system with its own, the largest first."""

    name: str
    summary: str
    systems: tuple[tuple[str, str], ...] = ()


def warning_kinds(scores: Scores, more: Sequence[str] = ()) -> list[WarningKind]:
    """What must be read next to the numbers, a line a kind; `more` are lines of their own, of the comparison."""
    general = [WarningKind(each.kind, each.text) for each in scores.cautions if not each.system]
    return [
        *general,
        *(_kind(name, found, scores) for name, found in _by_kind(scores).items()),
        *(WarningKind("Tests", each) for each in more),
    ]


def warning_lines(scores: Scores, verbose: bool = False) -> list[str]:
    """What a terminal tells next to the numbers: a kind that many systems have is one line, unless `verbose`.

    Where something was folded the last line says how to see it whole.
    """
    return told_lines({"": scores}, verbose)


def told_lines(tasks: Mapping[str, Scores], verbose: bool = False) -> list[str]:
    """The same of several tasks by name, each line with that of its task; "" is no name."""
    lines, folded, into = [], 0, 0
    for task, scores in tasks.items():
        kinds = _by_kind(scores)
        many = [] if verbose else [name for name, found in kinds.items() if len(found) > UNFOLDED]
        own = [each.line for each in scores.cautions if each.kind not in many or not each.system]
        own += [f"{name}: {_kind(name, kinds[name], scores).summary}" for name in many]
        lines += [f"{task}: {line}" if task else line for line in own]
        folded, into = folded + sum(len(kinds[name]) for name in many), into + len(many)
    how = f"{folded:,} warnings are folded into {how_many(into, 'line', 'lines')}: --verbose tells each"
    return [*lines, how] if folded else lines


def _by_kind(scores: Scores) -> dict[str, list[Caution]]:
    """The cautions of single systems, kind by kind."""
    kinds: dict[str, list[Caution]] = {}
    for each in scores.cautions:
        if each.system:
            kinds.setdefault(each.kind, []).append(each)
    return kinds


def _kind(name: str, found: list[Caution], scores: Scores) -> WarningKind:
    if len(found) == 1:
        one = found[0]
        return WarningKind(name, f"{one.system}: {one.text}" if len(scores.systems) > 1 else one.text)
    ordered = sorted(found, key=lambda each: -each.amount if not isnan(each.amount) else 0.0)
    summarise = SUMMARIES.get(name)
    count = how_many(len(found), "system", "systems")
    summary = f"in {count}" if summarise is None else summarise([each.amount for each in ordered], count, scores)
    short = AMOUNTS.get(name)
    told = ((each.system, each.text if short is None else short(each.amount)) for each in ordered)
    return WarningKind(name, summary, tuple(told))


Summary = Callable[[list[float], str, Scores], str]


def _unmet(shares: list[float], count: str, scores: Scores) -> str:
    first = next(ranks for ranks in (each.ranks for each in scores.systems) if ranks.unmet is not None)
    assert first.unmet is not None
    return f"in {count} hardly any item is judged; {first.system}: {first.unmet.caution}"


def _contradicted(queries: list[float], count: str, scores: Scores) -> str:
    how = f"{setting_value('ties', 'rank')} goes by the ranks, {setting_value('scores', 'ascending')} reads distances"
    return f"in {count}, ranks contradict scores, or all scores are equal, in {span(queries)} queries looked at: {how}"


def _not_judged(shares: list[float], count: str, scores: Scores) -> str:
    many = sum(share > MUCH + 1e-9 for share in shares)
    much = f"; more than {MUCH:.0%} in {many}".replace("%", " %") if many else ""
    most = percent(max(shares))
    return f"up to {most} of the first 10 results have no judgement and count as not relevant ({count}{much})"


SUMMARIES: dict[str, Summary] = {  # of the amounts, how many systems, and all scores
    UNMET: _unmet,
    CONTRADICTED: _contradicted,
    UNCHECKED: lambda _, count, __: (
        f"the files of {count} have no digest, as an earlier rankscope wrote them: damage to them would not be seen"
    ),
    "Not judged": _not_judged,
    "Equal scores": lambda pairs, count, scores: (
        f"in {count}, {span(pairs)} pairs of equal score are split by relevance; "
        f"{tie_fate(scores.systems[0].ranks, scores.settings)}"
    ),
    "Missing queries": lambda queries, count, scores: (
        f"in {count}, {span(queries)} judged queries are missing from the run and "
        f"{fate_of_missing(scores.settings, *scores.systems)}"
    ),
    "Nothing relevant": lambda queries, count, scores: (
        f"in {count}, {span(queries)} queries have no relevant item and "
        f"{fate_of_empty(scores.settings, *scores.systems)}"
    ),
    "Queries without judgements": lambda queries, count, _: (
        f"in {count}, {span(queries)} queries of the run are not judged and are ignored"
    ),
    "Short lists": lambda _, count, __: (
        f"in {count} a measure is cut deeper than some list goes; nothing behind the end of a list counts as found"
    ),
    "Floor": lambda queries, count, _: (
        f"in {count}, {span(queries)} queries stand at the floor of a geometric mean, 1e-5"
    ),
    "Few distractors": lambda levels, count, _: (
        f"in {count} up to {percent(max(levels))} of the items of a random order are relevant: chance alone does well"
    ),
}


def percent(share: float) -> str:
    """A share in words; tiny ones with one digit that says something.

    >>> percent(0.97), percent(0.004), percent(0.0)
    ('97 %', '0.4 %', '0 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else f"{100 * share:.1g} %"


def span(amounts: Sequence[float]) -> str:
    """From the least to the most.

    >>> span([3.0, 3.0]), span([253.0, 1.0])
    ('3', '1 to 253')
    """
    low, high = min(amounts), max(amounts)
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def _counted(one: str, many: str) -> Callable[[float], str]:
    return lambda amount: how_many(int(amount), one, many)


AMOUNTS: dict[str, Callable[[float], str]] = {
    "Not judged": percent,
    "Equal scores": _counted("pair", "pairs"),
    "Missing queries": _counted("query", "queries"),
    "Nothing relevant": _counted("query", "queries"),
    "Queries without judgements": _counted("query", "queries"),
    "Few distractors": percent,
}
