"""Local features: points that stand out in a picture, each with a vector of the gradients around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.images.image import Image
from rankscope.engines.images.optional import opencv

WIDTH = 128
MOST = 500  # points of a picture, the strongest first
STEP, SIZE = 8, 16  # of the grid of dense points


@dataclass(frozen=True, eq=False)
class LocalFeatures:
    """Points (x, y) of a picture and the vector of each; a flat picture has none.

    >>> local_features(Image.of(np.zeros((40, 40)))).vectors.shape
    (0, 128)
    """

    points: NDArray[np.float32]
    vectors: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.points)


def packed(features: Sequence[LocalFeatures]) -> NDArray[np.float32]:
    """The local features of several pictures as one matrix: how many, then points, then vectors, the rest zeros.

    >>> packed([LocalFeatures(np.ones((1, 2), np.float32), np.ones((1, WIDTH), np.float32))]).shape
    (1, 131)
    """
    most = max(map(len, features), default=0)
    matrix = np.zeros((len(features), 1 + (2 + WIDTH) * most), np.float32)
    for row, each in zip(matrix, features, strict=True):
        values = np.concatenate([each.points.ravel(), each.vectors.ravel()])
        row[0], row[1 : 1 + values.size] = len(each), values
    return matrix


def unpacked(matrix: NDArray[Any]) -> list[LocalFeatures]:
    """What `packed` put into a matrix.

    >>> [len(each) for each in unpacked(packed([local_features(Image.of(np.zeros((40, 40))))]))]
    [0]
    """
    found = []
    for row in matrix:
        count = int(row[0])
        points, vectors = np.split(row[1 : 1 + (2 + WIDTH) * count], [2 * count])
        found.append(LocalFeatures(points.reshape(count, 2), vectors.reshape(count, WIDTH)))
    return found


def local_features(image: Image, most: int = MOST, root: bool = True) -> LocalFeatures:
    """SIFT (Lowe 2004) at the points it finds itself, at most so many, as RootSIFT or as it is."""
    cv2 = opencv()
    points, vectors = cv2.SIFT_create(nfeatures=most).detectAndCompute(image.grey, None)
    return _of(points, vectors, root)


def dense_features(image: Image, step: int = STEP, size: int = SIZE) -> LocalFeatures:
    """SIFT on a grid, every `step` pixels, upright: for scenes, which have no object that stands out. As RootSIFT.

    A picture smaller than a step has one point, in its middle.
    """
    cv2 = opencv()
    rows, columns = (np.arange(step, side, step) if side > step else [side / 2] for side in (image.height, image.width))
    grid = [cv2.KeyPoint(float(x), float(y), float(size), 0.0) for y in rows for x in columns]
    points, vectors = cv2.SIFT_create().compute(image.grey, grid)
    return _of(points, vectors)


def root_sift(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """RootSIFT (Arandjelovic and Zisserman 2012): each vector over its sum, then the root; all have length 1.

    A vector of zeros stays so.
    >>> root_sift(np.array([[1., 3.], [0., 0.]])).round(3).tolist()
    [[0.5, 0.865...], [0.0, 0.0]]
    """
    values = vectors.astype(np.float32)
    total = np.abs(values).sum(axis=1, keepdims=True)
    return np.sqrt(values / np.where(total > 0, total, np.float32(1.0)))


def _of(points: Any, vectors: Any, root: bool = True) -> LocalFeatures:
    if vectors is None or len(points) == 0:
        return LocalFeatures(np.empty((0, 2), np.float32), np.empty((0, WIDTH), np.float32))
    plain = np.asarray(vectors, dtype=np.float32)
    return LocalFeatures(np.array([each.pt for each in points], dtype=np.float32), root_sift(plain) if root else plain)
