"""Who wins: the share of answers that each of two systems gets, with its interval, and the verdict.

Win rate = (wins + ties/2)/answers. Several answers to one query are of the same lists and no independent sample, so the
query is the sampling unit: each query counts with its own win rate, and the tests that decide everywhere (`trust`)
decide on these. The sign test, over queries and without ties, is shown with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError
from rankscope.statistics.intervals.mean_intervals import mean_intervals
from rankscope.statistics.pairs.corrections import adjust
from rankscope.statistics.pairs.pairwise import compare_pairs, correct_comparison
from rankscope.statistics.pairs.sign_test import sign_test
from rankscope.statistics.preferences.answers import Preference
from rankscope.statistics.table.score_table import ScoreTable

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
    grouped: dict[tuple[str, str], list[Preference]] = {}
    for each in answers:
        grouped.setdefault(_ordered(each.pair, systems), []).append(each)
    tables = [score_table(own, pair, classes) for pair, own in grouped.items()]
    parts = [[(label, table.where(label)) for label in table.class_names] if classes else [] for table in tables]
    better = _verdicts(tables, level)
    in_classes = iter(_verdicts([part for own in parts for _, part in own], level))
    found: list[WinRate] = []
    for table, own, ahead, inside in zip(tables, grouped.values(), better, parts, strict=True):
        found.append(_rate(own, table, "", ahead, level, seed))
        found += [_rate(_of_queries(own, part), part, label, next(in_classes), level, seed) for label, part in inside]
    return tuple(found)


def _of_queries(answers: Sequence[Preference], table: ScoreTable) -> list[Preference]:
    wanted = set(table.queries)
    return [each for each in answers if each.query in wanted]


def _ordered(pair: tuple[str, str], systems: Sequence[str]) -> tuple[str, str]:
    first, second = sorted(pair, key=lambda name: (systems.index(name) if name in systems else len(systems), name))
    return first, second


def _verdicts(tables: Sequence[ScoreTable], level: float) -> list[str]:
    """Which system is significantly better in each table, nothing where neither is; all of them corrected together.

    An answer is worth the same whoever wins it, so a class in which one system wins every query has a verdict too.
    """
    raw = [compare_pairs(table, correction="none", level=level, limits=False).comparisons[0] for table in tables]
    adjusted = adjust([each.p for each in raw], "holm").p.tolist()
    return [correct_comparison(each, p, False, level, level).better for each, p in zip(raw, adjusted, strict=True)]


def score_table(
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
