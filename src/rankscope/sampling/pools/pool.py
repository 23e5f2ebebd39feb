"""What a pool is: a way to say which items of the runs are judged, all at once or one after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankscope.notation import Named

if TYPE_CHECKING:
    import polars as pl

    from rankscope.sampling.pools.rankings import Lists


@dataclass(frozen=True)
class Pool(Named, ABC):
    """The base of all pools."""

    is_adaptive: ClassVar[bool] = False

    @property
    @abstractmethod
    def reach(self) -> int:
        """How far down the runs it looks."""


@dataclass(frozen=True)
class FirstItems(Pool):
    """A pool of the first k items of each run."""

    unnamed: ClassVar[tuple[str, ...]] = ("k",)
    least: ClassVar[dict[str, float]] = {"k": 1}
    k: int

    @property
    def reach(self) -> int:
        """The first k."""
        return self.k


class FixedPool(Pool):
    """A pool that is known as soon as the runs are: which candidates are drawn depends on no mark."""

    @abstractmethod
    def draw(self, candidates: pl.DataFrame, seed: int) -> pl.DataFrame:
        """Of the candidates (query, item, rank, run, origin) its own, with stratum, pi, and whether each is drawn."""


@dataclass(frozen=True)
class AdaptivePool(FirstItems):
    """A pool that chooses its next item of the first k of each run in view of the marks so far: no probabilities."""

    is_adaptive: ClassVar[bool] = True

    @abstractmethod
    def choose(self, lists: Lists, judged: Mapping[str, bool], passed: Collection[str] = frozenset()) -> str | None:
        """The item of one query to judge next; None: all are judged or passed over.

        `lists` are the runs within its reach, `judged` says of items whether they are relevant, and items that are
        `passed` over are with somebody else now.
        """

    def order(self, lists: Lists, relevant: Collection[str], budget: int | None = None) -> list[str]:
        """The items in the order in which they are judged where these are the relevant ones, one mark at a time."""
        judged: dict[str, bool] = {}
        while len(judged) != budget and (item := self.choose(lists, judged)) is not None:
            judged[item] = item in relevant
        return list(judged)
