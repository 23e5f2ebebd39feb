"""Contenders of a benchmark as people name them: descriptors with their distance, and rankers, each with a clock."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.notation import Named, NamedCatalogue, split_list
from rankscope.core.threads import in_threads
from rankscope.engines.images.describing import Described, describe
from rankscope.engines.images.descriptors import ALL as VECTORS
from rankscope.engines.images.descriptors import DESCRIPTORS, EXAMPLE, GROUP, Descriptor
from rankscope.engines.images.image import Image, Source, as_image, opencv
from rankscope.engines.images.local_features import (
    BagOfWords,
    LocalFeatures,
    SiftMatching,
    packed_features,
    unpacked_features,
)
from rankscope.engines.images.shape_descriptors import heights, mirror_images, outline_points, silhouette
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.nearest.metrics import space_of
from rankscope.engines.pairwise import pairwise_ranks
from rankscope.inputs.features import Features
from rankscope.ranks.relevant_ranks import RelevantRanks

QUERIES_AT_ONCE = 16  # small blocks of products stay in the cache
SHAPES_AT_ONCE = 32  # while heights are made: all distances between all points of each


@dataclass(frozen=True)
class HeightMatching(Named):
    """Distances between outlines: the elastic cost of matching their heights, over how complex the two shapes are.

    An outline is sampled at `points` points, and the heights over the tangent of each are averaged in `runs` runs.
    `band` is how far the match may stray from the best alignment, in points; with band 0 outlines are only aligned, and
    compared by the root of the summed squares. `complexity` 0 leaves out the division by the complexity of the two.
    """

    name: ClassVar[str] = "height-matching"
    least: ClassVar = {"points": 8, "runs": 2, "band": 0}
    source: ClassVar[str] = "after Wang, Bai et al. 2012 (height functions)"

    points: int = 100
    runs: int = 20
    band: int = 5
    complexity: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.runs >= self.points or 2 * self.band >= self.points:
            raise SettingError(
                "height matching needs fewer runs than points, and a band of less than half the points; got points "
                f"{self.points}, runs {self.runs}, band {self.band}"
            )

    def of(self, image: Image) -> FloatArray:
        """The outline of the object in a picture: x and y of each point. These are the features."""
        return outline_points(silhouette(image.grey), self.points).ravel()

    def distances(self, outlines: FloatArray) -> Callable[[IntArray], FloatArray]:
        """A function from positions of outlines to their distances from all, one row each."""
        return _Shapes.of(self, outlines).distances

    def ranks(self, outlines: FloatArray, labels: Iterable[Any], **options: Any) -> RelevantRanks:
        """Exact ranks of all class mates of every shape; `options` are those of `pairwise_ranks`."""
        record = {"block": QUERIES_AT_ONCE, "system": self.name, "settings": {"ranker": self.name, **asdict(self)}}
        return pairwise_ranks(self.distances(outlines), labels, **{**record, **options})


@dataclass(frozen=True, eq=False)
class _Shapes:
    """All shapes of a collection, ready to be compared; weighted so that runs near the point count most."""

    matching: HeightMatching
    spectra: Spectra
    own: tuple[NDArray[np.float32], NDArray[np.float32]]  # plain and mirrored: (shapes, points, runs)
    others: NDArray[np.float32]  # (runs, points, shapes)
    square: FloatArray  # summed squares, for alignment alone
    complexity: FloatArray

    @classmethod
    def of(cls, matching: HeightMatching, outlines: FloatArray) -> _Shapes:
        points = np.asarray(outlines, dtype=np.float64).reshape(len(outlines), matching.points, 2)
        plain, turned = (_scaled_heights(each, matching.runs) for each in (points, mirror_images(points)))
        steps = np.arange(1, matching.runs + 1)
        weight = 1.0 / np.minimum(steps, steps[::-1])
        root = np.sqrt(weight)
        compared = plain * (weight if matching.band else root)
        return cls(
            matching=matching,
            spectra=Spectra.of(plain * root, turned * root),
            own=((plain * weight).astype(np.float32), (turned * weight).astype(np.float32)),
            others=np.ascontiguousarray((plain * weight).transpose(2, 1, 0), dtype=np.float32),
            square=np.einsum("spr,spr->s", plain * root, plain * root),
            complexity=np.std(compared, axis=1).mean(axis=1),
        )

    def distances(self, queries: IntArray) -> FloatArray:
        aligned = self.spectra.aligned(queries)
        if self.matching.band:
            rows = list(zip(queries.tolist(), aligned.shift, aligned.mirrored, strict=True))
            costs = np.stack(in_threads(lambda row: self._row(*row), rows))
        else:
            costs = np.sqrt(np.maximum(self.square[queries, None] + self.square - 2 * aligned.product, 0.0))
        if not self.matching.complexity:
            return costs
        both = self.complexity[queries, None] + self.complexity
        return costs / np.where(both > 0, both, 1.0)

    def _row(self, query: int, shift: IntArray, turned: NDArray[np.bool_]) -> FloatArray:
        """Elastic costs of one query: as it is with some items, mirrored with the others."""
        row = np.empty(shift.size)
        for own, chosen in zip(self.own, (~turned, turned), strict=True):
            row[chosen] = elastic_costs(own[query], self.others[:, :, chosen], shift[chosen], self.matching.band)
        return row


def _scaled_heights(points: FloatArray, runs: int) -> FloatArray:
    """Heights over the largest of the shape, so that size tells nothing."""
    blocks = [points[start : start + SHAPES_AT_ONCE] for start in range(0, len(points), SHAPES_AT_ONCE)]
    found = np.concatenate([heights(block, runs) for block in blocks])
    largest = np.abs(found).max(axis=(1, 2), keepdims=True)
    return found / np.where(largest > 0, largest, 1.0)


@dataclass(frozen=True, eq=False)
class Alignment:
    """For each query and item: how far the item is turned, whether the query is mirrored, and how well they agree."""

    shift: IntArray
    mirrored: BoolArray
    product: FloatArray


@dataclass(frozen=True, eq=False)
class Spectra:
    """Values along many outlines (shapes, points, runs), and the same of their mirror images, by frequency."""

    points: int
    plain: NDArray[np.complex128]  # (frequencies, shapes, runs)
    mirrored: NDArray[np.complex128]

    @classmethod
    def of(cls, plain: FloatArray, mirrored: FloatArray) -> Spectra:
        both = [np.ascontiguousarray(np.fft.rfft(each, axis=1).transpose(1, 0, 2)) for each in (plain, mirrored)]
        return cls(plain.shape[1], both[0], both[1])

    def aligned(self, queries: IntArray) -> Alignment:
        """The cyclic shift of every item, and the choice between query and mirrored query, of the largest product.

        The product of query q and item j at shift s is the sum over points i and runs of q(i) j(i + s). Of equal
        products the smallest shift counts, and the query as it is.
        >>> rng = np.random.default_rng(0)
        >>> shapes = rng.standard_normal((1, 8, 3))
        >>> both = np.concatenate([shapes, np.roll(shapes, 3, axis=1)])
        >>> Spectra.of(both, both).aligned(np.array([0])).shift
        array([[0, 3]])
        """
        others = self.plain.transpose(0, 2, 1)
        found = [self._best(spectra[:, queries].conj() @ others) for spectra in (self.plain, self.mirrored)]
        (shift, product), (turned_shift, turned_product) = found
        turned = turned_product > product
        return Alignment(np.where(turned, turned_shift, shift), turned, np.where(turned, turned_product, product))

    def _best(self, products: NDArray[np.complex128]) -> tuple[IntArray, FloatArray]:
        every = np.fft.irfft(products, n=self.points, axis=0)
        shift = every.argmax(axis=0)
        return shift, np.take_along_axis(every, shift[None], axis=0)[0]


CANDIDATES = 512  # at a time, so that a slab of differences stays in the cache


def elastic_costs(own: NDArray[Any], others: NDArray[Any], shift: IntArray, band: int) -> FloatArray:
    """The mean cost along the best match of one outline with each of many, `band` points from step at the most.

    `own` has (points, runs) values, `others` (runs, points, candidates); point i of `own` may go with point
    i + shift + o of a candidate, -band <= o <= band, at the cost of the sum of absolute differences. A match begins and
    ends at any o, and goes on by one point on either side or on both.
    >>> one, turned, slower = [0., 1., 5., 1.], [1., 0., 1., 5.], [0., 1., 1., 5.]  # only the last point costs
    >>> elastic_costs(np.array([one]).T, np.array([turned, slower]).T[None], np.array([1, 0]), 1)
    array([0.  , 0.25])
    """
    count = others.shape[2]
    parts = [slice(start, start + CANDIDATES) for start in range(0, count, CANDIDATES)]
    costs = [_last_row(_offset_costs(own, others[:, :, part], shift[part], band)) for part in parts]
    return np.concatenate([np.empty(0), *costs]) / len(own)


def _offset_costs(own: NDArray[Any], others: NDArray[Any], shift: IntArray, band: int) -> NDArray[Any]:
    """Cost of each point at each offset: (points, offsets, candidates)."""
    points, runs = own.shape
    width, count = 2 * band + 1, shift.size
    place = (np.arange(-band, points + band)[:, None] + shift) % points * count + np.arange(count)
    costs = np.zeros((width, points, count), dtype=own.dtype)
    step = np.empty((points, count), dtype=own.dtype)
    for run in range(runs):
        turned = np.ascontiguousarray(others[run]).reshape(-1)[place]
        mine = own[:, run, None]
        for offset in range(width):
            np.subtract(turned[offset : offset + points], mine, out=step)
            np.abs(step, out=step)
            np.add(costs[offset], step, out=costs[offset])
    return costs.transpose(1, 0, 2)


def _last_row(costs: NDArray[Any]) -> FloatArray:
    """The least sum of costs over all matches, by dynamic programming over the points; all candidates at once."""
    total = costs[0].copy()
    for cost in costs[1:]:
        reached = total.copy()
        np.minimum(total[:-1], total[1:], out=reached[:-1])  # in step, or one point of our own further
        total[0] = cost[0] + reached[0]
        for offset in range(1, len(total)):  # or one point of the candidate further
            np.minimum(reached[offset], total[offset - 1], out=total[offset])
            total[offset] += cost[offset]
    return total.min(axis=0).astype(np.float64)


# What can enter a benchmark: one way to describe pictures and to rank them.

Pictures: TypeAlias = Sequence[Source]
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
    def vectors(self, pictures: Pictures, threads: int | None = None, progress: Step | None = None) -> TimedVectors:
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

    def vectors(self, pictures: Pictures, threads: int | None = None, progress: Step | None = None) -> TimedVectors:
        return timed_vectors(_Outline(self.ranker), pictures, threads, progress)

    def distances(self, matrix: NDArray[Any]) -> Rows:
        return self.ranker.distances(matrix)


@dataclass(frozen=True)
class ByWords(ByRanker):
    """Visual words of a vocabulary that is learnt from the collection itself, with seed 0."""

    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    ranker: BagOfWords

    @property
    def metric(self) -> str:
        return "cosine of tf-idf" if self.ranker.weight == "tf-idf" else "l1"

    def vectors(self, pictures: Pictures, threads: int | None = None, progress: Step | None = None) -> TimedVectors:
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

    def vectors(self, pictures: Pictures, threads: int | None = None, progress: Step | None = None) -> TimedVectors:
        """Points and vectors of each picture; rows are as long as the picture with the most points needs."""
        before = time.process_time()
        matrix = packed_features(_local_features(self.ranker.of, pictures, progress))
        return _timed(self.ranker, matrix, before)

    def distances(self, matrix: NDArray[Any]) -> Rows:
        """The counts with the sign of a distance."""
        rows = self.ranker.rows(unpacked_features(matrix))
        return lambda queries: 0.0 - rows(queries)


def _local_features(
    describe: Callable[[Image], LocalFeatures], pictures: Pictures, progress: Step | None
) -> list[LocalFeatures]:
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

    def vectors(self, pictures: Pictures, threads: int | None = None, progress: Step | None = None) -> TimedVectors:
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


Step = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class TimedVectors:
    """The vectors of all pictures, and how much processor time one picture took."""

    described: Described
    milliseconds: float


def timed_vectors(
    descriptor: Descriptor, pictures: Pictures, threads: int | None, progress: Step | None
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
