"""Move to front: stay with a run as long as it brings relevant items."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
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
    unnamed: ClassVar[tuple[str, ...]] = ("k",)
    least: ClassVar[dict[str, float]] = {"k": 1}
    k: int

    @property
    def reach(self) -> int:
        """The first k."""
        return self.k

    def choose(self, lists: Lists, judged: Mapping[str, bool], passed: Collection[str] = frozenset()) -> str | None:
        """Goes through the marks again as if they had come in this order, up to the first that is missing."""
        places = [0] * len(lists)
        priority = [0] * len(lists)
        taken: set[str] = set()
        while True:
            run = _first_of_highest(priority, places, lists)
            if run is None:
                return None
            item = lists[run][places[run]]
            places[run] += 1
            if item in taken:
                continue
            if item not in judged and item not in passed:
                return item
            taken.add(item)
            priority[run] -= not judged.get(item, True)


def _first_of_highest(priority: list[int], places: list[int], lists: Lists) -> int | None:
    """The run whose turn it is, of those that have items left."""
    left = [run for run, place in enumerate(places) if place < len(lists[run])]
    return max(left, key=lambda run: (priority[run], -run), default=None)
