"""Who wins by people's preferences: win rates with their verdicts, and how far the place on the page decides.

Who wins: the share of answers that each of two systems gets, with its interval, and the verdict. Win rate = (wins +
ties/2)/answers. Several answers to one query are of the same lists and no independent sample, so the query is the
sampling unit: each query counts with its own win rate, and the tests that decide everywhere (`deciding_test`) decide on
these. The sign test, over queries and without ties, is shown with them.

How far the place on the page decides: the same two lists, shown to the same person again with the sides swapped.
Somebody who looks at the lists names the other side the second time. Of the pairs that were answered twice with a side,
`follows` is the share that names the same side both times. Chance alone gives some of that too, left and right alike;
so `lean` is the share that names the left twice minus the share that names the right twice: 0 without a bias, the share
of answers that blindly take the left where that is all there is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankscope.analysis.assessors.preferences import SIDE_BY_SIDE, SIDES, Preference
from rankscope.analysis.comparison.pairwise import compare_pairs, correct_comparison
from rankscope.analysis.statistics.bootstrap import jackknife_interval
from rankscope.analysis.statistics.corrections import adjust
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.paired_tests import sign_test
from rankscope.analysis.statistics.proportions import binomial_limits
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.rendering import text_table
from rankscope.core.wording import how_many, percent_text
from rankscope.ranks.ragged import column_sums_by, divide

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankscope.analysis.assessors.bradley_terry import Strengths

MEASURE = "win rate"


@dataclass(frozen=True)
class WinRate:
    """How the second of two systems fares against the first, in all queries or in those of one class.

    `wins`, `losses` and `ties` count answers; `rate` is the mean over queries of the second system's win rate, between
    limits over queries; `p` is that of the sign test over queries, and `better` the verdict, nothing where there is
    none.
    """

    first: str
    second: str
    label: str
    answers: int
    queries: int
    wins: int
    losses: int
    ties: int
    rate: float
    low: float
    high: float
    p: float
    better: str

    def row(self, by_class: bool = False) -> dict[str, object]:
        """In plain numbers, for a table; with a column for the class where there are some."""
        head: dict[str, object] = {"first": self.first, "second": self.second}
        head |= {"class": self.label or "all"} if by_class else {}
        return head | {
            "answers": self.answers,
            "queries": self.queries,
            "won": self.wins,
            "lost": self.losses,
            "tied": self.ties,
            "win rate": self.rate,
            "low": self.low,
            "high": self.high,
            "p (sign)": self.p,
            "better": self.better,
        }


def win_rates(
    answers: Sequence[Preference],
    classes: Mapping[str, str] | None = None,
    *,
    systems: Sequence[str] = (),
    level: float = 0.95,
    seed: int = 0,
) -> tuple[WinRate, ...]:
    """Each pair of systems that people compared: over all queries, then by class where classes are given.

    `systems` says which of two is the first; else the names decide. Verdicts are corrected over all pairs (Holm), those
    on classes over all pairs and classes.
    >>> said = [Preference(f"q{n}", "ann", "old", "new", "right" if n < 14 else "left") for n in range(20)]
    >>> said += [Preference(f"q{20 + n}", "ann", "old", "new", "equal") for n in range(10)]
    >>> found, = win_rates(said, systems=["old", "new"])
    >>> (found.first, found.second), round(found.rate, 6), round(found.p, 6), found.better
    (('old', 'new'), 0.633333, 0.115318, '')
    """
    if not answers:
        raise SettingError("there are no answers to count: nobody has compared two systems yet")
    place = {name: number for number, name in enumerate(systems)}
    grouped: dict[tuple[str, str], list[Preference]] = {}
    for each in answers:
        first, second = sorted(each.pair, key=lambda name: (place.get(name, len(systems)), name))
        grouped.setdefault((first, second), []).append(each)
    tables = [win_rate_table(own, pair, classes) for pair, own in grouped.items()]
    parts = [[(label, table.where(label)) for label in table.class_names] if classes else [] for table in tables]
    better = _verdicts(tables, level)
    in_classes = iter(_verdicts([part for own in parts for _, part in own], level))
    found: list[WinRate] = []
    for table, own, ahead, inside in zip(tables, grouped.values(), better, parts, strict=True):
        found.append(_rate(own, table, "", ahead, level, seed))
        for label, part in inside:
            wanted = set(part.queries)
            answered = [each for each in own if each.query in wanted]
            found.append(_rate(answered, part, label, next(in_classes), level, seed))
    return tuple(found)


def _verdicts(tables: Sequence[ScoreTable], level: float) -> list[str]:
    """Which system is significantly better in each table, nothing where neither is; all of them corrected together.

    An answer is worth the same whoever wins it, so a class in which one system wins every query has a verdict too.
    """
    raw = [compare_pairs(table, correction="none", level=level, limits=False).comparisons[0] for table in tables]
    adjusted = adjust([each.p for each in raw], "holm").p.tolist()
    return [correct_comparison(each, p, False, level, level).better for each, p in zip(raw, adjusted, strict=True)]


def win_rate_table(
    answers: Sequence[Preference], pair: tuple[str, str], classes: Mapping[str, str] | None = None
) -> ScoreTable:
    """The win rate of both systems for each query, of all answers to it: what verdicts rest on."""
    first, second = pair
    gains: dict[str, list[float]] = {}
    for each in answers:
        gains.setdefault(each.query, []).append(each.gain(second))
    rates = np.array([np.mean(each) for each in gains.values()])
    labels = None if classes is None else [classes.get(query, "") for query in gains]
    return ScoreTable.make({first: 1 - rates, second: rates}, labels, MEASURE, list(gains), bounds=(0.0, 1.0))


def _rate(
    answers: Sequence[Preference], table: ScoreTable, label: str, better: str, level: float, seed: int
) -> WinRate:
    first, second = table.systems
    rates: FloatArray = table.values[:, 1]
    interval = mean_intervals(rates[:, None], how="bounded", level=level, seed=seed)
    wins, losses = sum(each.winner == second for each in answers), sum(each.winner == first for each in answers)
    return WinRate(
        first=first,
        second=second,
        label=label,
        answers=len(answers),
        queries=len(table),
        wins=wins,
        losses=losses,
        ties=len(answers) - wins - losses,
        rate=float(rates.mean()),
        low=float(interval.low[0]),
        high=float(interval.high[0]),
        p=sign_test(rates - 0.5).p,
        better=better,
    )


@dataclass(frozen=True)
class PositionBias:
    """What pairs that were shown twice say; NaN where there are none. `left_share`: of all answers that name a side."""

    twice: int  # pairs answered with a side both times
    follows: float
    follows_low: float
    follows_high: float
    lean: float
    lean_low: float
    lean_high: float
    sided: int  # answers that name a side
    left_share: float

    def rows(self) -> list[dict[str, object]]:
        lines = (
            ("same side twice", self.follows, self.follows_low, self.follows_high, self.twice),
            ("leans left", self.lean, self.lean_low, self.lean_high, self.twice),
            ("left of all", self.left_share, None, None, self.sided),
        )
        return [dict(zip(("", "value", "low", "high", "of"), line, strict=True)) for line in lines]


def position_bias(answers: Sequence[Preference], *, level: float = 0.95) -> PositionBias:
    """From all answers of all people; lists that are interleaved have no sides.

    >>> shown = [Preference("q1", "ann", "A", "B", "left"), Preference("q1", "ann", "B", "A", "left")]
    >>> shown += [Preference("q2", "ann", "A", "B", "left"), Preference("q2", "ann", "B", "A", "right")]
    >>> found = position_bias(shown)
    >>> found.twice, found.follows, found.lean, found.left_share
    (2, 0.5, 0.5, 0.75)
    """
    sided = [each for each in answers if each.choice in SIDES and each.mode == SIDE_BY_SIDE]
    twice = _shown_twice(sided)
    lefts = np.array(
        [[one.choice == other.choice == "left", one.choice == other.choice == "right"] for one, other in twice]
    )
    # of each query: both left, both right, and how many
    names = {name: place for place, name in enumerate(dict.fromkeys(one.query for one, _ in twice))}
    number = np.array([names[one.query] for one, _ in twice], dtype=np.int64)
    columns = np.column_stack([lefts.reshape(-1, 2).astype(np.float64), np.ones(len(twice))])
    sums = column_sums_by(number, columns, len(names))
    same = int(sums[:, :2].sum())
    low, high = binomial_limits(same, len(twice), (1 - level) / 2) if twice else (np.nan, np.nan)
    lean, lean_low, lean_high = jackknife_interval(
        sums, lambda some: divide(some[..., 0] - some[..., 1], some[..., 2]), level=level
    )
    left = sum(each.choice == "left" for each in sided)
    return PositionBias(
        twice=len(twice),
        follows=float(divide(same, len(twice))),
        follows_low=low,
        follows_high=high,
        lean=lean,
        lean_low=lean_low,
        lean_high=lean_high,
        sided=len(sided),
        left_share=float(divide(left, len(sided))),
    )


def _shown_twice(sided: Sequence[Preference]) -> list[tuple[Preference, Preference]]:
    """The first two answers of one person to the same two systems and query that have the sides swapped."""
    first: dict[tuple[str, str, str, str], Preference] = {}
    found: dict[tuple[str, str, tuple[str, str]], tuple[Preference, Preference]] = {}
    for each in sided:
        mirrored = first.get((each.query, each.assessor, each.right, each.left))
        if mirrored is not None:
            found.setdefault((each.query, each.assessor, each.pair), (mirrored, each))
        first.setdefault((each.query, each.assessor, each.left, each.right), each)
    return list(found.values())


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
