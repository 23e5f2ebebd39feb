"""An account with its intervals: what each stage took, of all queries or of one class of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankscope.pipeline.account import Account
from rankscope.statistics.intervals.bootstrap import Intervals
from rankscope.statistics.intervals.mean_intervals import mean_intervals

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
        """The quantity."""
        return self.account.name

    @property
    def queries(self) -> int:
        """How many."""
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
