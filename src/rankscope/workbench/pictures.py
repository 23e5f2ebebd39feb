"""Pictures that come from anybody: refused where they are something else too, decoded where they can do no harm.

Two processes decode them, which may take only so much memory and time and are replaced when they fail. What goes to
them is the file, what comes back is a small picture or pixels: one that got the better of a decoder could still not
reach beyond its process.
"""

from __future__ import annotations

import json
import queue
import re
import zipfile
from io import BytesIO
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from rankscope.core.errors import InputError, RankscopeError
from rankscope.core.sandbox import MOST_MEMORY, ConfinedProcess, receive_message, serve_confined
from rankscope.engines.images.image import MAX_PIXELS, decode, thumbnail

DECODERS: Final = 2
DECODING_SECONDS: Final = 10.0


class PictureWorkers:
    """Decodes pictures, some at a time; whoever asks waits for a turn. Processes start when they are needed."""

    def __init__(self, count: int = DECODERS, seconds: float = DECODING_SECONDS) -> None:
        self._seconds = seconds
        self._all = [ConfinedProcess("rankscope.workbench.pictures:serve_pictures") for _ in range(count)]
        self._free: queue.SimpleQueue[ConfinedProcess] = queue.SimpleQueue()
        for each in self._all:
            self._free.put(each)

    def thumbnail(self, data: bytes, side: int, max_pixels: int = MAX_PIXELS) -> bytes:
        """A picture of at most `side` pixels each way, as WebP; an `InputError` says why there is none."""
        return self._ask({"side": side, "max_pixels": max_pixels}, data, 1)[0]

    def pixels(self, data: bytes, max_pixels: int = MAX_PIXELS) -> NDArray[np.uint8]:
        """The pixels of a picture, rows by columns by RGB."""
        shape, found = self._ask({"max_pixels": max_pixels}, data, 2)
        height, width = (int(each) for each in json.loads(shape))
        return np.frombuffer(found, np.uint8).reshape(height, width, 3)

    def close(self) -> None:
        for each in self._all:
            each.end()

    def _ask(self, task: dict[str, Any], data: bytes, parts: int) -> list[bytes]:
        """What a process gives, which is replaced for the next file when it fails on this one."""
        if len(data) > LARGEST_FILE:
            raise InputError.of("picture", [f"has more than {LARGEST_FILE >> 20} MB"])

        def answer(stream: IO[bytes]) -> list[bytes] | None:
            state = receive_message(stream, 1)  # whether it went well; nothing where the process has gone
            found = [state, *(receive_message(stream, LARGEST_FILE) for _ in range(parts if state == GOOD else 1))]
            whole = [each for each in found if each is not None]
            return whole if len(whole) == len(found) else None

        process = self._free.get()
        try:
            state, *rest = process.ask([json.dumps(task).encode(), data], self._seconds, answer)
        except TimeoutError:
            raise InputError.of("picture", [f"it takes longer than {self._seconds:g} seconds"]) from None
        except ProcessLookupError:
            raise InputError.of("picture", ["it ends the process that decodes it"]) from None
        finally:
            self._free.put(process)
        if state != GOOD:
            raise InputError.of("picture", [rest[0].decode("utf-8", "replace")[:300]])
        return rest


# The inside of a process that decodes pictures, which anybody may have made: limits first, then one after another.

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
        return BAD, f"it takes more than {MOST_MEMORY >> 20} MB of memory to be decoded".encode()
    except RankscopeError as error:
        return BAD, str(error).splitlines()[-1].strip().partition(": allow it")[0].encode()


# Files that are a picture and something else at once: refused before anything looks at the picture in them.

MARKUP: Final = re.compile(rb"<(?:script|html|svg|iframe|\?php|!doctype html)[\s>/]", re.IGNORECASE)
PDF_BEGINS: Final = 1024  # bytes within which readers look for the beginning


def other_nature(data: bytes) -> str:
    """What else a file could be taken for; empty where it is nothing but what it is.

    >>> other_nature(b"GIF89a<script>alert(1)</script>"), other_nature(b"\\x89PNG...")
    ('a page with a script', '')
    """
    if MARKUP.search(data):
        return "a page with a script"
    if b"%PDF-" in data[:PDF_BEGINS]:
        return "a PDF"
    return "an archive" if zipfile.is_zipfile(BytesIO(data)) else ""
