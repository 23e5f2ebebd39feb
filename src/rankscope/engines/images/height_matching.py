"""Silhouettes compared pair by pair: outlines brought into step, then matched elastically by their heights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.images.image import Image
from rankscope.engines.images.shapes.alignment import Alignment, Spectra
from rankscope.engines.images.shapes.contour import outline_points
from rankscope.engines.images.shapes.elastic import elastic_costs
from rankscope.engines.images.shapes.heights import heights, mirror_images
from rankscope.engines.images.shapes.silhouette import silhouette
from rankscope.engines.pairwise import pairwise_ranks
from rankscope.errors import SettingError
from rankscope.notation import Named
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.running.threads import in_threads

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
        weight = _weights(matching.runs)
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
        """One row of distances per query; the number of threads changes nothing."""
        aligned = self.spectra.aligned(queries)
        costs = self._elastic(queries, aligned) if self.matching.band else self._straight(queries, aligned)
        if not self.matching.complexity:
            return costs
        both = self.complexity[queries, None] + self.complexity
        return costs / np.where(both > 0, both, 1.0)

    def _straight(self, queries: IntArray, aligned: Alignment) -> FloatArray:
        return np.sqrt(np.maximum(self.square[queries, None] + self.square - 2 * aligned.product, 0.0))

    def _elastic(self, queries: IntArray, aligned: Alignment) -> FloatArray:
        rows = list(zip(queries.tolist(), aligned.shift, aligned.mirrored, strict=True))
        return np.stack(in_threads(lambda row: self._row(*row), rows))

    def _row(self, query: int, shift: IntArray, turned: NDArray[np.bool_]) -> FloatArray:
        """Elastic costs of one query: as it is with some items, mirrored with the others."""
        row = np.empty(shift.size)
        for own, chosen in zip(self.own, (~turned, turned), strict=True):
            row[chosen] = elastic_costs(own[query], self.others[:, :, chosen], shift[chosen], self.matching.band)
        return row


def _weights(runs: int) -> FloatArray:
    steps = np.arange(1, runs + 1)
    return 1.0 / np.minimum(steps, steps[::-1])


def _scaled_heights(points: FloatArray, runs: int) -> FloatArray:
    """Heights over the largest of the shape, so that size tells nothing."""
    blocks = [points[start : start + SHAPES_AT_ONCE] for start in range(0, len(points), SHAPES_AT_ONCE)]
    found = np.concatenate([heights(block, runs) for block in blocks])
    largest = np.abs(found).max(axis=(1, 2), keepdims=True)
    return found / np.where(largest > 0, largest, 1.0)
