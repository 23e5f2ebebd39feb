"""Work on what anybody may have made, in a process that may take only so much memory and time.

What goes to it and what comes back are plain bytes, so that a file that got the better of a parser could still not
reach beyond its process through what it answers. It is started by itself, not by copying this program, so it works from
any script. `ConfinedProcess` is the side that asks; `serve_confined` is the inside.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Timer
from typing import IO, TypeVar

MOST_MEMORY = 1 << 30
PROGRAM = """
import importlib, json, sys
sys.path[:] = json.loads(sys.argv[1])
module, _, function = sys.argv[2].partition(":")
getattr(importlib.import_module(module), function)()
"""
T = TypeVar("T")


class ConfinedProcess:
    """A process that answers questions, started by the first; one that fails on a question is replaced for the next.

    `inside` names the function that it runs, as `module:function`.
    """

    def __init__(self, inside: str) -> None:
        self._inside = inside
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, question: Sequence[bytes], seconds: float, read: Callable[[IO[bytes]], T | None]) -> T:
        """What it answers, read by `read`, which gives None where the other side has gone.

        Raises TimeoutError where it works for longer than so many seconds by the clock, ProcessLookupError where
        it ends.
        """
        process = self._process = self._process or _begin(self._inside)
        late = _Deadline(process)
        with late.after(seconds):
            answer = _answer(process, question, read)
        if answer is None:
            self.end()
            raise TimeoutError if late.passed else ProcessLookupError
        return answer

    def end(self) -> None:
        """Stop the process, regardless of what it is doing."""
        if self._process is not None:
            self._process.kill()
            with suppress(OSError, ValueError):  # what it was never told, and cannot be any more
                self._process.communicate()
            self._process.wait()
        self._process = None


class _Deadline:
    """Ends a process that works too long."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.passed = False

    @contextmanager
    def after(self, seconds: float) -> Iterator[None]:
        """In this block it has so many seconds."""
        timer = Timer(seconds, self._end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _end(self) -> None:
        self.passed = True
        self._process.kill()


def _begin(inside: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, json.dumps(sys.path), inside]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _answer(process: subprocess.Popen[bytes], question: Sequence[bytes], read: Callable[[IO[bytes]], T]) -> T | None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for each in question:
            send_message(process.stdin, each)
        return read(process.stdout)
    except OSError:
        return None


def serve_confined(answer: Callable[[bytes, bytes], Sequence[bytes]], longest: int) -> None:
    """Answer each task and the file that follows it on standard input, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it decides when it ends
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a parser might print is no answer
    limit_memory()
    with suppress(OSError):
        while (task := receive_message(sys.stdin.buffer, longest)) is not None:
            for part in answer(task, receive_message(sys.stdin.buffer, longest) or b""):
                send_message(answers, part)


def limit_memory(most: int = MOST_MEMORY) -> None:
    """No more memory than this, and no file of any size; systems without such limits have none."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def limit_time(seconds: int) -> None:
    """So much processor time from now on."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, most))


# Messages between two processes: eight bytes that say how long each is, then its bytes.

LENGTH_BYTES = 8


def send_message(stream: IO[bytes], message: bytes) -> None:
    """One message, on its way when this returns."""
    stream.write(len(message).to_bytes(LENGTH_BYTES, "big"))
    stream.write(message)
    stream.flush()


def receive_message(stream: IO[bytes], longest: int) -> bytes | None:
    """The next message; None where the other side has gone, or sends more than it may.

    >>> import io
    >>> stream = io.BytesIO()
    >>> send_message(stream, b"a fox")
    >>> _ = stream.seek(0)
    >>> receive_message(stream, 100), receive_message(stream, 100)
    (b'a fox', None)
    """
    length = int.from_bytes(head, "big") if len(head := stream.read(LENGTH_BYTES)) == LENGTH_BYTES else longest + 1
    if length > longest:
        return None
    message = stream.read(length)
    return message if len(message) == length else None
