"""What can enter a benchmark: one way to describe pictures and to rank them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.images.clocked import Step, TimedVectors
from rankscope.engines.images.decoding import Source
from rankscope.ranks.relevant_ranks import RelevantRanks

Rows: TypeAlias = Callable[[IntArray], FloatArray]


@dataclass(frozen=True)
class Contender(ABC):
    """One way to rank pictures; `str` gives its name as people write it; `needs` are modules that come with extras."""

    needs: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def metric(self) -> str:
        """How vectors are compared."""

    @abstractmethod
    def vectors(
        self, pictures: Sequence[Source], threads: int | None = None, progress: Step | None = None
    ) -> TimedVectors:
        """Describe all pictures; each can be read."""

    @abstractmethod
    def ranks(
        self,
        matrix: NDArray[Any],
        labels: Sequence[str],
        ids: Sequence[str],
        queries: IntArray,
        threads: int | None = None,
        progress: Step | None = None,
    ) -> RelevantRanks:
        """Exact ranks of all class mates of some pictures, each removed from its own ranking; `queries` ascend."""

    @abstractmethod
    def distances(self, matrix: NDArray[Any]) -> Rows:
        """A function from positions of pictures to their distances from all, one row each."""
