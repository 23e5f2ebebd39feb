"""The process that parses pages: it may take only so much memory and time, and write nothing.

What goes to it and what comes back are plain bytes and JSON, so that a page that got the better of a parser could still
not reach beyond its process through what it answers.
"""

from __future__ import annotations

import json
import signal
from contextlib import suppress
from dataclasses import asdict
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType

from rankscope.gathering.kinds import PageKind
from rankscope.gathering.left_out import LeftOut
from rankscope.gathering.parsing import Parsed, parse_page

MEMORY = 1 << 30
SECONDS = 30  # of processor time, for one page
PATIENCE = 3 * SECONDS  # by the clock, on a busy machine
LONGEST_ANSWER = 64 << 20


class ParsingWorker:
    """Parses pages elsewhere; a process that fails on one is replaced for the next."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process: BaseProcess | None = None
        self._line: Connection | None = None

    def __enter__(self) -> ParsingWorker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def parse(self, kind: PageKind, body: bytes, charset: str, most: int) -> Parsed:
        """What the page says; `LeftOut` where it cannot be read, within the limits or at all."""
        try:
            answer = self._answer(json.dumps([kind, charset]).encode(), body)
        except (OSError, EOFError):
            self.end()
            raise LeftOut(f"cannot be read as {kind}: it ended the process that parsed it") from None
        if answer is None:
            self.end()
            raise LeftOut(f"takes too long to be read as {kind}")
        return _checked(answer, most)

    def _answer(self, *sent: bytes) -> bytes | None:
        line = self._line or self._begin()
        for each in sent:
            line.send_bytes(each)
        return line.recv_bytes(LONGEST_ANSWER) if line.poll(self._patience) else None

    def _begin(self) -> Connection:
        context = get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=serve_parses, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        return self._line

    def end(self) -> None:
        """Stop the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._line is not None:
            self._line.close()
        self._process = self._line = None


def _checked(answer: bytes, most: int) -> Parsed:
    """What came back, believed in nothing but its shape."""
    given = json.loads(answer)
    parsed = Parsed(
        title=str(given["title"]),
        text=str(given["text"]),
        links=tuple(map(str, given["links"])),
        base=str(given["base"]),
        hidden=bool(given["hidden"]),
        problem=str(given["problem"]),
    )
    if parsed.problem:
        raise LeftOut(parsed.problem)
    if len(parsed.text.encode()) > most:
        raise LeftOut(f"holds more than {most:,} bytes of text")
    return parsed


def serve_parses(line: Connection) -> None:
    """Parse what comes, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it decides when it ends
    _limit_memory()
    with suppress(EOFError, OSError):
        while True:
            kind, charset = json.loads(line.recv_bytes())
            body = line.recv_bytes()
            _limit_time()
            line.send_bytes(json.dumps(asdict(_parsed(kind, body, charset))).encode())


def _parsed(kind: PageKind, body: bytes, charset: str) -> Parsed:
    try:
        return parse_page(kind, body, charset)
    except MemoryError:
        return Parsed(problem=f"takes more than {MEMORY >> 20} MB of memory to be read as {kind}")
    except Exception as error:  # whatever a parser does with a damaged page
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        return Parsed(problem=f"cannot be read as {kind}: {reason}")


def _limit_memory() -> None:
    """No more memory than this, and no file of any size; systems without such limits have none."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _limit_time() -> None:
    """So much processor time from now on."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + SECONDS + 1, most))
