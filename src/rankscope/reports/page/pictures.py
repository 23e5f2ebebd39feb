"""Small pictures for a page, each once, as large as the room allows; and grey ones without any library for pictures."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.images.image import pillow
from rankscope.engines.images.picture_set import PictureSet

Key = TypeVar("Key")
ROOM = 1_800_000  # bytes that all pictures of a page may take together
RULE = 40  # bytes of the style sheet around each
WIDE = 5 / 3  # the widest a picture may be for its height
STEPS = ((96, 72), (96, 55), (80, 50), (64, 45), (48, 40), (40, 30), (32, 25))  # height, quality
FLAT = 64  # colours: a picture of no more is a drawing, kept without loss


def thumbnails(pictures: PictureSet, rows: Sequence[int], room: int = ROOM) -> dict[int, str]:
    """A data address for each picture of a set."""
    return picture_addresses({row: pictures.picture(row).rgb for row in dict.fromkeys(rows)}, room)


def picture_addresses(pixels: Mapping[Key, NDArray[np.uint8]], room: int = ROOM) -> dict[Key, str]:
    """A data address for each picture; all of them lower or coarser where they would not fit into the room.

    None is ever enlarged. With the least size what they take is what they take.
    """
    image = pillow("Image")
    largest = STEPS[0][0]
    small = {row: _reduced(image.fromarray(each), largest) for row, each in pixels.items()}
    results: dict[Key, str] = {}
    for height, quality in STEPS:
        results = {row: _address(_reduced(each, height), quality) for row, each in small.items()}
        if sum(len(each) + RULE for each in results.values()) <= room:
            break
    return results


def _reduced(picture: Any, height: int) -> Any:
    scale = min(1.0, height / picture.height, WIDE * height / picture.width)
    if scale == 1.0:
        return picture
    size = tuple(max(1, round(side * scale)) for side in picture.size)
    return picture.resize(size, pillow("Image").Resampling.LANCZOS)


def _address(picture: Any, quality: int) -> str:
    """WebP, or JPEG where Pillow has no WebP."""
    file = BytesIO()
    if pillow("features").check("webp"):
        flat = picture.getcolors(FLAT) is not None
        options = {"lossless": True} if flat else {"quality": quality, "method": 4}
        picture.save(file, "WEBP", **options)
        kind = "webp"
    else:
        picture.save(file, "JPEG", quality=quality)
        kind = "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"


# Small grey pictures as addresses that a page holds, without any library for pictures.

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY_BITS = 4  # sixteen greys: enough for an icon, and half the bytes


def grey_address(picture: NDArray[np.uint8]) -> str:
    """A PNG of 16 greys as a data address; 0 is black.

    >>> grey_address(np.zeros((2, 2), dtype=np.uint8))[:30]
    'data:image/png;base64,iVBORw0K'
    """
    height, width = picture.shape
    greys = np.zeros((height, width + width % 2), dtype=np.uint8)
    greys[:, :width] = np.rint(picture / 255 * (2**GREY_BITS - 1)).astype(np.uint8)
    pairs = (greys[:, 0::2] << GREY_BITS) | greys[:, 1::2]
    rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), pairs], axis=1)
    header = struct.pack(">IIBBBBB", width, height, GREY_BITS, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    file = PNG_SIGNATURE + b"".join(_chunk(*part) for part in parts)
    return f"data:image/png;base64,{base64.b64encode(file).decode()}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
