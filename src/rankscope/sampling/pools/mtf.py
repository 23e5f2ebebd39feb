"""Move to front: stay with a run as long as it brings relevant items."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from heapq import heappop, heapreplace
from typing import TYPE_CHECKING, ClassVar

from rankscope.sampling.pools.pool import AdaptivePool

if TYPE_CHECKING:
    from rankscope.sampling.pools.rankings import Lists


@dataclass(frozen=True)
class MoveToFront(AdaptivePool):
    """Items of the run of highest priority, the first on ties, until one is not relevant (Cormack et al. 1998).

    All runs start with the same priority; an item that is not relevant costs the run that brought it one.
    >>> lists = (tuple("abcde"), tuple("axfbg"), tuple("hijka"))
    >>> "".join(MoveToFront(5).order(lists, "abcf"))
    'abcdxhefgijk'
    """

    name: ClassVar[str] = "mtf"

    def choose(self, lists: Lists, judged: Mapping[str, bool], passed: Collection[str] = frozenset()) -> str | None:
        """Goes through the marks again as if they had come in this order, up to the first that is missing."""
        waiting = [(0, run, 0) for run in range(len(lists))]  # how much it has lost, its number, its next place
        taken: set[str] = set()
        while waiting:
            lost, run, place = waiting[0]
            if place == len(lists[run]):
                heappop(waiting)
                continue
            item = lists[run][place]
            if item not in taken and item not in judged and item not in passed:
                return item
            lost += item not in taken and not judged.get(item, True)
            taken.add(item)
            heapreplace(waiting, (lost, run, place + 1))
        return None
