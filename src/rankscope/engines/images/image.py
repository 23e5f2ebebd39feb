"""One decoded picture and the forms of it that descriptors read; from image files to pixels, in one place only, and
small
pictures for pages; the optional packages that work on pictures.
"""

from __future__ import annotations

import os
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import BoolArray
from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError
from rankscope.core.names import visible
from rankscope.core.wording import setting_usage

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


# From image files to pixels, in one place only: another decoder gives other pixels, and other numbers.

WHITE = (255, 255, 255, 255)
MAX_PIXELS = 64_000_000
SIXTEEN_BITS = ("I;16", "I;16L", "I;16B", "I;16N")
SIXTEEN_BITS_IN = ("PNG", "PPM")  # where Pillow gives 16 bits as whole numbers of 32
NO_RANGE = {"I": "whole numbers of 32 bits", "F": "floating-point numbers"}
Source: TypeAlias = "str | Path | Image | NDArray[Any] | PictureFile"


@dataclass(frozen=True)
class PictureFile:
    """A picture in a file, with as many pixels as are allowed."""

    path: Path
    max_pixels: int = MAX_PIXELS


def as_image(source: Source) -> Image:
    """A picture from a file, decoded or as an array of bytes."""
    if isinstance(source, Image):
        return source
    if isinstance(source, np.ndarray):
        return Image.of(source)
    file = source if isinstance(source, PictureFile) else PictureFile(Path(source))
    return read_image(file.path, file.max_pixels)


def read_image(path: str | Path, max_pixels: int = MAX_PIXELS) -> Image:
    """The picture in a file: turned as its EXIF data say, first frame, transparency laid on white, as RGB bytes.

    A file that cannot be read, holds no picture or more than `max_pixels`, is an `InputError` that says why.
    """
    name = visible(str(path))
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
            raise InputError.of(name, ["is no file: a folder, pipe or device"])
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError.of(name, [f"cannot be read: {error.strerror or error}"]) from None
    return decode(data, name, max_pixels)


def decode(data: bytes, name: str = "picture", max_pixels: int = MAX_PIXELS) -> Image:
    """The same from the bytes of a file."""
    with reading_picture(data, name, max_pixels) as picture:
        return _pixels(picture)


@contextmanager
def reading_picture(data: bytes, name: str, max_pixels: int) -> Iterator[Any]:
    """A picture of Pillow that is opened and not too large; whatever goes wrong in the block is an `InputError`."""
    opened = pillow("Image")
    if opened.MAX_IMAGE_PIXELS is not None and max_pixels > opened.MAX_IMAGE_PIXELS:
        opened.MAX_IMAGE_PIXELS = max_pixels  # Pillow's own limit must not be below the one asked for
    try:
        with QUIET, opened.open(BytesIO(data)) as picture:
            # By what the file says of itself, before anything is decoded.
            pixels = picture.width * picture.height
            if pixels > max_pixels:
                limit = f"{max_pixels / 1e6:g}"
                more = setting_usage("max_pixels")
                raise _RefusedError(f"has {pixels / 1e6:.1f} megapixels, more than {limit}: allow it with {more}")
            if picture.mode in NO_RANGE and not (picture.mode == "I" and picture.format in SIXTEEN_BITS_IN):
                what = NO_RANGE[picture.mode]
                raise _RefusedError(
                    f"has pixels of {what}, whose black and white are not known: convert it to 8 or 16 bits"
                )
            yield picture
    except _RefusedError as refused:
        raise InputError.of(name, [str(refused)]) from None
    except Exception as error:  # Pillow's readers raise whatever a damaged file makes them stumble over
        raise InputError.of(name, [f"is no picture that can be read: {_reason(error, data)}"]) from None


class _Quiet:
    """No warnings of very large pictures or odd tags while anyone decodes: whether pixels come out decides.

    Python's own way to silence them is not made for several threads: the last to begin would leave them silent.
    """

    def __init__(self) -> None:
        self.lock, self.inside = threading.Lock(), 0

    def __enter__(self) -> None:
        with self.lock:
            if self.inside == 0:
                self.filters = warnings.catch_warnings()
                self.filters.__enter__()
                warnings.simplefilter("ignore")
            self.inside += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                self.filters.__exit__(None, None, None)


QUIET = _Quiet()


class _RefusedError(Exception):
    """A picture that could be decoded, but is not."""


def _pixels(picture: Any) -> Image:
    picture.seek(0)
    pillow("ImageOps").exif_transpose(picture, in_place=True)  # a copy of 64 megapixels would be felt
    upright = picture
    if upright.mode in SIXTEEN_BITS or upright.mode == "I":
        # The upper eight bits; one grey may stand for transparent.
        values = np.asarray(upright).astype(np.int64)
        clear = upright.info.get("transparency")
        return Image.of(np.where(values == clear, 255, values >> 8) if isinstance(clear, int) else values >> 8)
    if upright.has_transparency_data:
        behind = pillow("Image").new("RGBA", upright.size, WHITE)
        upright = pillow("Image").alpha_composite(behind, upright.convert("RGBA"))
    return Image(np.ascontiguousarray(np.asarray(upright.convert("RGB"), dtype=np.uint8)))


def _reason(error: Exception, data: bytes) -> str:
    """In one line, without the address of Pillow's buffer."""
    if not data:
        return "the file is empty"
    if type(error).__name__ == "UnidentifiedImageError":
        return "its format is not known"
    return str(error).splitlines()[0] if str(error) else type(error).__name__


SMALL: Final = 192
LARGE: Final = 1280
WEBP_QUALITY: Final = {SMALL: 80, LARGE: 85}
FLAT_COLOURS: Final = 64  # colours: a picture of no more is a drawing, kept without loss


def thumbnail(data: bytes, side: int = SMALL, max_pixels: int = MAX_PIXELS) -> bytes:
    """A picture of at most `side` pixels each way as WebP, from the bytes of a file; none is enlarged.

    What cannot be read, or has more than `max_pixels`, is an `InputError` that says why, before anything is decoded.
    """
    picture = _draft(data, side, max_pixels)
    if picture is None:
        picture = pillow("Image").fromarray(decode(data, max_pixels=max_pixels).rgb)
    picture.thumbnail((side, side), pillow("Image").Resampling.LANCZOS)
    file = BytesIO()
    flat = picture.getcolors(FLAT_COLOURS) is not None
    options = {"lossless": True} if flat else {"quality": WEBP_QUALITY.get(side, 80), "method": 3}
    picture.save(file, "WEBP", **options)
    return file.getvalue()


def _draft(data: bytes, side: int, max_pixels: int) -> Any:
    """A JPEG at the least scale of its decoder that is still large enough; None for other kinds."""
    if data[:2] != b"\xff\xd8":
        return None
    with reading_picture(data, "picture", max_pixels) as opened:
        if opened.format != "JPEG" or opened.mode == "CMYK":
            return None
        opened.draft("RGB", (side, side))
        pillow("ImageOps").exif_transpose(opened, in_place=True)
        return opened.convert("RGB")
