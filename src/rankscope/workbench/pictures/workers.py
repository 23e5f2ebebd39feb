"""Pictures decoded elsewhere: in two processes that may take only so much memory and time, replaced when they fail.

What goes to them is the file, what comes back is a small picture or pixels: one that got the better of a decoder could
still not reach beyond its process.
"""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from rankscope.confined import ConfinedProcess
from rankscope.engines.images.decoding import MAX_PIXELS
from rankscope.errors import InputError
from rankscope.process_messages import receive
from rankscope.workbench.pictures.process import GOOD, LARGEST_FILE

WORKERS: Final = 2
SECONDS: Final = 10.0


class PictureWorkers:
    """Decodes pictures, some at a time; whoever asks waits for a turn. Processes start when they are needed."""

    def __init__(self, count: int = WORKERS, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._all = [_Worker() for _ in range(count)]
        self._free: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for each in self._all:
            self._free.put(each)

    def thumbnail(self, data: bytes, side: int, max_pixels: int = MAX_PIXELS) -> bytes:
        """A picture of at most `side` pixels each way, as WebP; an `InputError` says why there is none."""
        with self._turn() as worker:
            return worker.ask({"side": side, "max_pixels": max_pixels}, data, 1, self._seconds)[0]

    def pixels(self, data: bytes, max_pixels: int = MAX_PIXELS) -> NDArray[np.uint8]:
        """The pixels of a picture, rows by columns by RGB."""
        with self._turn() as worker:
            shape, found = worker.ask({"max_pixels": max_pixels}, data, 2, self._seconds)
        height, width = (int(each) for each in json.loads(shape))
        return np.frombuffer(found, np.uint8).reshape(height, width, 3)

    def close(self) -> None:
        """End the processes."""
        for each in self._all:
            each.end()

    @contextmanager
    def _turn(self) -> Iterator[_Worker]:
        worker = self._free.get()
        try:
            yield worker
        finally:
            self._free.put(worker)


class _Worker:
    """One process; one that fails on a picture is replaced for the next."""

    def __init__(self) -> None:
        self._process = ConfinedProcess("rankscope.workbench.pictures.process:serve_pictures")
        self.end = self._process.end

    def ask(self, task: dict[str, Any], data: bytes, parts: int, seconds: float) -> list[bytes]:
        """What comes back for a file."""
        if len(data) > LARGEST_FILE:
            raise InputError.of("picture", [f"has more than {LARGEST_FILE >> 20} MB"])
        try:
            found = self._process.ask([json.dumps(task).encode(), data], seconds, partial(_read_answer, parts=parts))
        except TimeoutError:
            raise InputError.of("picture", [f"it takes longer than {seconds:g} seconds"]) from None
        except ProcessLookupError:
            raise InputError.of("picture", ["it ends the process that decodes it"]) from None
        state, *rest = found
        if state != GOOD:
            raise InputError.of("picture", [rest[0].decode("utf-8", "replace")[:300]])
        return rest


def _read_answer(stream: IO[bytes], parts: int) -> list[bytes] | None:
    """Whether it went well, and the parts of what came back; None where the process has gone."""
    state = receive(stream, 1)
    found = [state, *(receive(stream, LARGEST_FILE) for _ in range(parts if state == GOOD else 1))]
    whole = [each for each in found if each is not None]
    return whole if len(whole) == len(found) else None
