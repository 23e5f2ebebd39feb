"""Rankers that compare pictures in their own way, as contenders of a benchmark."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.images.bag_of_words import BagOfWords
from rankscope.engines.images.clocked import Step, TimedVectors, timed_vectors
from rankscope.engines.images.contender import Contender, Rows
from rankscope.engines.images.decoding import Source, as_image
from rankscope.engines.images.describing import Described
from rankscope.engines.images.descriptors import Descriptor
from rankscope.engines.images.height_matching import HeightMatching
from rankscope.engines.images.image import Image
from rankscope.engines.images.sift import LocalFeatures, packed, unpacked
from rankscope.engines.images.sift_matching import SiftMatching
from rankscope.errors import SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks

SEED = 0  # of vocabularies


@dataclass(frozen=True)
class ByRanker(Contender):
    """A ranker that compares vectors itself."""

    @property
    @abstractmethod
    def ranker(self) -> HeightMatching | BagOfWords | SiftMatching:
        """What ranks."""

    def __str__(self) -> str:
        return str(self.ranker)

    def compared(self, matrix: NDArray[Any]) -> Any:
        """What the ranker compares, from the vectors that were kept."""
        return matrix

    def ranks(
        self,
        matrix: NDArray[Any],
        labels: Sequence[str],
        ids: Sequence[str],
        queries: IntArray,
        threads: int | None = None,
        progress: Step | None = None,
    ) -> RelevantRanks:
        """By the ranker's own distances, every pair."""
        return self.ranker.ranks(
            self.compared(matrix),
            labels,
            ids=ids,
            queries=queries.tolist(),
            keep_scores=True,
            system=str(self),
            progress=progress,
        )


@dataclass(frozen=True)
class ByHeights(ByRanker):
    """Outlines matched elastically, pair by pair: for silhouettes."""

    matching: HeightMatching

    @property
    def ranker(self) -> HeightMatching:
        """Elastic matching."""
        return self.matching

    @property
    def metric(self) -> str:
        """How vectors are compared."""
        return "elastic"

    def vectors(
        self, pictures: Sequence[Source], threads: int | None = None, progress: Step | None = None
    ) -> TimedVectors:
        """The points of each outline."""
        return timed_vectors(_Outline(self.matching), pictures, threads, progress)

    def distances(self, matrix: NDArray[Any]) -> Rows:
        """The cost of the match."""
        return self.matching.distances(matrix)


@dataclass(frozen=True)
class ByWords(ByRanker):
    """Visual words of a vocabulary that is learnt from the collection itself, with seed 0."""

    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    words: BagOfWords

    @property
    def ranker(self) -> BagOfWords:
        """Cosine or L1 of the words."""
        return self.words

    @property
    def metric(self) -> str:
        """How vectors are compared."""
        return "cosine of tf-idf" if self.words.weight == "tf-idf" else "l1"

    def vectors(
        self, pictures: Sequence[Source], threads: int | None = None, progress: Step | None = None
    ) -> TimedVectors:
        """How often each word occurs in each picture; the time of learning is shared by all pictures."""
        before = time.process_time()
        found = _local_features(self.words.of, pictures, progress)
        vocabulary = self.words.vocabulary(found, seed=SEED)
        counts = vocabulary.counts([each.vectors for each in found]).astype(np.int32)
        return _timed(_MadeTogether(self.words, counts.shape[1]), counts, before)

    def distances(self, matrix: NDArray[Any]) -> Rows:
        """The same distances."""
        index = self.words.index(matrix)
        return index.cosine if self.words.weight == "tf-idf" else index.city_block


@dataclass(frozen=True)
class BySift(ByRanker):
    """Local features matched pair by pair: finds copies and the same object."""

    matching: SiftMatching

    @property
    def ranker(self) -> SiftMatching:
        """Counts of matches."""
        return self.matching

    @property
    def metric(self) -> str:
        """How vectors are compared."""
        return self.matching.by

    def compared(self, matrix: NDArray[Any]) -> list[LocalFeatures]:
        """The local features themselves."""
        return unpacked(matrix)

    def vectors(
        self, pictures: Sequence[Source], threads: int | None = None, progress: Step | None = None
    ) -> TimedVectors:
        """Points and vectors of each picture; rows are as long as the picture with the most points needs."""
        before = time.process_time()
        matrix = packed(_local_features(self.matching.of, pictures, progress))
        return _timed(_MadeTogether(self.matching, matrix.shape[1]), matrix, before)

    def distances(self, matrix: NDArray[Any]) -> Rows:
        """The counts with the sign of a distance."""
        rows = self.matching.rows(unpacked(matrix))
        return lambda queries: 0.0 - rows(queries)


def _local_features(
    describe: Callable[[Image], LocalFeatures], pictures: Sequence[Source], progress: Step | None
) -> list[LocalFeatures]:
    """The local features of every picture."""
    found = []
    for picture in pictures:
        found.append(describe(as_image(picture)))
        if progress is not None:
            progress(len(found), len(pictures))
    return found


def _timed(kind: Descriptor, matrix: NDArray[Any], before: float) -> TimedVectors:
    """Vectors with the processor time of one picture, its share of all that was spent since."""
    return TimedVectors(Described(kind, matrix), 1000 * (time.process_time() - before) / len(matrix))


@dataclass(frozen=True)
class _Outline(Descriptor):
    """The outline of a silhouette, as a vector."""

    name: ClassVar[str] = "height-matching"
    distance: ClassVar[str] = "height-matching"
    matching: HeightMatching = field(default_factory=HeightMatching)

    @property
    def size(self) -> int:
        return 2 * self.matching.points

    def of(self, image: Image) -> FloatArray:
        return self.matching.of(image)

    def __str__(self) -> str:
        return str(self.matching)


@dataclass(frozen=True)
class _MadeTogether(Descriptor):
    """What stands in a file of features for vectors that are made from all pictures together."""

    name: ClassVar[str] = "made-together"
    ranker: BagOfWords | SiftMatching = field(default_factory=BagOfWords)
    size: int = 0

    @property
    def distance(self) -> str:
        return self.ranker.name

    def of(self, image: Image) -> FloatArray:
        raise SettingError(f"one picture alone has no vector of {self}: it is made from all of them together")

    def __str__(self) -> str:
        return str(self.ranker)
