"""Contenders of a benchmark as people name them: descriptors with their distance, and rankers, each with a clock."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.notation import Named, NamedCatalogue, split_list
from rankscope.engines.images.decoding import Source, as_image
from rankscope.engines.images.describing import Described, describe
from rankscope.engines.images.descriptors import ALL as VECTORS
from rankscope.engines.images.descriptors import DESCRIPTORS, EXAMPLE, GROUP, Descriptor
from rankscope.engines.images.height_matching import HeightMatching
from rankscope.engines.images.image import Image, opencv
from rankscope.engines.images.local_features import LocalFeatures, SiftMatching, packed_features, unpacked_features
from rankscope.engines.images.visual_words import BagOfWords
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.metrics import space_of
from rankscope.inputs.features import Features
from rankscope.ranks.relevant_ranks import RelevantRanks

# What can enter a benchmark: one way to describe pictures and to rank them.

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


# Rankers that compare pictures in their own way, as contenders of a benchmark.

VOCABULARY_SEED = 0  # of vocabularies


@dataclass(frozen=True)
class ByRanker(Contender):
    """A ranker that compares vectors itself."""

    ranker: HeightMatching | BagOfWords | SiftMatching

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

    ranker: HeightMatching

    @property
    def metric(self) -> str:
        return "elastic"

    def vectors(
        self, pictures: Sequence[Source], threads: int | None = None, progress: Step | None = None
    ) -> TimedVectors:
        """The points of each outline."""
        return timed_vectors(_Outline(self.ranker), pictures, threads, progress)

    def distances(self, matrix: NDArray[Any]) -> Rows:
        """The cost of the match."""
        return self.ranker.distances(matrix)


@dataclass(frozen=True)
class ByWords(ByRanker):
    """Visual words of a vocabulary that is learnt from the collection itself, with seed 0."""

    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    ranker: BagOfWords

    @property
    def metric(self) -> str:
        return "cosine of tf-idf" if self.ranker.weight == "tf-idf" else "l1"

    def vectors(
        self, pictures: Sequence[Source], threads: int | None = None, progress: Step | None = None
    ) -> TimedVectors:
        """How often each word occurs in each picture; the time of learning is shared by all pictures."""
        before = time.process_time()
        found = _local_features(self.ranker.of, pictures, progress)
        vocabulary = self.ranker.vocabulary(found, seed=VOCABULARY_SEED)
        counts = vocabulary.counts([each.vectors for each in found]).astype(np.int32)
        return _timed(self.ranker, counts, before)

    def distances(self, matrix: NDArray[Any]) -> Rows:
        index = self.ranker.index(matrix)
        return index.cosine if self.ranker.weight == "tf-idf" else index.city_block


@dataclass(frozen=True)
class BySift(ByRanker):
    """Local features matched pair by pair: finds copies and the same object."""

    ranker: SiftMatching

    @property
    def metric(self) -> str:
        return self.ranker.by

    def compared(self, matrix: NDArray[Any]) -> list[LocalFeatures]:
        return unpacked_features(matrix)

    def vectors(
        self, pictures: Sequence[Source], threads: int | None = None, progress: Step | None = None
    ) -> TimedVectors:
        """Points and vectors of each picture; rows are as long as the picture with the most points needs."""
        before = time.process_time()
        matrix = packed_features(_local_features(self.ranker.of, pictures, progress))
        return _timed(self.ranker, matrix, before)

    def distances(self, matrix: NDArray[Any]) -> Rows:
        """The counts with the sign of a distance."""
        rows = self.ranker.rows(unpacked_features(matrix))
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


def _timed(ranker: BagOfWords | SiftMatching, matrix: NDArray[Any], before: float) -> TimedVectors:
    """Vectors with the processor time of one picture, its share of all that was spent since."""
    spent = 1000 * (time.process_time() - before) / len(matrix)
    return TimedVectors(Described(_MadeTogether(ranker, matrix.shape[1]), matrix), spent)


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


# Contenders of a benchmark as people name them: descriptors with their distance, and rankers.

ALL_DESCRIPTORS = "all"
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
        return self.descriptor.distance

    def vectors(
        self, pictures: Sequence[Source], threads: int | None = None, progress: Step | None = None
    ) -> TimedVectors:
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
        if name.lower() == ALL_DESCRIPTORS:
            result += [ByVectors(kind()) for kind in DESCRIPTORS.own()]
        else:
            named = NAMED.parse(name)
            result.append(ByVectors(named) if isinstance(named, Descriptor) else RANKERS[type(named)](named))
    if not result:
        raise SettingError("nothing to compare: give --descriptors all, or names separated by commas")
    return list(dict.fromkeys(result))


# Descriptors with a clock: what one picture costs, once it is decoded.

Step = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class TimedVectors:
    """The vectors of all pictures, and how much processor time one picture took."""

    described: Described
    milliseconds: float


def timed_vectors(
    descriptor: Descriptor, pictures: Sequence[Source], threads: int | None, progress: Step | None
) -> TimedVectors:
    """The vectors of all pictures and the mean processor time of one, decoding not counted."""
    seconds: list[float] = []

    def clocked_of(image: Image) -> NDArray[Any]:
        before = time.thread_time()
        vector = descriptor.of(Image(image.rgb))  # what an earlier descriptor has worked out is worked out again
        seconds.append(time.thread_time() - before)
        return vector

    clocked = copy(descriptor)
    object.__setattr__(clocked, "of", clocked_of)  # in the place of the method of its class
    cv2 = opencv()
    threads_before = cv2.getNumThreads()
    cv2.setNumThreads(1)  # OpenCV works in the thread that calls it, so that its time is counted
    try:
        found = describe(pictures, [clocked], threads=threads, progress=progress)
    finally:
        cv2.setNumThreads(threads_before)
    result = replace(found.described[0], descriptor=descriptor)
    return TimedVectors(result, 1000 * float(np.mean(seconds)))
