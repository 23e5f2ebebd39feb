"""A program that answers questions, one line of JSON each: started when it is first asked, ended when we end."""

from __future__ import annotations

import atexit
import json
import os
import queue
import shlex
import subprocess
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any

from rankscope.errors import InputError
from rankscope.names import visible

PATIENCE = 3.0  # seconds that a program has to end by itself once nothing more comes
REMEMBERED = 5  # last lines of what it complained
LONGEST = 200  # signs of an answer that an error shows
ADVICE = (
    "It reads one question a line from standard input, and answers each with one line of JSON: "
    '{"relevant": [...], "irrelevant": [...]}.'
)


class JsonLines:
    """A running program; lines that it writes to standard error are kept for the error that may follow."""

    def __init__(self, command: str, limit: float) -> None:
        self.command, self.limit = command, limit
        self._process = self._begin()
        self._answers: queue.Queue[str | None] = queue.Queue()
        self._complaints: deque[str] = deque(maxlen=REMEMBERED)
        self._readers = [
            self._reader(self._process.stdout, self._answers.put, at_end=lambda: self._answers.put(None)),
            self._reader(self._process.stderr, self._complaints.append, at_end=lambda: None),
        ]

    def _begin(self) -> subprocess.Popen[str]:
        parts = shlex.split(self.command)
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(
                parts, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8", errors="replace", bufsize=1
            )
        except (OSError, ValueError) as error:
            raise self.problem(f"cannot be started: {getattr(error, 'strerror', None) or error}") from None

    def _reader(self, stream: IO[str] | None, keep: Any, at_end: Any) -> threading.Thread:
        def read() -> None:
            with suppress(ValueError, OSError):  # closed while it was read
                for line in stream or ():
                    keep(line.rstrip("\n"))
            at_end()

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def ask(self, question: Mapping[str, Any]) -> Any:
        """The answer to one question; a program that has ended, is late, or writes no JSON is an `InputError`."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(question, ensure_ascii=False) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=self.limit)
        except queue.Empty:
            self.end(at_once=True)
            raise self.problem(f"gave no answer in {self.limit:g} seconds and was ended") from None
        except (OSError, ValueError):
            line = None
        if line is None:
            raise self._ended()
        try:
            return json.loads(line)
        except ValueError:
            raise self.problem(f"answered with what is no line of JSON: {shortened(line)}") from None

    def _ended(self) -> InputError:
        self.end()
        said = [f"it said: {visible(line)[:LONGEST]}" for line in self._complaints if line.strip()]
        code = self._process.returncode
        return self.problem(f"ended with exit code {code} before it had answered", *said)

    def problem(self, *what: str) -> InputError:
        """An error that names the program."""
        return InputError.of(f"command '{visible(self.command)}'", list(what), ADVICE)

    @property
    def is_running(self) -> bool:
        """Whether it can still be asked."""
        return self._process.poll() is None

    def end(self, at_once: bool = False) -> None:
        """Close its input, which tells it to end; what does not end is ended."""
        with suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(0 if at_once else PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread, stream in zip(self._readers, (self._process.stdout, self._process.stderr), strict=True):
            thread.join(PATIENCE)
            if stream is not None and not thread.is_alive():  # what it started may hold the pipe open
                stream.close()


def shortened(text: str) -> str:
    """What an error shows of an answer."""
    return f"'{visible(text[:LONGEST])}'{'...' if len(text) > LONGEST else ''}"


_RUNNING: dict[tuple[int, str, float], JsonLines] = {}  # by process, so that a fork starts its own


def running(command: str, limit: float) -> JsonLines:
    """The program of this command in this process: one that runs, or a new one."""
    key = (os.getpid(), command, limit)
    found = _RUNNING.get(key)
    if found is None or not found.is_running:
        found = _RUNNING[key] = JsonLines(command, limit)
    return found


@atexit.register
def end_all() -> None:
    """End every program that this process has started."""
    for key in [key for key in _RUNNING if key[0] == os.getpid()]:
        _RUNNING.pop(key).end()
