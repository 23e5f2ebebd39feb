"""Parsing of pages elsewhere: in a process that may take only so much memory and time, and is replaced when it fails.

What goes to it and what comes back are plain bytes and JSON, so that a page that got the better of a parser could still
not reach beyond its process through what it answers. It is started by itself, not by copying this program, so it works
from any script.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from types import TracebackType
from typing import Any

from rankscope.gathering.kinds import PageKind
from rankscope.gathering.left_out import NoDocument
from rankscope.gathering.messages import receive, send
from rankscope.gathering.parsing import Parsed
from rankscope.gathering.parsing_process import SECONDS

PATIENCE = 3 * SECONDS  # by the clock, on a busy machine
LONGEST_ANSWER = 64 << 20
PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from rankscope.gathering.parsing_process import serve_parses
serve_parses()
"""


class ParsingWorker:
    """Parses pages elsewhere; a process that fails on one is replaced for the next."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ParsingWorker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def parse(self, kind: PageKind, body: bytes, charset: str, most: int) -> Parsed:
        """What the page says; `NoDocument` where it cannot be read, within the limits or at all."""
        process = self._process = self._process or _begin()
        late = Deadline(process)
        with late.after(self._patience):
            answer = _answer(process, json.dumps([kind, charset]).encode(), body)
        if answer is None:
            self.end()
            what = "takes too long to be read" if late.passed else "ends the process that reads it"
            raise NoDocument(f"{what} as {kind}")
        return _checked(answer, most)

    def end(self) -> None:
        """Stop the process, regardless of what it is doing."""
        if self._process is not None:
            self._process.kill()
            with suppress(OSError):  # what it was never told, and cannot be any more
                self._process.communicate()
            self._process.wait()
        self._process = None


class Deadline:
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


def _begin() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, json.dumps(sys.path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _answer(process: subprocess.Popen[bytes], *sent: bytes) -> bytes | None:
    """What the process answers; None where it has gone."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for each in sent:
            send(process.stdin, each)
        return receive(process.stdout, LONGEST_ANSWER)
    except OSError:
        return None


def _checked(answer: bytes, most: int) -> Parsed:
    """What came back, believed in nothing."""
    try:
        parsed = _parsed(json.loads(answer))
        size = len(parsed.text.encode())
    except (ValueError, KeyError, TypeError):
        raise NoDocument("makes no sense to the process that reads it") from None
    if parsed.problem:
        raise NoDocument(parsed.problem)
    if size > most:
        raise NoDocument(f"holds more than {most:,} bytes of text")
    return parsed


def _parsed(given: dict[str, Any]) -> Parsed:
    return Parsed(
        title=str(given["title"]),
        text=str(given["text"]),
        links=tuple(map(str, given["links"])),
        base=str(given["base"]),
        hidden=bool(given["hidden"]),
        problem=str(given["problem"]),
    )
