"""Rankers that compare pictures in their own way, as contenders of a benchmark."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
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
from rankscope.errors import SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks

SEED = 0  # of vocabularies


@dataclass(frozen=True)
class ByRanker(Contender):
    """A ranker that compares vectors itself."""

    @property
    @abstractmethod
    def ranker(self) -> HeightMatching | BagOfWords:
        """What ranks."""

    def __str__(self) -> str:
        return str(self.ranker)

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
            matrix, labels, ids=ids, queries=queries.tolist(), keep_scores=True, system=str(self), progress=progress
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
        found = []
        for picture in pictures:
            found.append(self.words.of(as_image(picture)))
            if progress is not None:
                progress(len(found), len(pictures))
        vocabulary = self.words.vocabulary(found, seed=SEED)
        counts = vocabulary.counts([each.vectors for each in found]).astype(np.int32)
        spent = time.process_time() - before
        kind = _WordCounts(self.words, counts.shape[1])
        return TimedVectors(Described(kind, counts), 1000 * spent / len(pictures))

    def distances(self, matrix: NDArray[Any]) -> Rows:
        """The same distances."""
        index = self.words.index(matrix)
        return index.cosine if self.words.weight == "tf-idf" else index.city_block


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
class _WordCounts(Descriptor):
    """What stands for a bag of words in a file of features."""

    name: ClassVar[str] = "bag-of-words"
    words: BagOfWords = field(default_factory=BagOfWords)
    size: int = 0

    @property
    def distance(self) -> str:
        return "bag-of-words"

    def of(self, image: Image) -> FloatArray:
        raise SettingError("one picture alone has no bag of words: the vocabulary is learnt from all of them together")

    def __str__(self) -> str:
        return str(self.words)
