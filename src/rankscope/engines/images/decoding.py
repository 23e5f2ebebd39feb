"""From image files to pixels, in one place only: another decoder gives other pixels, and other numbers."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.engines.images.image import Image
from rankscope.engines.images.optional import pillow
from rankscope.errors import InputError

WHITE = (255, 255, 255, 255)
SIXTEEN_BITS = ("I;16", "I;16L", "I;16B", "I;16N")


def read_image(path: str | Path) -> Image:
    """The picture in a file: turned as its EXIF data say, first frame, transparency laid on white, as RGB bytes.

    A file that cannot be read, or holds no picture, is an `InputError` that says why.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError.of(str(path), [f"cannot be read: {error.strerror or error}"]) from None
    return decode(data, str(path))


def decode(data: bytes, name: str = "picture") -> Image:
    """The same from the bytes of a file."""
    opened = pillow("Image")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # very large, odd tags: decided by whether pixels come out
            with opened.open(BytesIO(data)) as picture:
                return _pixels(picture)
    except Exception as error:  # Pillow's readers raise whatever a damaged file makes them stumble over
        raise InputError.of(name, [f"is no picture that can be read: {_reason(error, data)}"]) from None


def _pixels(picture: Any) -> Image:
    picture.seek(0)
    upright = pillow("ImageOps").exif_transpose(picture)
    if upright.has_transparency_data:
        behind = pillow("Image").new("RGBA", upright.size, WHITE)
        upright = pillow("Image").alpha_composite(behind, upright.convert("RGBA"))
    if upright.mode in SIXTEEN_BITS:
        return Image.of((np.asarray(upright) >> 8).astype(np.uint8))
    return Image(np.ascontiguousarray(np.asarray(upright.convert("RGB"), dtype=np.uint8)))


def _reason(error: Exception, data: bytes) -> str:
    """In one line, without the address of Pillow's buffer."""
    if not data:
        return "the file is empty"
    if type(error).__name__ == "UnidentifiedImageError":
        return "its format is not known"
    return str(error).splitlines()[0] if str(error) else type(error).__name__
