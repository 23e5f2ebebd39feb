"""Pictures with class labels: what an image collection is to the engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.collections import picture_features


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
        return picture_features.SPACES.find(space)(self.images)
