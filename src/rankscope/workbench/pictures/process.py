"""The inside of a process that decodes pictures, which anybody may have made: limits first, then one after another."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from typing import IO

from rankscope.engines.images.decoding import decode
from rankscope.engines.images.thumbnails import thumbnail
from rankscope.errors import RankscopeError
from rankscope.gathering.messages import receive, send

MEMORY = 1 << 30
LARGEST_FILE = 256 << 20
GOOD, BAD = b"+", b"-"


def serve_pictures() -> None:
    """Decode what comes on standard input, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it decides when it ends
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a decoder might print is no answer
    _limit_memory()
    with suppress(OSError):
        while (task := receive(sys.stdin.buffer, LARGEST_FILE)) is not None:
            body = receive(sys.stdin.buffer, LARGEST_FILE) or b""
            _answer(answers, *_decoded(task, body))


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


def _answer(answers: IO[bytes], *parts: bytes) -> None:
    for each in parts:
        send(answers, each)


def _limit_memory() -> None:
    """No more memory than this, and no file of any size; systems without such limits have none."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
