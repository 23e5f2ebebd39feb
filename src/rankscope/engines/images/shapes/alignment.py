"""At which turn two outlines go together best, for all pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Alignment:
    """For each query and item: how far the item is turned, whether the query is mirrored, and how well they agree."""

    shift: IntArray
    mirrored: BoolArray
    product: FloatArray


@dataclass(frozen=True, eq=False)
class Spectra:
    """Values along many outlines (shapes, points, runs), and the same of their mirror images, by frequency."""

    points: int
    plain: NDArray[np.complex128]  # (frequencies, shapes, runs)
    mirrored: NDArray[np.complex128]

    @classmethod
    def of(cls, plain: FloatArray, mirrored: FloatArray) -> Spectra:
        """The spectra along the outlines."""
        both = [np.ascontiguousarray(np.fft.rfft(each, axis=1).transpose(1, 0, 2)) for each in (plain, mirrored)]
        return cls(plain.shape[1], both[0], both[1])

    def aligned(self, queries: IntArray) -> Alignment:
        """The cyclic shift of every item, and the choice between query and mirrored query, of the largest product.

        The product of query q and item j at shift s is the sum over points i and runs of q(i) j(i + s). Of equal
        products the smallest shift counts, and the query as it is.
        >>> rng = np.random.default_rng(0)
        >>> shapes = rng.standard_normal((1, 8, 3))
        >>> both = np.concatenate([shapes, np.roll(shapes, 3, axis=1)])
        >>> Spectra.of(both, both).aligned(np.array([0])).shift
        array([[0, 3]])
        """
        others = self.plain.transpose(0, 2, 1)
        found = [self._best(spectra[:, queries].conj() @ others) for spectra in (self.plain, self.mirrored)]
        (shift, product), (turned_shift, turned_product) = found
        turned = turned_product > product
        return Alignment(np.where(turned, turned_shift, shift), turned, np.where(turned, turned_product, product))

    def _best(self, products: NDArray[np.complex128]) -> tuple[IntArray, FloatArray]:
        every = np.fft.irfft(products, n=self.points, axis=0)
        shift = every.argmax(axis=0)
        return shift, np.take_along_axis(every, shift[None], axis=0)[0]
