"""Work shared by several threads of this process; how many there are changes no result."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 8  # parts under way for each thread, where results are wanted one by one
_number: ContextVar[int] = ContextVar("threads", default=os.cpu_count() or 1)


@contextmanager
def with_threads(number: int | None) -> Iterator[None]:
    """So many threads inside the block; None: as many as there are cores."""
    token = _number.set(number or os.cpu_count() or 1)
    try:
        yield
    finally:
        _number.reset(token)


def thread_count() -> int:
    """How many threads work is shared by here."""
    return _number.get()


def in_threads(work: Callable[[T], R], parts: Sequence[T]) -> list[R]:
    """The result of each part, in order.

    >>> in_threads(abs, [-1, 2])
    [1, 2]
    """
    if _number.get() == 1 or len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(_number.get()) as pool:
        return list(pool.map(work, parts))


def stream_in_threads(work: Callable[[T], R], parts: Iterable[T], threads: int | None = None) -> Iterator[R]:
    """The same one by one, a few parts ahead of whoever takes them: neither parts nor results pile up.

    >>> list(stream_in_threads(abs, iter([-1, 2]), threads=2))
    [1, 2]
    """
    count = threads or os.cpu_count() or 1
    pool = ThreadPoolExecutor(count)
    waiting: deque[Future[R]] = deque()
    try:
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > AHEAD * count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
