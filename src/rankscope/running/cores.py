"""Parts worked on by threads with one core each: small matrices suffer when each is given several cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TypeVar

from rankscope.running.threads import in_threads, with_threads

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def one_core_each() -> Iterator[None]:
    """Matrix products and solutions use one core inside the block, where threadpoolctl (of scikit-learn) is there.

    Only libraries that are loaded can be told so: numpy's, and scipy's, which is loaded for it.
    """
    try:
        limits = import_module("threadpoolctl").threadpool_limits
        import_module("scipy.linalg")
    except ImportError:
        yield
        return
    with limits(limits=1):
        yield


def in_threads_of_one_core(work: Callable[[T], R], parts: Sequence[T], threads: int | None = None) -> list[R]:
    """The result of each part, in order; as many threads as cores unless told. How many changes no result.

    >>> in_threads_of_one_core(abs, [-1, 2])
    [1, 2]
    """

    def alone(part: T) -> R:
        with with_threads(1):
            return work(part)

    count = min(threads or os.cpu_count() or 1, len(parts))
    with one_core_each():
        if count < 2:
            return [work(part) for part in parts]
        with with_threads(count):
            return in_threads(alone, parts)
