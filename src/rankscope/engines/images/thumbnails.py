"""Small pictures for pages: decoded no larger than shown, turned upright, without anything else of the file."""

from __future__ import annotations

from io import BytesIO
from typing import Any, Final

from rankscope.engines.images.decoding import MAX_PIXELS, decode, reading_picture
from rankscope.engines.images.optional import pillow

SMALL: Final = 192
LARGE: Final = 1280
QUALITY: Final = {SMALL: 80, LARGE: 85}
FLAT: Final = 64  # colours: a picture of no more is a drawing, kept without loss


def thumbnail(data: bytes, side: int = SMALL, max_pixels: int = MAX_PIXELS) -> bytes:
    """A picture of at most `side` pixels each way as WebP, from the bytes of a file; none is enlarged.

    What cannot be read, or has more than `max_pixels`, is an `InputError` that says why, before anything is decoded.
    """
    picture = _draft(data, side, max_pixels)
    if picture is None:
        picture = pillow("Image").fromarray(decode(data, max_pixels=max_pixels).rgb)
    picture.thumbnail((side, side), pillow("Image").Resampling.LANCZOS)
    return _webp(picture, QUALITY.get(side, 80))


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


def _webp(picture: Any, quality: int) -> bytes:
    file = BytesIO()
    flat = picture.getcolors(FLAT) is not None
    options = {"lossless": True} if flat else {"quality": quality, "method": 3}
    picture.save(file, "WEBP", **options)
    return file.getvalue()
