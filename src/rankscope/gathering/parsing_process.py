"""The inside of the process that parses pages, which are written by anybody: limits first, then page after page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rankscope.confined import MEMORY, limit_time, serve_confined
from rankscope.gathering.kinds import PageKind
from rankscope.gathering.parsing import Parsed, parse_page

SECONDS = 30  # of processor time, for one page
LARGEST_PAGE = 1 << 30


def serve_parses() -> None:
    """Parse what comes on standard input, until nobody is there any more."""
    serve_confined(_answer, LARGEST_PAGE)


def _answer(task: bytes, body: bytes) -> Sequence[bytes]:
    kind, charset = json.loads(task)
    limit_time(SECONDS)
    return [json.dumps(asdict(parsed_or_problem(kind, body, charset))).encode()]


def parsed_or_problem(kind: PageKind, body: bytes, charset: str) -> Parsed:
    """What a page says, or why that cannot be known."""
    try:
        return parse_page(kind, body, charset)
    except MemoryError:
        return Parsed(problem=f"takes more than {MEMORY >> 20} MB of memory to be read as {kind}")
    except Exception as error:  # whatever a parser does with a damaged page
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        return Parsed(problem=f"cannot be read as {kind}: {reason}")
