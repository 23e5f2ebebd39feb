"""Pictures decoded elsewhere: in two processes that may take only so much memory and time, replaced when they fail.

What goes to them is the file, what comes back is a small picture or pixels: one that got the better of a decoder could
still not reach beyond its process.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.images.decoding import MAX_PIXELS
from rankscope.errors import InputError
from rankscope.gathering.messages import receive, send
from rankscope.gathering.worker import Deadline
from rankscope.workbench.pictures.process import GOOD, LARGEST_FILE

WORKERS: Final = 2
SECONDS: Final = 10.0
PROGRAM: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from rankscope.workbench.pictures.process import serve_pictures
serve_pictures()
"""


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
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, task: dict[str, Any], data: bytes, parts: int, seconds: float) -> list[bytes]:
        """What comes back for a file."""
        if len(data) > LARGEST_FILE:
            raise InputError.of("picture", [f"has more than {LARGEST_FILE >> 20} MB"])
        process = self._process = self._process or _begin()
        late = Deadline(process)
        with late.after(seconds):
            answer = _answer(process, json.dumps(task).encode(), data, parts)
        if answer is None:
            self.end()
            what = f"it takes longer than {seconds:g} seconds" if late.passed else "it ends the process that decodes it"
            raise InputError.of("picture", [what])
        state, found = answer
        if state != GOOD:
            raise InputError.of("picture", [found[0].decode("utf-8", "replace")[:300]])
        return found

    def end(self) -> None:
        """Stop the process."""
        if self._process is not None:
            self._process.kill()
            with suppress(OSError, ValueError):
                self._process.communicate()
            self._process.wait()
        self._process = None


def _begin() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, json.dumps(sys.path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _answer(process: subprocess.Popen[bytes], task: bytes, data: bytes, parts: int) -> tuple[bytes, list[bytes]] | None:
    """What the process answers; None where it has gone."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        send(process.stdin, task)
        send(process.stdin, data)
        state = receive(process.stdout, 1)
        found = [receive(process.stdout, LARGEST_FILE) for _ in range(parts if state == GOOD else 1)]
    except OSError:
        return None
    whole = [each for each in found if each is not None]
    return (state, whole) if state is not None and len(whole) == len(found) else None
