"""Accounts of a pipeline: what each stage takes of a quantity, exactly and with intervals, in numbers and sentences.

One quantity from stage to stage: how many relevant items stand within a scope, over the class size, exactly.
Every number is a count of items over the class size of its query, and a mean over queries of such fractions: what the
stages lose adds up to the whole loss without an error of rounding, because it is never rounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.analysis.statistics.bootstrap import Intervals
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.wording import decimal_text, how_many, join_words
from rankscope.ranks.item_ranks import ABSENT as NO_RANK


@dataclass(frozen=True, eq=False)
class Account:
    """Counts of relevant items within the scope: queries in rows, stages in columns.

    >>> made = Account("p = r", ("exact", "ann"), np.array([4, 2]), np.array([[4, 3], [2, 2]]))
    >>> made.values, made.losses, made.loss
    ((Fraction(1, 1), Fraction(7, 8)), (Fraction(1, 8),), Fraction(1, 8))
    """

    name: str
    stages: tuple[str, ...]
    relevant: IntArray  # c of each query, at least 1
    hits: IntArray
    gross: Mapping[str, IntArray] = field(default_factory=dict)  # lost, demoted, ...: column k is stage k + 1
    best: IntArray | None = None  # what a perfect list has within the scope; None: all

    @cached_property
    def values(self) -> tuple[Fraction, ...]:
        """The mean over queries at each stage."""
        return tuple(mean_share(column, self.relevant) for column in self.hits.T)

    @property
    def losses(self) -> tuple[Fraction, ...]:
        """What each stage after the first takes; below 0 where it gives back."""
        return tuple(
            mean_share(before - after, self.relevant)
            for before, after in zip(self.hits.T[:-1], self.hits.T[1:], strict=True)
        )

    @property
    def loss(self) -> Fraction:
        """From the first stage to the last."""
        return self.values[0] - self.values[-1]

    @property
    def reachable(self) -> Fraction:
        """What a perfect list has: 1, or less where the scope is smaller than classes are."""
        return Fraction(1) if self.best is None else mean_share(self.best, self.relevant)

    @property
    def never_found(self) -> Fraction:
        """What the first stage lacks already, of a perfect list."""
        return self.reachable - self.values[0]

    def part_of(self, loss: Fraction) -> float:
        """A loss as a part of the whole; NaN where the whole is 0."""
        return float(loss / self.loss) if self.loss else float("nan")

    @property
    def shares(self) -> FloatArray:
        """The value of each query (row) at each stage."""
        return self.hits / self.relevant[:, None]

    @property
    def lost_shares(self) -> FloatArray:
        """For each query (row) what each stage after the first takes, then what all take together."""
        whole = self.hits[:, :1] - self.hits[:, -1:]
        return np.column_stack([-np.diff(self.hits, axis=1), whole]) / self.relevant[:, None]

    def moved(self, what: str, place: int) -> int:
        """How many items the stage at this place (from 0) lost, demoted, ...; behind the last place: all stages."""
        counts = self.gross[what]
        return int(counts.sum() if place > counts.shape[1] else counts[:, place - 1].sum())

    def take(self, rows: IntArray) -> Account:
        gross = {name: counts[rows] for name, counts in self.gross.items()}
        best = None if self.best is None else self.best[rows]
        return replace(self, relevant=self.relevant[rows], hits=self.hits[rows], gross=gross, best=best)


def account_of(
    name: str, stages: tuple[str, ...], states: ItemStates, query_row: IntArray, relevant: IntArray, scope: IntArray
) -> Account:
    """The account of items whose states are known; `scope` has one number a query."""
    return Account(
        name=name,
        stages=stages,
        relevant=relevant,
        hits=_by_query(states == ItemState.WITHIN, query_row, relevant.size),
        gross={
            what: _by_query((states[:, :-1] == before) & (states[:, 1:] == after), query_row, relevant.size)
            for what, (before, after) in GROSS.items()
        },
        best=np.minimum(relevant, scope),
    )


def mean_share(counts: IntArray, relevant: IntArray) -> Fraction:
    """The mean over queries of count / class size, exactly; a class size that many queries have is added up at once.

    >>> mean_share(np.array([1, 2, 0]), np.array([3, 3, 7]))
    Fraction(1, 3)
    """
    sizes, number = np.unique(relevant, return_inverse=True)
    totals = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(totals, number, counts)
    parts = zip(totals.tolist(), sizes.tolist(), strict=True)
    return sum((Fraction(total, size) for total, size in parts), Fraction(0)) / relevant.size


def _by_query(chosen: np.ndarray, query_row: IntArray, queries: int) -> IntArray:
    """How many items (rows) of each query are chosen, stage by stage (columns)."""
    columns = [np.bincount(query_row[column], minlength=queries) for column in chosen.T]
    return np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros((queries, 0), dtype=np.int64)


# An account with its intervals: what each stage took, of all queries or of one class of them.

WHOLE = "all stages"
LOSSES = (-1.0, 1.0)  # a stage may lose everything or bring everything back


@dataclass(frozen=True)
class StageEntry:
    """One stage: the value behind it, what it took of the value before, and how many items it moved.

    NaN and None where there is nothing before, and where one sampling unit leaves no interval.
    """

    stage: str
    value: float
    value_low: float
    value_high: float
    loss: float = float("nan")
    loss_low: float = float("nan")
    loss_high: float = float("nan")
    part: float = float("nan")  # of the whole loss
    lost: int | None = None
    demoted: int | None = None
    promoted: int | None = None
    brought_back: int | None = None

    def row(self) -> dict[str, object]:
        """By the names that tables have."""
        return {name.replace("_", " "): value for name, value in vars(self).items()}


@dataclass(frozen=True, eq=False)
class Statement:
    """What became of one quantity, stage by stage; `label` is the class of queries where it is of one."""

    account: Account
    of_values: Intervals  # a column a stage
    of_losses: Intervals  # a column a stage after the first, then the whole
    label: str = ""

    @property
    def name(self) -> str:
        return self.account.name

    @property
    def queries(self) -> int:
        return self.account.relevant.size

    @property
    def entries(self) -> tuple[StageEntry, ...]:
        """The stages in their order, the first without a loss, and all of them together at the end."""
        account = self.account
        first = StageEntry(account.stages[0], **_ends("value", account.values[0], self.of_values, 0))
        later = [
            self._entry(stage, place, account.losses[place - 1]) for place, stage in enumerate(account.stages) if place
        ]
        return (first, *later, self._entry(WHOLE, len(account.stages), account.loss))

    def _entry(self, stage: str, place: int, loss: Fraction) -> StageEntry:
        """One stage, or behind the last of them all together."""
        account = self.account
        behind = min(place, len(account.stages) - 1)
        return StageEntry(
            stage=stage,
            **_ends("value", account.values[behind], self.of_values, behind),
            **_ends("loss", loss, self.of_losses, place - 1),
            part=account.part_of(loss),
            **{what.replace(" ", "_"): account.moved(what, place) for what in account.gross},
        )


def _ends(name: str, exact: Fraction, intervals: Intervals, column: int) -> dict[str, Any]:
    """A mean, from its exact fraction, and the ends of its interval."""
    low, high = float(intervals.low[column]), float(intervals.high[column])
    return {name: float(exact), f"{name}_low": low, f"{name}_high": high}


def statement_of(
    account: Account, unit_classes: Sequence[str] | None = None, label: str = "", **choices: Any
) -> Statement:
    """An account with the intervals of its values and losses over queries, or over classes where these are the unit.

    `choices` are those of `mean_intervals`.
    """
    of_values = mean_intervals(account.shares, unit_classes, **choices)
    of_losses = mean_intervals(account.lost_shares, unit_classes, bounds=LOSSES, **choices)
    return Statement(account, of_values, of_losses, label)


class ItemState(IntEnum):
    """Where an item stands: not in the list, in the list below the scope, or within it."""

    ABSENT = 0
    BELOW = 1
    WITHIN = 2


ItemStates = NDArray[np.int8]
WHOLE_LIST = np.iinfo(np.int64).max  # the scope that takes in every list
FIRST_STEPS = np.array(["not found", "found below", "found"])  # by the state at the first stage
STEPS = np.array(  # by the state before (rows) and after (columns)
    [
        ["absent", "brought back below", "brought back"],
        ["lost below", "below", "promoted"],
        ["lost", "demoted", "kept"],
    ]
)
GROSS = {  # what makes the number within the scope fall and rise: by the states before and after
    "lost": (ItemState.WITHIN, ItemState.ABSENT),
    "demoted": (ItemState.WITHIN, ItemState.BELOW),
    "promoted": (ItemState.BELOW, ItemState.WITHIN),
    "brought back": (ItemState.ABSENT, ItemState.WITHIN),
}


def states_of(rank: IntArray, scope: IntArray) -> ItemStates:
    """The state of each item (row) at each stage (column); `scope` has one number an item.

    >>> states_of(np.array([[1, 5, 0]]), np.array([4])).tolist()
    [[2, 1, 0]]
    """
    within = (rank <= scope[:, None]).astype(np.int8)
    return np.where(rank == NO_RANK, np.int8(ItemState.ABSENT), within + np.int8(ItemState.BELOW))


def steps_of(states: ItemStates) -> NDArray[np.str_]:
    """In words what each stage (column) did with each item (row).

    >>> steps_of(np.array([[2, 2, 1, 0, 2]], dtype=np.int8)).tolist()
    [['found', 'kept', 'demoted', 'lost below', 'brought back']]
    """
    return np.column_stack([FIRST_STEPS[states[:, 0]], STEPS[states[:, :-1], states[:, 1:]]])


def ends_of(states: ItemStates) -> tuple[NDArray[np.str_], IntArray]:
    """What became of each item in the end, and at which stage that was decided; -1 where at none.

    Not within the scope in the end: lost or demoted at the last stage that took it out of the scope, or never within.
    Within it: kept, or gained at the last stage that brought it in where the first stage did not have it there;
    recovered where it had.
    >>> table = [[2, 2, 2], [2, 0, 0], [2, 1, 0], [0, 0, 2], [2, 0, 2], [1, 1, 0]]
    >>> [each.tolist() for each in ends_of(np.array(table, dtype=np.int8))]
    [['kept', 'lost', 'demoted', 'gained', 'recovered', 'never within'], [-1, 1, 1, 2, 2, -1]]
    """
    within = states == ItemState.WITHIN
    changed = within[:, 1:] != within[:, :-1]
    stages = changed.shape[1]
    at = np.full(len(changed), -1)
    if stages:
        at = np.where(changed.any(axis=1), stages - np.argmax(changed[:, ::-1], axis=1), -1)
    after = states[np.arange(len(states)), np.maximum(at, 0)]
    left = np.where(after == ItemState.ABSENT, "lost", "demoted")
    came = np.where(within[:, 0], "recovered", "gained")
    moved = np.where(within[:, -1], came, left)
    return np.where(at >= 0, moved, np.where(within[:, -1], "kept", "never within")), at


# What a ledger says in sentences, made from its numbers.

NOTHING = decimal_text(0.0)


def ledger_sentences(statement: Statement) -> tuple[str, ...]:
    """Where the loss is, how sure the largest one is, and what the first stage lacks already."""
    return tuple(filter(None, (loss_sentence(statement), largest_sentence(statement), first_sentence(statement))))


def loss_sentence(statement: Statement) -> str:
    """How much is lost from the first stage to the last, and which stages took it and gave back.

    Stages that move less than is printed are not named.
    """
    first, *later, whole = statement.entries
    took, gave = ([each for each in later if _told(each) and (each.loss > 0) is wanted] for wanted in (True, False))
    name, last = statement.name, (later or [first])[-1]
    ends = f"from {first.stage} ({decimal_text(first.value)}) to {last.stage} ({decimal_text(last.value)})"
    if not took and not gave:
        return f"No stage changes {name}: {ends}."
    if took and not gave:
        shares = [f"{_loss(each)} {'is lost ' if each is took[0] else ''}at {each.stage}" for each in took]
        return f"Of {_loss(whole)} lost in {name} {ends}, {join_words(shares)}."
    parts = [_moved(took, "takes"), _moved(gave, "adds")]
    return f"{name} {_change(whole)} {ends}: {'; '.join(filter(None, parts))}."


def largest_sentence(statement: Statement) -> str:
    """The stage that takes most, with its interval, where there is a choice of stages and an interval."""
    later = statement.entries[1:-1]
    worst = max(later, key=lambda each: each.loss, default=None)
    if worst is None or len(later) < 2 or worst.loss <= 0 or not _told(worst) or math.isnan(worst.loss_low):
        return ""
    level = f"{100 * statement.of_losses.level:.3g}%"
    ends = f"{decimal_text(worst.loss_low)} to {decimal_text(worst.loss_high)}"
    return f"The largest loss is that of {worst.stage}: {_loss(worst)}, {level} interval {ends}."


def first_sentence(statement: Statement) -> str:
    """What the first stage lacks of a perfect list, which no later stage is charged with."""
    account = statement.account
    lacking = decimal_text(float(account.never_found))
    if lacking == NOTHING:
        return ""
    reachable = "" if account.reachable == 1 else f" of the {decimal_text(float(account.reachable))} within reach"
    return f"Never found: {lacking}{reachable} is missing at {account.stages[0]} already; no later stage pays for it."


def coverage_notes(
    *,
    stages: Sequence[str],
    missing: Sequence[int],
    missed_items: Sequence[int],
    not_judged: Sequence[int],
    no_relevant: int,
    too_large: int,
    scope: int | None,
    queries: int,
) -> tuple[str, ...]:
    """What was left out, and what counts as lost because a stage does not answer a query at all."""
    notes = [
        f"{stage} does not answer {how_many(count)}: all their relevant items ({items:,}) count as absent there"
        for stage, count, items in zip(stages, missing, missed_items, strict=True)
        if count
    ]
    notes += [
        f"{stage} has {how_many(count)} without judgements, left out"
        for stage, count in zip(stages, not_judged, strict=True)
        if count
    ]
    if no_relevant:
        notes.append(f"{how_many(no_relevant)} without a relevant item left out: there is nothing to follow")
    if too_large:
        more = (
            f"{too_large:,} of {how_many(queries)} {'has' if too_large == 1 else 'have'} more relevant items than the"
        )
        notes.append(f"{more} scope of {scope:,}: no list can hold all of them within it")
    return tuple(notes)


def _told(entry: StageEntry) -> bool:
    """Whether what a stage changes is more than 0 as it is printed."""
    return decimal_text(abs(entry.loss)) != NOTHING


def _loss(entry: StageEntry) -> str:
    return decimal_text(entry.loss)


def _moved(entries: Sequence[StageEntry], verb: str) -> str:
    return join_words([f"{each.stage} {verb} {decimal_text(abs(each.loss))}" for each in entries])


def _change(whole: StageEntry) -> str:
    if not _told(whole):
        return "is the same"
    return f"{'falls' if whole.loss > 0 else 'rises'} by {decimal_text(abs(whole.loss))}"
