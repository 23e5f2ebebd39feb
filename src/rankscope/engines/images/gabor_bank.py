"""Waves of several lengths and directions, as filters in the frequency plane."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankscope.arrays import FloatArray

KEPT_SIZES = 4
KEPT_PIXELS = 1 << 18  # filters of larger pictures are made one by one


@dataclass(frozen=True)
class GaborBank:
    """Filters in cycles a pixel, so that portrait and landscape pictures get the same ones.

    They are one-sided: the answer of a real picture is complex and its magnitude smooth. Neighbours touch at half their
    height (Manjunath and Ma 1996).
    """

    scales: int
    orientations: int
    lowest: float
    highest: float

    def magnitudes(self, plane: FloatArray) -> Iterator[FloatArray]:
        """How strongly each filter answers at each pixel, scale by scale from fine to coarse; the borders wrap.

        >>> bank = GaborBank(scales=2, orientations=3, lowest=.05, highest=.4)
        >>> [found.shape for found in bank.magnitudes(np.zeros((4, 5)))] == 6 * [(4, 5)]
        True
        """
        from scipy.fft import fft2, ifft2

        waves = fft2(plane)
        for each in _remembered(self, *plane.shape) if plane.size <= KEPT_PIXELS else self.filters(*plane.shape):
            yield np.abs(ifft2(waves * each))

    def filters(self, height: int, width: int) -> Iterator[FloatArray]:
        """A Gaussian on the frequency plane for each scale and orientation."""
        along, across = self._widths()
        down, right = np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width)[None, :]
        for shrink in self._step ** np.arange(self.scales):
            for turn in np.pi * np.arange(self.orientations) / self.orientations:
                forward = right * np.cos(turn) + down * np.sin(turn) - self.highest / shrink
                sideways = down * np.cos(turn) - right * np.sin(turn)
                exponent = (forward * shrink / along) ** 2 + (sideways * shrink / across) ** 2
                yield np.exp(-0.5 * np.minimum(exponent, 1400.0))  # no underflow

    @property
    def _step(self) -> float:
        return float((self.highest / self.lowest) ** (1 / (self.scales - 1)))

    def _widths(self) -> tuple[float, float]:
        """Deviations along the wave and across it, at the finest scale."""
        step, twice = self._step, 2 * np.log(2)
        along = (step - 1) * self.highest / ((step + 1) * np.sqrt(twice))
        across = np.tan(np.pi / (2 * self.orientations)) * (self.highest - twice * along**2 / self.highest)
        return float(along), float(across / np.sqrt(twice - (twice * along / self.highest) ** 2))


@lru_cache(maxsize=KEPT_SIZES)
def _remembered(bank: GaborBank, height: int, width: int) -> tuple[FloatArray, ...]:
    return tuple(bank.filters(height, width))
