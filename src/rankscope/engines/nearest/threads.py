"""Work shared by several threads; how many there are changes no result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_number: ContextVar[int] = ContextVar("threads", default=os.cpu_count() or 1)


@contextmanager
def with_threads(number: int | None) -> Iterator[None]:
    """So many threads inside the block; None: as many as there are cores."""
    token = _number.set(number or os.cpu_count() or 1)
    try:
        yield
    finally:
        _number.reset(token)


def together(work: Callable[[T], R], parts: Sequence[T]) -> list[R]:
    """The result of each part, in order.

    >>> together(abs, [-1, 2])
    [1, 2]
    """
    if _number.get() == 1 or len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(_number.get()) as pool:
        return list(pool.map(work, parts))
