"""How stable is a leaderboard? How often systems change their order when something else had been drawn.

Queries are drawn again with replacement, assessors too, and collections lose a part of their items; each draw gives a
mean of every system, and so an order. The top set holds the best system with the level asked for (95 %), also where
systems are close or equal: a system is left out if some other is ahead of it by more than chance allows (multiple
comparisons with the best, Hsu 1984). Below 50 units that is so where skew t, a test that decides elsewhere too, says so
of some other at (1 - level)/(systems - 1); the quantile of resampled differences is too short then. From 50 on, max_j
(m_j - m_i)/e_ij is compared with the quantile of the same over draws of queries, each difference centred. Its
probability is the share of draws in which the best system is one of the set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankscope.analysis.comparison.rank_intervals import EQUAL, chances_of_ranks, means_of_draws
from rankscope.analysis.statistics.deciding_test import skew_t_p
from rankscope.analysis.statistics.resampling import in_batches
from rankscope.analysis.statistics.sampling_units import units_of
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.rendering import HeadedTable, Presentation, Rows
from rankscope.core.wording import decimal_text, how_many, join_words, percent_text
from rankscope.measures.direction import turn

FEWEST_SYSTEMS = 2
RESAMPLED_FROM = 50  # units: of fewer, a top set by resampling holds one of equal systems in .81 to .95 of trials


@dataclass(frozen=True, eq=False)
class OrderStability:
    """What one source of chance does to the order: systems in the order of the table, ranks from 1."""

    source: str  # queries (or classes, where they are the sampling unit), assessors or collection
    draws: int
    same_order: float  # share of draws with the very order of the table
    same_best: float  # share of draws in which the best is one of the best of the table
    tau: tuple[float, float, float]  # Kendall's with the table's order: mean, 5 % and 95 % of draws
    swapped: float  # pairs of systems that change their order, in the mean
    chance: FloatArray  # systems x ranks: share of draws

    def row(self) -> dict[str, object]:
        """In plain numbers, for a table."""
        return {
            "what changes": self.source,
            "draws": self.draws,
            "same order": self.same_order,
            "same best": self.same_best,
            "tau": self.tau[0],
            "tau, low": self.tau[1],
            "tau, high": self.tau[2],
            "swapped pairs": self.swapped,
        }


@dataclass(frozen=True, eq=False)
class LeaderboardStability(Tabular):
    """Systems from the best mean to the worst, and what becomes of their order."""

    measure: str
    systems: tuple[str, ...]
    means: FloatArray
    queries: int
    changes: tuple[OrderStability, ...]  # of queries first
    top: tuple[str, ...]
    top_share: float  # of draws of queries whose best system is one of the top set
    level: float = 0.95
    notes: tuple[str, ...] = field(default=())

    @property
    def of_queries(self) -> OrderStability:
        """What other queries would do."""
        return self.changes[0]

    @property
    def pairs(self) -> int:
        return len(self.systems) * (len(self.systems) - 1) // 2

    def rows(self) -> list[dict[str, object]]:
        """One row for each source of change."""
        return [each.row() for each in self.changes]

    def system_rows(self) -> list[dict[str, object]]:
        """One row for each system: how often it is the best, and the ranks it takes in 90 % of the draws of queries."""
        chance = self.of_queries.chance
        at_most = np.cumsum(chance, axis=1)
        low, high = ((1 + (at_most < share - EQUAL).sum(axis=1)).tolist() for share in (0.05, 0.95))
        return [
            {
                "system": name,
                self.measure: float(mean),
                "best in": float(chance[place, 0]),
                "rank, low": low[place],
                "rank, high": high[place],
                "top set": "yes" if name in self.top else "",
            }
            for place, (name, mean) in enumerate(zip(self.systems, self.means.tolist(), strict=True))
        ]

    def __repr__(self) -> str:
        lines = [f"{each.source}: same order in {each.same_order:.0%} of draws" for each in self.changes]
        best = ", ".join(self.top[:3]) + (", ..." if len(self.top) > 3 else "")
        known = f"{self.measure}, {how_many(len(self.systems), 'systems')}; {len(self.top)} may be the best: {best}"
        head = f"LeaderboardStability({known})"
        return "\n  ".join([head, *lines])

    def records(self) -> Rows:
        return self.system_rows()

    def display(self) -> Display:
        return Display.of([*stability_sentences(self), *self.notes], self.records(), ".to_markdown()")

    def presentation(self) -> Presentation:
        tables = [HeadedTable("", self.rows()), HeadedTable("", self.system_rows())]
        return Presentation(tables=tables, conclusions=stability_sentences(self))

    def record(self) -> dict[str, Any]:
        return {
            "format": "rankscope.stability",
            "version": 1,
            "measure": self.measure,
            "queries": self.queries,
            "level": self.level,
            "top": list(self.top),
            "top_share": self.top_share,
            "changes": [each.row() | {"chance": each.chance.tolist()} for each in self.changes],
            "systems": self.system_rows(),
            "sentences": stability_sentences(self),
        }


def stability(
    table: ScoreTable,
    *,
    assessors: Sequence[ScoreTable] = (),
    collections: Sequence[ScoreTable] = (),
    by_unit: bool = False,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> LeaderboardStability:
    """What becomes of the order of a table's means, on the queries that all systems have.

    `assessors`: the same by the judgements of each assessor; `collections`: as it is, then on each of several others.
    `by_unit`: classes are drawn in place of queries, because those of one class stand or fall together.
    >>> table = ScoreTable.make({"A": [0.1, 0.2, 0.1, 0.2], "B": [0.5, 0.4, 0.6, 0.5]})
    >>> found = stability(table, resamples=100)
    >>> found.systems, found.top, found.of_queries.same_order
    (('B', 'A'), ('B',), 1.0)
    """
    whole = table.complete()
    if len(whole.systems) < FEWEST_SYSTEMS:
        raise SettingError("a leaderboard needs two systems at least")
    if len(units_of(whole, by_unit)) < 2:
        what = "classes" if by_unit else "queries"
        raise SettingError(f"stability needs two {what} at least for which every system has a value of {table.measure}")
    order = np.argsort(-whole.gains.mean(axis=0), kind="stable")
    names = tuple(whole.systems[each] for each in order.tolist())
    gains = units_of(whole, by_unit).gains[:, order]
    drawn = means_of_draws(gains, resamples, seed)
    top = top_set(gains, drawn, level)
    changes = [_changes("classes" if by_unit else "queries", gains.mean(axis=0), drawn)]
    if (means := _means_of_tables(names, assessors)) is not None:  # drawn again, as many as there are
        changes.append(_changes("assessors", means.mean(axis=0), means_of_draws(means, resamples, seed)))
    if (means := _means_of_tables(names, collections)) is not None:  # each is a draw but the first, as it is
        changes.append(_changes("collection", means[0], means[1:]))
    mean = whole.gains.mean(axis=0)[order]
    return LeaderboardStability(
        measure=table.measure,
        systems=names,
        means=mean * turn(table.lower_is_better),
        queries=len(whole),
        changes=tuple(changes),
        top=tuple(name for name, inside in zip(names, top.tolist(), strict=True) if inside),
        top_share=float(top[drawn.argmax(axis=1)].mean()),
        level=level,
    )


def top_set(gains: FloatArray, drawn: FloatArray, level: float) -> BoolArray:
    """Which systems may be the best; `drawn` are means of the same systems over draws of queries.

    >>> gains = np.array([[0.5, 0.4, 0.1], [0.4, 0.5, 0.0], [0.6, 0.5, 0.1], [0.5, 0.5, 0.1], [0.5, 0.4, 0.0]])
    >>> top_set(gains, means_of_draws(gains, 200, 0), 0.95).tolist()
    [True, True, False]
    """
    if len(gains) < RESAMPLED_FROM:
        return _not_shown_behind(gains, level)
    mean, count = gains.mean(axis=0), len(gains)
    inside = np.zeros(mean.size, dtype=np.bool_)
    for place in range(mean.size):
        others = np.delete(np.arange(mean.size), place)
        ahead = mean[others] - mean[place]
        error = (gains[:, others] - gains[:, [place]]).std(axis=0, ddof=1) / np.sqrt(count)
        known = error > EQUAL
        inside[place] = not (ahead[~known] > EQUAL).any()
        if inside[place] and known.any():
            away = (drawn[:, others] - drawn[:, [place]] - ahead)[:, known] / error[known]
            limit = _as_student(float(np.quantile(away.max(axis=1), level)), count)
            inside[place] = not (ahead[known] / error[known] > limit).any()
    return inside


def _not_shown_behind(gains: FloatArray, level: float) -> BoolArray:
    """Systems that no other is shown to be ahead of, at a level shared among the others."""
    least = (1.0 - level) / (gains.shape[1] - 1)
    inside = np.empty(gains.shape[1], dtype=np.bool_)
    for place in range(inside.size):
        ahead = np.delete(gains, place, axis=1) - gains[:, [place]]
        ahead[np.abs(ahead) <= EQUAL] = 0.0
        inside[place] = bool((skew_t_p(ahead.T, "greater") > least).all())
    return inside


def _as_student(quantile: float, count: int) -> float:
    """A quantile of draws, whose errors are too small and whose tails too short for so few queries, as Student's t.

    >>> round(_as_student(1.96, 10), 3), round(_as_student(1.96, 1000), 3)
    (2.417, 1.963)
    """
    from scipy.special import ndtr, stdtrit

    wide = quantile * math.sqrt(count / (count - 1))
    return float(stdtrit(count - 1, ndtr(wide)))


def _means_of_tables(names: tuple[str, ...], tables: Sequence[ScoreTable]) -> FloatArray | None:
    """Tables x systems: means over the queries that every table and system has; None for fewer than two tables."""
    if len(tables) < 2:
        return None
    own = [each.select(*names).complete() for each in tables]
    shared = sorted(set.intersection(*(set(each.queries) for each in own)))
    if not shared:
        raise SettingError("no query has a value under every assessor and on every collection")
    places = [{query: row for row, query in enumerate(each.queries)} for each in own]
    return np.stack(
        [each.gains[[place[query] for query in shared]].mean(axis=0) for each, place in zip(own, places, strict=True)]
    )


def _changes(source: str, means: FloatArray, drawn: FloatArray) -> OrderStability:
    """The draws next to the order of the means."""
    first, second = np.triu_indices(means.size, 1)
    before = _signs(means[first] - means[second])
    best = means >= means.max() - EQUAL
    taus, swapped, passed = [], [], []
    for some in in_batches(drawn, first.size):
        after = _signs(some[:, first] - some[:, second])
        ordered = (after != 0).sum(axis=1) * int((before != 0).sum())
        taus.append((after * before).sum(axis=1) / np.sqrt(np.maximum(1, ordered)))
        swapped.append((after * before < 0).sum(axis=1))
        passed.append(some[:, ~best].max(axis=1, initial=-np.inf) > some[:, best].max(axis=1) + EQUAL)
    tau, turned, chance = np.concatenate(taus), np.concatenate(swapped), chances_of_ranks(drawn)
    low, high = np.quantile(tau, [0.05, 0.95]).tolist()
    return OrderStability(
        source=source,
        draws=len(drawn),
        same_order=float((turned == 0).mean()),
        same_best=float(1 - np.concatenate(passed).mean()),
        tau=(float(tau.mean()), low, high),
        swapped=float(turned.mean()),
        chance=chance,
    )


def _signs(differences: FloatArray) -> FloatArray:
    return np.where(np.abs(differences) <= EQUAL, 0.0, np.sign(differences))


# How stable a leaderboard is, in tables and in words that follow from them.

NAMED = 4
WORDS = {
    "queries": "other queries of the same kind",
    "classes": "other classes of the same kind",
    "assessors": "other assessors of the same kind",
    "collection": "another part of the collection",
}
HOW = (
    "Same order, same best: shares of the draws; equal means leave both as they are. tau: Kendall's, of the order "
    "drawn and the order shown, with the limits of 90 % of the draws. Best in: the share of the draws above in "
    "which a system is the best; rank, low and high: the ranks that it has in 90 % of them. Top set: the systems "
    "that may be the best; the set holds the best in 95 % of cases or more, below 50 queries also where all systems "
    "are equal, then in 94 % (docs/performance.md)."
)


def stability_parts(found: LeaderboardStability) -> list[HeadedTable]:
    """Tables with headings and what must be said below them, as for a page."""
    return [
        HeadedTable("What becomes of the order", found.rows()),
        HeadedTable("What becomes of each system", found.system_rows(), HOW),
    ]


def stability_sentences(found: LeaderboardStability) -> list[str]:
    """Who may be the best, and how often the order changes."""
    return [top_sentence(found), *(order_sentence(each) for each in found.changes)]


def top_sentence(found: LeaderboardStability) -> str:
    """The top set with its probability."""
    count, every = len(found.top), len(found.systems)
    who = join_words(found.top) if count <= NAMED else f"{', '.join(found.top[:NAMED])} and {count - NAMED} more"
    may = (
        f"{who} alone may be the best of {every}"
        if count == 1
        else f"{count} of {every} systems may be the best: {who}"
    )
    inside = "it is" if count == 1 else "the best is one of them"
    draws = f"{found.top_share:.1%} of the draws of {found.of_queries.source}"
    return f"By {found.measure} {may} ({percent_text(found.level)}; {inside} in {draws})."


def order_sentence(change: OrderStability) -> str:
    """How often the order and the best stay when one thing changes."""
    return (
        f"With {WORDS[change.source]} the whole order stays in {change.same_order:.1%} of "
        f"{how_many(change.draws, 'draws')} and the best in {change.same_best:.1%}; tau is "
        f"{decimal_text(change.tau[0])} in the mean."
    )
