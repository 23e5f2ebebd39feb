"""The queries that lose most on the way, with the ids of what they lose and the stage where it goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankscope.pipeline.fates import ends_of

if TYPE_CHECKING:
    from rankscope.pipeline.ledger import Ledger

NAMED = 5  # items of one stage in a line of text


@dataclass(frozen=True)
class LostItem:
    """A relevant item that was within the scope and is not in the end: how, at which stage, and where it stands now."""

    item: str
    fate: str  # lost or demoted
    stage: str
    rank: int | None  # at that stage; None where it is not in the list


@dataclass(frozen=True)
class WorstQuery:
    """A query with its class size, its first and last value, and what it lost."""

    query: str
    relevant: int
    first: float
    last: float
    items: tuple[LostItem, ...]
    label: str = ""

    @property
    def loss(self) -> float:
        """From the first stage to the last."""
        return self.first - self.last

    @property
    def where(self) -> str:
        """Stage by stage the items that left there; a demoted one with its rank.

        >>> gone = (LostItem("d7", "lost", "ann", None), LostItem("d2", "demoted", "rerank", 5))
        >>> WorstQuery("q1", 4, 1.0, 0.5, gone).where
        'ann: d7; rerank: d2 (rank 5)'
        """
        return "; ".join(self._stages())

    def _stages(self) -> Iterator[str]:
        for stage in dict.fromkeys(each.stage for each in self.items):
            here = [each for each in self.items if each.stage == stage]
            named = [each.item + (f" (rank {each.rank:,})" if each.rank else "") for each in here[:NAMED]]
            more = f" and {len(here) - NAMED:,} more" if len(here) > NAMED else ""
            yield f"{stage}: {', '.join(named)}{more}"


def worst_queries(ledger: Ledger, count: int = 10) -> tuple[WorstQuery, ...]:
    """The queries of the largest loss of the first quantity, at most so many; those that lose nothing are left out.

    Of equal losses the one with more items is first, then the order of the ids decides.
    """
    account = ledger.main.account
    lost = account.hits[:, 0] - account.hits[:, -1]
    order = np.lexsort((-lost, -(lost / account.relevant)))
    return tuple(_worst(ledger, row) for row in order[: max(count, 0)].tolist() if lost[row] > 0)


def _worst(ledger: Ledger, row: int) -> WorstQuery:
    account = ledger.main.account
    share = account.shares[row]
    return WorstQuery(
        query=ledger.queries[row],
        relevant=int(account.relevant[row]),
        first=float(share[0]),
        last=float(share[-1]),
        items=tuple(_lost_items(ledger, row)),
        label="" if ledger.classes is None else ledger.classes[row],
    )


def _lost_items(ledger: Ledger, row: int) -> Iterator[LostItem]:
    """In the order of the stages, then of the ids."""
    own = np.flatnonzero(ledger.items.query_row == row)
    fate, stage = ends_of(ledger.states[own])
    gone = np.flatnonzero(np.isin(fate, ("lost", "demoted")))
    for each in gone[np.argsort(stage[gone], kind="stable")].tolist():
        place = int(stage[each])
        rank = int(ledger.items.rank[own[each], place])
        yield LostItem(ledger.items.item[own[each]], str(fate[each]), ledger.stages[place], rank or None)
