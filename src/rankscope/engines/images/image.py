"""One decoded picture, and the forms of it that descriptors read; the optional packages that work on pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import BoolArray
from rankscope.core.caching import import_extra

LUMA = (0.299, 0.587, 0.114)
PAPER = 224  # a drawing is darker than this somewhere in a channel
AREAS = ("whole", "ink")


@dataclass(frozen=True, eq=False)
class Image:
    """A picture as red, green and blue bytes, shape (height, width, 3).

    >>> picture = Image.of([[0, 255], [255, 128]])
    >>> picture.pixels, picture.rgb.shape, picture.grey.tolist()
    (4, (2, 2, 3), [[0, 255], [255, 128]])
    """

    rgb: NDArray[np.uint8]

    @classmethod
    def of(cls, array: ArrayLike) -> Image:
        """From an array of bytes: grey (height, width) or colour (height, width, 3)."""
        values = np.asarray(array, dtype=np.uint8)
        return cls(np.ascontiguousarray(values if values.ndim == 3 else np.repeat(values[..., None], 3, axis=2)))

    @property
    def height(self) -> int:
        return int(self.rgb.shape[0])

    @property
    def width(self) -> int:
        return int(self.rgb.shape[1])

    @property
    def pixels(self) -> int:
        return self.height * self.width

    @cached_property
    def luminance(self) -> NDArray[np.float64]:
        """.299 R + .587 G + .114 B, from 0 to 255, not rounded."""
        return luminance(self.rgb)

    @cached_property
    def grey(self) -> NDArray[np.uint8]:
        return np.rint(self.luminance).astype(np.uint8)

    @cached_property
    def hsv(self) -> NDArray[np.float32]:
        """Hue, saturation and value of the hexcone, each from 0 to 1; hue is 0 for greys."""
        return hsv(self.rgb)

    @cached_property
    def lab(self) -> NDArray[np.float32]:
        """CIE Lab for daylight D65: L from 0 to 100, a and b signed."""
        cv2 = opencv()
        return _floats(cv2.cvtColor(self.rgb.astype(np.float32) / 255, cv2.COLOR_RGB2Lab))

    def area(self, name: str) -> Image:
        """`whole`, or `ink`: the smallest box around all ink, for drawings; a picture without any stays whole.

        >>> Image.of([[255, 255], [255, 0], [255, 9]]).area("ink").grey.tolist()
        [[0], [9]]
        """
        drawn: BoolArray = np.any(self.rgb < PAPER, axis=2)
        if name == "whole" or not drawn.any():
            return self
        rows, columns = (np.flatnonzero(np.any(drawn, axis=axis)) for axis in (1, 0))
        return Image(np.ascontiguousarray(self.rgb[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]))

    def shrunk(self, height: int, width: int) -> NDArray[np.float32]:
        """The colours averaged over the exact area of each pixel of a smaller picture, regardless of its aspect."""
        return shrunk(self.rgb, height, width)


def shrunk(values: NDArray[Any], height: int, width: int) -> NDArray[np.float32]:
    """An array of pixels averaged down to another size; a smaller one is enlarged, which is defined but no average."""
    cv2 = opencv()
    return _floats(cv2.resize(values.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA))


def luminance(rgb: NDArray[Any]) -> NDArray[np.float64]:
    """.299 R + .587 G + .114 B of the last axis.

    >>> luminance(np.array([[255, 0, 0], [128, 128, 128]]))
    array([ 76.245, 128.   ])
    """
    red, green, blue = (rgb[..., channel].astype(np.float64) for channel in range(3))
    return LUMA[0] * red + LUMA[1] * green + LUMA[2] * blue


def hsv(rgb: NDArray[Any]) -> NDArray[np.float32]:
    """Hue, saturation and value, each from 0 to 1, of colours from 0 to 255 in the shape of a picture.

    >>> hsv(np.array([[[0, 0, 255], [51, 51, 51]]])).round(4)
    array([[[0.6667, 1.    , 1.    ],
            [0.    , 0.    , 0.2   ]]], dtype=float32)
    """
    cv2 = opencv()
    found = _floats(cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2HSV))
    found[..., 0] /= 360
    return found


def _floats(values: Any) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)


def opencv() -> Any:
    return import_extra("cv2", "opencv-python-headless", "images")


def pillow(part: str) -> Any:
    return import_extra(f"PIL.{part}", "pillow", "images")


def scikit_image(part: str) -> Any:
    return import_extra(f"skimage.{part}", "scikit-image", "images")
