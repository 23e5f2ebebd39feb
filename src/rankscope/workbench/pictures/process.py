"""The inside of a process that decodes pictures, which anybody may have made: limits first, then one after another."""

from __future__ import annotations

import json
from typing import Final

from rankscope.confined import MEMORY, serve_confined
from rankscope.engines.images.decoding import decode
from rankscope.engines.images.thumbnails import thumbnail
from rankscope.errors import RankscopeError

LARGEST_FILE: Final = 256 << 20
GOOD, BAD = b"+", b"-"


def serve_pictures() -> None:
    """Decode what comes on standard input, until nobody is there any more."""
    serve_confined(_decoded, LARGEST_FILE)


def _decoded(task: bytes, body: bytes) -> tuple[bytes, ...]:
    """Whether it went well, and what came out: a small picture, or width, height and pixels; else why not."""
    try:
        asked = json.loads(task)
        if "side" in asked:
            return GOOD, thumbnail(body, asked["side"], asked["max_pixels"])
        rgb = decode(body, max_pixels=asked["max_pixels"]).rgb
        return GOOD, json.dumps(rgb.shape[:2]).encode(), rgb.tobytes()
    except MemoryError:
        return BAD, f"it takes more than {MEMORY >> 20} MB of memory to be decoded".encode()
    except RankscopeError as error:
        return BAD, str(error).splitlines()[-1].strip().partition(": allow it")[0].encode()
