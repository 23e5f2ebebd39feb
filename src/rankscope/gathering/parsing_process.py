"""The inside of the process that parses pages, which are written by anybody: limits first, then page after page."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import IO

from rankscope.gathering.kinds import PageKind
from rankscope.gathering.messages import receive, send
from rankscope.gathering.parsing import Parsed, parse_page

MEMORY = 1 << 30
SECONDS = 30  # of processor time, for one page
LARGEST_PAGE = 1 << 30


def serve_parses() -> None:
    """Parse what comes on standard input, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it decides when it ends
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a parser might print is no answer
    limit_memory()
    with suppress(OSError):
        while (task := receive(sys.stdin.buffer, LARGEST_PAGE)) is not None:
            _answer_one(task, answers)


def _answer_one(task: bytes, answers: IO[bytes]) -> None:
    kind, charset = json.loads(task)
    body = receive(sys.stdin.buffer, LARGEST_PAGE) or b""
    limit_time()
    send(answers, json.dumps(asdict(parsed_or_problem(kind, body, charset))).encode())


def parsed_or_problem(kind: PageKind, body: bytes, charset: str) -> Parsed:
    """What a page says, or why that cannot be known."""
    try:
        return parse_page(kind, body, charset)
    except MemoryError:
        return Parsed(problem=f"takes more than {MEMORY >> 20} MB of memory to be read as {kind}")
    except Exception as error:  # whatever a parser does with a damaged page
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        return Parsed(problem=f"cannot be read as {kind}: {reason}")


def limit_memory() -> None:
    """No more memory than this, and no file of any size; systems without such limits have none."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def limit_time() -> None:
    """So much processor time from now on."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + SECONDS + 1, most))
