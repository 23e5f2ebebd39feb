"""Image descriptors by name, what a descriptor is, and what several of them count and cut with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.catalogue import Later, later, load_attribute
from rankscope.core.notation import Named, NamedCatalogue
from rankscope.engines.images.image import Image

# All descriptors in the order people read them, each loaded when it is named.

ALL: dict[str, Later] = later(  # a new descriptor adds its line here
    "rankscope.engines.images",
    {
        "rgb-histogram": "colour_descriptors:RgbHistogram",
        "hsv-histogram": "colour_descriptors:HsvHistogram",
        "opponent-histogram": "colour_descriptors:OpponentHistogram",
        "colour-moments": "colour_descriptors:ColourMoments",
        "colour-layout": "colour_descriptors:ColourLayout",
        "scalable-colour": "colour_descriptors:ScalableColour",
        "auto-correlogram": "colour_descriptors:AutoCorrelogram",
        "cedd": "texture_descriptors:Cedd",
        "fcth": "texture_descriptors:Fcth",
        "jcd": "texture_descriptors:Jcd",
        "edge-histogram": "texture_descriptors:EdgeHistogram",
        "tamura": "texture_descriptors:Tamura",
        "gabor": "texture_descriptors:Gabor",
        "lbp": "texture_descriptors:Lbp",
        "hog": "texture_descriptors:Hog",
        "gist": "texture_descriptors:Gist",
        "thumbnail": "colour_descriptors:Thumbnail",
        "fourier-centroid": "shape_descriptors:FourierCentroid",
        "fourier-complex": "shape_descriptors:FourierComplex",
        "zernike": "shape_descriptors:Zernike",
        "angular-radial": "shape_descriptors:AngularRadial",
        "silhouette": "shape_descriptors:Silhouette",
        "height-spectrum": "shape_descriptors:HeightSpectrum",
    },
)
GROUP = "rankscope.descriptors"  # entry points of other packages
EXAMPLE = "rgb-histogram(bins=4)"
DESCRIPTORS: NamedCatalogue[Descriptor] = NamedCatalogue("descriptor", ALL, EXAMPLE, GROUP)


def __getattr__(name: str) -> Any:
    """The class of a descriptor by its name."""
    return load_attribute(ALL, name)


__all__ = ["ALL", "DESCRIPTORS", "EXAMPLE", "GROUP", "Descriptor"]


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


def bin_of(values: NDArray[Any], bins: int, low: float = 0.0, high: float = 1.0) -> IntArray:
    """The number of the equal bin each value falls into; the upper end belongs to the last.

    >>> bin_of(np.array([0, .24, .25, 1]), 4)
    array([0, 0, 1, 3])
    """
    return np.minimum(bins - 1, np.floor((values - low) * bins / (high - low)).astype(np.int64))


def picture_cells(values: NDArray[Any], side: int) -> Iterator[NDArray[Any]]:
    """The picture cut into side x side cells, row by row; in a tiny picture some are empty.

    >>> [cell.tolist() for cell in picture_cells(np.arange(6).reshape(2, 3), 2)]
    [[[0, 1]], [[2]], [[3, 4]], [[5]]]
    """
    for row in np.array_split(values, side, axis=0):
        yield from np.array_split(row, side, axis=1)


def ramp(values: NDArray[Any], start: float, end: float) -> FloatArray:
    """0 up to `start`, 1 from `end` on, straight between.

    >>> ramp(np.array([0, 1.5, 9]), 1, 2)
    array([0. , 0.5, 1. ])
    """
    return np.clip((values - start) / (end - start), 0.0, 1.0)


def pixel_squares(values: NDArray[Any], side: int) -> NDArray[Any]:
    """A plane cut into squares: shape (rows, columns, side, side); what is left over at right and bottom is dropped.

    >>> pixel_squares(np.arange(6).reshape(2, 3), 2).tolist()
    [[[[0, 1], [3, 4]]]]
    """
    rows, columns = values.shape[0] // side, values.shape[1] // side
    kept = values[: rows * side, : columns * side]
    return kept.reshape(rows, side, columns, side).swapaxes(1, 2)


# Shares brought to a scale on which small ones count: roots, or a few levels of them.

HIGHEST_SHARE = 0.25  # a share that reaches the highest level


def companded_levels(shares: FloatArray, highest: int) -> IntArray:
    """min(highest, floor(highest sqrt(share / .25) + .5)).

    >>> companded_levels(np.array([0, .001, .0625, .25, 1]), 7)
    array([0, 0, 4, 7, 7])
    """
    return np.minimum(highest, np.floor(highest * np.sqrt(shares / HIGHEST_SHARE) + 0.5)).astype(np.int64)
