"""Which systems people prefer: win rates with their limits, verdicts, and what the side on the page does."""

from __future__ import annotations

from typing import TypedDict

from rankscope.reports.texts.preferences import bias_lines, strength_lines, verdict_lines
from rankscope.statistics.preferences.position_bias import PositionBias, position_bias
from rankscope.statistics.preferences.strengths import bradley_terry
from rankscope.statistics.preferences.win_rates import WinRate, win_rates
from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.agreement import known
from rankscope.workbench.sources import run_names


class RateView(TypedDict):
    """How the second of two systems fares against the first; `label` is a class of queries, empty for all."""

    first: str
    second: str
    label: str
    answers: int
    queries: int
    wins: int
    losses: int
    ties: int
    rate: float
    low: float | None
    high: float | None
    p: float | None
    better: str


class SidesView(TypedDict):
    """How far the side decides, from lists that were answered twice with the sides swapped."""

    twice: int
    follows: float | None
    lean: float | None
    lean_low: float | None
    lean_high: float | None
    sided: int
    left_share: float | None


class PreferredView(TypedDict):
    """Who wins, and what the sides do, in numbers and in words."""

    answers: int
    rates: list[RateView]
    sides: SidesView | None
    words: list[str]
    side_words: list[str]


@address("GET", "/compare/results", role="admin", template="preferred.html")
def preferred(visit: Visit) -> PreferredView:
    """Win rates of every two systems that people compared, by name, with verdicts."""
    project = visit.project
    answers = project.preferences()
    if not answers:
        return {"answers": 0, "rates": [], "sides": None, "words": [], "side_words": []}
    classes = {each.id: each.class_ for each in project.queries.values() if each.class_}
    rates = win_rates(answers, classes or None, systems=run_names(project.sources.runs))
    bias = position_bias(answers)
    strengths = bradley_terry(answers) if len({name for each in answers for name in each.pair}) > 2 else None
    return {
        "answers": len(answers),
        "rates": [_rate_view(each) for each in rates],
        "sides": _sides_view(bias),
        "words": [*verdict_lines(rates), *strength_lines(strengths)],
        "side_words": [line.removeprefix("! ") for line in bias_lines(bias)] if bias.sided else [],
    }


def _rate_view(found: WinRate) -> RateView:
    return {
        "first": found.first,
        "second": found.second,
        "label": found.label,
        "answers": found.answers,
        "queries": found.queries,
        "wins": found.wins,
        "losses": found.losses,
        "ties": found.ties,
        "rate": found.rate,
        "low": known(found.low),
        "high": known(found.high),
        "p": known(found.p),
        "better": found.better,
    }


def _sides_view(bias: PositionBias) -> SidesView:
    return {
        "twice": bias.twice,
        "follows": known(bias.follows),
        "lean": known(bias.lean),
        "lean_low": known(bias.lean_low),
        "lean_high": known(bias.lean_high),
        "sided": bias.sided,
        "left_share": known(bias.left_share),
    }


ADDRESSES = (preferred,)
