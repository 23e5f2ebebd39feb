"""The sample collection inside the package: logos and interface icons as grey pictures with labels, and two plain
feature spaces of whole numbers to rank them by.

A class holds the icons to which 129 free icon sets give the same name (`cart`, `github`, ...): truth by name, not by
eye, and so a little noisy. `tools/make_icons_sample.py` says how the sample was chosen, `data/LICENSES.md` who drew
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import IntArray
from rankscope.core.catalogue import Catalogue

# The sample collection inside the package: logos and interface icons, drawn by many hands.


def icons() -> LabelledImages:
    """5346 icons of 32x32: 494 classes of 2 to 264 members, and 1367 distractors, in an order that tells nothing.

    >>> sample = icons()
    >>> len(sample), len(sample.classes), sample.distractors
    (5346, 494, 1367)
    >>> sample.items[0], sample.class_of_item[0]
    ('material-symbols-light:lock-open-rounded', 'lockopen')
    """
    with as_file(files("rankscope.inputs.collections") / "data" / "icons.npz") as path, np.load(path) as packed:
        return LabelledImages(
            name="icons",
            images=packed["images"],
            labels=packed["labels"].astype(np.int64),
            classes=_stored_lines(packed["classes"]),
            items=_stored_lines(packed["names"]),
        )


def _stored_lines(text: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(text.tobytes().decode().split("\n"))


# Pictures with class labels: what an image collection is to the engines.


@dataclass(frozen=True, eq=False)
class LabelledImages:
    """Grey pictures of one size, each in one class or in none; items without a class are distractors.

    >>> blank = np.zeros((3, 32, 32), dtype=np.uint8)
    >>> small = LabelledImages("small", blank, np.array([0, -1, 0]), ("cart",), ("a:cart", "a:sun", "b:cart"))
    >>> small.class_of_item, small.class_sizes
    (('cart', '', 'cart'), array([2]))
    """

    name: str
    images: NDArray[np.uint8]  # (n, height, width); 0 is black, 255 white
    labels: IntArray  # number of the class in `classes`, -1 for none
    classes: tuple[str, ...]
    items: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.items)

    @property
    def class_of_item(self) -> tuple[str, ...]:
        """The name of each item's class, empty for a distractor."""
        return tuple(self.classes[label] if label >= 0 else "" for label in self.labels.tolist())

    @property
    def class_sizes(self) -> IntArray:
        """How many members each class has."""
        return np.bincount(self.labels[self.labels >= 0], minlength=len(self.classes)).astype(np.int64)

    @property
    def distractors(self) -> int:
        """How many items have no class."""
        return int((self.labels < 0).sum())

    def features(self, space: str) -> NDArray[np.int32]:
        """One row of whole numbers per item, in one of the spaces of `picture_features.ALL`: pixels or edges.

        An unknown name raises `SettingError`, which lists those there are.
        """
        return FEATURE_SPACES.find(space)(self.images)


# Two plain feature spaces of small grey pictures, for the sample collection: both in whole numbers, to be compared by
# cosine, so that rankings come out the same on every machine.

Pictures: TypeAlias = NDArray[np.uint8]
FeatureSpace: TypeAlias = Callable[[Pictures], NDArray[np.int32]]

CELL_SIDE = 4


def pixels(pictures: Pictures) -> NDArray[np.int32]:
    """Grey values minus the mean of the picture, times the number of pixels to stay whole.

    Their cosine is the correlation of two pictures. A picture of one grey has no direction: all its features are 0.
    >>> pixels(np.array([[[0, 255], [255, 254]]], dtype=np.uint8))
    array([[-764,  256,  256,  252]], dtype=int32)
    """
    flat = pictures.reshape(len(pictures), -1).astype(np.int32)
    return flat * flat.shape[1] - flat.sum(axis=1, keepdims=True, dtype=np.int32)


def edges(pictures: Pictures) -> NDArray[np.int32]:
    """How much edge of each of four directions lies in each cell of 4x4 pixels, as a square root.

    A short relative of histograms of oriented gradients (Dalal & Triggs 2005): light on dark and dark on light count
    alike, and a shift of a pixel or two changes little. Sides must be multiples of 4.
    >>> half = np.full((1, 4, 4), 255, dtype=np.uint8)
    >>> half[:, :, 2:] = 0
    >>> edges(half)  # one upright edge: two steps of 255, counted twice, in each of four rows
    array([[1022,    0,    0,    0]], dtype=int32)
    """
    across, down = _steps(pictures, axis=2), _steps(pictures, axis=1)
    strength = 2 * np.maximum(np.abs(across), np.abs(down)) + np.minimum(np.abs(across), np.abs(down))
    # An edge is upright, level, or one of the diagonals; borders at 22.6 degrees, whose tangent is 5/12.
    upright = 12 * np.abs(down) <= 5 * np.abs(across)
    level = (12 * np.abs(across) <= 5 * np.abs(down)) & ~upright
    slanted, same = ~(upright | level), (across > 0) == (down > 0)
    parts = [_per_cell(strength * each) for each in (upright, level, slanted & same, slanted & ~same)]
    amounts = np.stack(parts, axis=-1).reshape(len(pictures), -1)
    return np.rint(16 * np.sqrt(amounts)).astype(np.int32)


def _steps(pictures: Pictures, axis: int) -> NDArray[np.int16]:
    """Difference of the two neighbours along an axis; 0 at the border."""
    values = np.moveaxis(pictures.astype(np.int16), axis, 0)
    steps = np.zeros_like(values)
    steps[1:-1] = values[2:] - values[:-2]
    return np.moveaxis(steps, 0, axis)


def _per_cell(values: NDArray[np.int16]) -> NDArray[np.int16]:
    rows = np.add.reduce([values[:, place::CELL_SIDE] for place in range(CELL_SIDE)], dtype=np.int16)
    return np.add.reduce([rows[:, :, place::CELL_SIDE] for place in range(CELL_SIDE)], dtype=np.int16)


FEATURE_SPACES: Catalogue[FeatureSpace] = Catalogue("feature space", {"pixels": pixels, "edges": edges})
