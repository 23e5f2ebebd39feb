"""What a descriptor is: one vector for one picture, and the distance that goes with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from rankscope.engines.images.image import Image
from rankscope.notation import Named

Vector = NDArray[Any]  # int64 for counts and levels, else float64


@dataclass(frozen=True)
class Descriptor(Named, ABC):
    """One vector for one picture. Subclasses are values: their fields are the options, written `cedd(form=full)`.

    `counts` says that the values are numbers of pixels: they are kept so where all pictures have as many pixels, else
    divided by them. `z` says that the columns are brought to mean 0 and deviation 1 over the collection.
    """

    source: ClassVar[str]  # who described it first

    @abstractmethod
    def of(self, image: Image) -> Vector:
        """The vector of one picture: finite, and of length `size`, for every picture there is."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Length of the vector."""

    @property
    @abstractmethod
    def distance(self) -> str:
        """The metric that goes with it, as `rankscope rank --metric` writes it."""

    @property
    def counts(self) -> bool:
        """Whether the values are numbers of pixels."""
        return False

    @property
    def z(self) -> bool:
        """Whether columns are scaled by their mean and deviation over the collection."""
        return False

    @property
    def z_columns(self) -> slice:
        """Which columns `z` scales: all, unless a descriptor says otherwise."""
        return slice(None)
