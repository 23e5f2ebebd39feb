"""How long a search may take: whoever asks sets the limit, and matching looks at it between clauses."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rankscope.errors import TimeLimitError

_until: ContextVar[tuple[float, float]] = ContextVar("rankscope_time_limit")


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """What is searched in the block and takes longer raises `TimeLimitError` at the next clause.

    >>> from rankscope.engines.text import Index
    >>> index = Index.build([{"id": "a", "body": "a fox"}])
    >>> with time_limit(0):
    ...     index.search("+fox -dog")
    Traceback (most recent call last):
    rankscope.errors.TimeLimitError: the search took longer than 0 seconds: ask for fewer words, or narrow it down
    """
    token = _until.set((time.monotonic() + seconds, seconds))
    try:
        yield
    finally:
        _until.reset(token)


def check_time() -> None:
    """Raise where the limit of the block has passed; do nothing where there is none."""
    limit = _until.get(None)
    if limit is not None and time.monotonic() >= limit[0]:
        raise TimeLimitError(limit[1])
