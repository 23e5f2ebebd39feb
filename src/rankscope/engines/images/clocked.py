"""Descriptors with a clock: what one picture costs, once it is decoded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.images.decoding import Source
from rankscope.engines.images.describing import Described, describe
from rankscope.engines.images.descriptors import Descriptor
from rankscope.engines.images.image import Image
from rankscope.engines.images.optional import opencv

Step = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class TimedVectors:
    """The vectors of all pictures, and how much processor time one picture took."""

    described: Described
    milliseconds: float


class _Clocked(Descriptor):
    """A descriptor that notes the processor time of each picture, nothing shared with others."""

    def __init__(self, inner: Descriptor) -> None:
        object.__setattr__(self, "inner", inner)
        object.__setattr__(self, "seconds", [])

    inner: Descriptor
    seconds: list[float]

    def of(self, image: Image) -> NDArray[Any]:
        before = time.thread_time()
        vector = self.inner.of(Image(image.rgb))  # what an earlier descriptor has worked out is worked out again
        self.seconds.append(time.thread_time() - before)
        return vector

    @property
    def size(self) -> int:
        return self.inner.size

    @property
    def distance(self) -> str:
        return self.inner.distance

    @property
    def counts(self) -> bool:
        return self.inner.counts

    @property
    def z(self) -> bool:
        return self.inner.z

    @property
    def z_columns(self) -> slice:
        return self.inner.z_columns


def timed_vectors(
    descriptor: Descriptor, pictures: Sequence[Source], threads: int | None, progress: Step | None
) -> TimedVectors:
    """The vectors of all pictures and the mean processor time of one, decoding not counted."""
    timed = _Clocked(descriptor)
    with _one_thread_inside():
        found = describe(pictures, [timed], threads=threads, progress=progress)
    result = replace(found.described[0], descriptor=descriptor)
    return TimedVectors(result, 1000 * float(np.mean(timed.seconds)))


@contextmanager
def _one_thread_inside() -> Iterator[None]:
    """OpenCV works in the thread that calls it, so that its time is counted."""
    cv2 = opencv()
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)
