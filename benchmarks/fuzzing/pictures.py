"""Pictures: every mode and format, headers that lie, wounds."""

from __future__ import annotations

import io
import random
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fuzzing.trial import Trial
from benchmarks.fuzzing.wounds import NUMBERS, wounded
from rankscope.engines.images.image import Image, read_image

FORMATS = {
    "PNG": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"),
    "JPEG": ("L", "RGB", "CMYK"),
    "GIF": ("L", "P"),
    "BMP": ("1", "L", "P", "RGB"),
    "TIFF": ("1", "L", "RGB", "RGBA", "CMYK", "I;16", "I", "F"),
    "PPM": ("1", "L", "RGB", "I;16"),
    "WEBP": ("RGB", "RGBA"),
}
PLAIN = ("1", "L", "P", "RGB")


def picture_trial(chance: random.Random, folder: Path) -> Trial:
    """A small picture; its header perhaps with another size, its bytes perhaps wounded."""
    from PIL import Image as Pillow

    format = chance.choice(list(FORMATS))
    mode = chance.choice(FORMATS[format])
    width, height = chance.randrange(1, 20), chance.randrange(1, 20)
    grey = np.frombuffer(chance.randbytes(width * height), np.uint8).reshape(height, width)
    deep = {"I;16": np.uint16, "I": np.int32, "F": np.float32}
    result = Pillow.fromarray(grey.astype(deep[mode])) if mode in deep else Pillow.fromarray(grey).convert(mode)
    file = io.BytesIO()
    result.save(file, format)
    data = file.getvalue()
    if format == "PNG" and chance.random() < 0.3:
        data = _with_size(data, chance)
    if chance.random() < 0.6:
        data = wounded(data, chance)
    path = folder / f"x.{format.lower()}"
    path.write_bytes(data)
    return Trial(partial(read_image, path), partial(_confirm, data))


def _with_size(data: bytes, chance: random.Random) -> bytes:
    """Another size in the header, its check sum put right."""
    head = b"IHDR" + b"".join((abs(chance.choice(NUMBERS)) % (1 << 31)).to_bytes(4, "big") for _ in "wh") + data[24:29]
    return data[:12] + head + zlib.crc32(head).to_bytes(4, "big") + data[33:]


def _confirm(data: bytes, image: Image) -> None:
    """The pixels that Pillow gives, where a picture has no transparency and eight bits."""
    from PIL import Image as Pillow
    from PIL import ImageOps

    with Pillow.open(io.BytesIO(data)) as opened:
        plain: Any = ImageOps.exif_transpose(opened)
        assert image.rgb.shape == (plain.height, plain.width, 3)
        if opened.mode in PLAIN and not plain.has_transparency_data:
            assert np.array_equal(image.rgb, np.asarray(plain.convert("RGB")))
