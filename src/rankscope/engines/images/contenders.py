"""Contenders of a benchmark as people name them: descriptors with their distance, and rankers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.engines.images.bag_of_words import BagOfWords
from rankscope.engines.images.clocked import Step, TimedVectors, timed_vectors
from rankscope.engines.images.contender import Contender, Rows
from rankscope.engines.images.decoding import Source
from rankscope.engines.images.descriptors import ALL as VECTORS
from rankscope.engines.images.descriptors import DESCRIPTORS, EXAMPLE, GROUP, Descriptor
from rankscope.engines.images.height_matching import HeightMatching
from rankscope.engines.images.ranker_contenders import ByHeights, BySift, ByWords
from rankscope.engines.images.sift_matching import SiftMatching
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.spaces import space_of
from rankscope.errors import SettingError
from rankscope.inputs.features import Features
from rankscope.notation import Named, NamedCatalogue, split_list
from rankscope.ranks.relevant_ranks import RelevantRanks

ALL = "all"
RANKERS: dict[type[Named], Callable[[Any], Contender]] = {  # to be named, for they take longer; a new one adds its line
    HeightMatching: ByHeights,
    BagOfWords: ByWords,
    SiftMatching: BySift,
}
NAMED: NamedCatalogue[Named] = NamedCatalogue(
    "descriptor", {**VECTORS, **{each.name: each for each in RANKERS}}, EXAMPLE, GROUP
)


@dataclass(frozen=True)
class ByVectors(Contender):
    """A descriptor with the distance that goes with it."""

    descriptor: Descriptor

    def __str__(self) -> str:
        return str(self.descriptor)

    @property
    def metric(self) -> str:
        """How vectors are compared."""
        return self.descriptor.distance

    def vectors(
        self, pictures: Sequence[Source], threads: int | None = None, progress: Step | None = None
    ) -> TimedVectors:
        """Each picture once, timed."""
        return timed_vectors(self.descriptor, pictures, threads, progress)

    def ranks(
        self,
        matrix: NDArray[Any],
        labels: Sequence[str],
        ids: Sequence[str],
        queries: IntArray,
        threads: int | None = None,
        progress: Step | None = None,
    ) -> RelevantRanks:
        """By the descriptor's own distance."""
        asked = [ids[row] for row in queries.tolist()]
        items = Features.of(matrix, labels, ids, queries=asked)
        return nearest_ranks(
            items, metric=self.metric, keep_scores=True, system=str(self), threads=threads, progress=progress
        )

    def distances(self, matrix: NDArray[Any]) -> Rows:
        """As the metric has them, with the sign of a distance; a similarity is turned."""
        space = space_of(self.metric, matrix)
        everyone = np.arange(len(matrix))
        return lambda queries: 0.0 - space.shown(space.reference_table(queries, everyone))


def contenders(text: str) -> list[Contender]:
    """Contenders as people write them, separated by commas; `all` are all descriptors of vectors.

    Rankers, such as `bag-of-words`, are to be named: they take longer.
    >>> [str(each) for each in contenders("rgb-histogram(bins=4), bag-of-words(words=200)")]
    ['rgb-histogram(bins=4)', 'bag-of-words(words=200)']
    """
    result: list[Contender] = []
    for name in split_list(text):
        result += (
            [ByVectors(kind()) for kind in DESCRIPTORS.own()]
            if name.lower() == ALL
            else [_contender(NAMED.parse(name))]
        )
    if not result:
        raise SettingError("nothing to compare: give --descriptors all, or names separated by commas")
    return list(dict.fromkeys(result))


def _contender(named: Named) -> Contender:
    if isinstance(named, Descriptor):
        return ByVectors(named)
    return RANKERS[type(named)](named)
