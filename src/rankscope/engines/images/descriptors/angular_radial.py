"""The region descriptor of MPEG-7: angular and radial waves over the unit disc."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image
from rankscope.engines.images.shapes.moments import disc, magnitudes
from rankscope.engines.images.shapes.silhouette import SIDE, on_unit_disc, silhouette

RADIAL, ANGULAR = 3, 12


@dataclass(frozen=True)
class AngularRadial(Descriptor):
    """Magnitudes of the angular radial transform, 3 radial by 12 angular waves, over that of the area."""

    name: ClassVar[str] = "angular-radial"
    source: ClassVar[str] = "MPEG-7 (ISO 15938-3); Bober 2001"
    distance: ClassVar[str] = "l1"
    size: ClassVar[int] = RADIAL * ANGULAR - 1

    def of(self, image: Image) -> FloatArray:
        """35 magnitudes, the radial wave slowest; zeros without an object."""
        return magnitudes(on_unit_disc(silhouette(image.grey)), _basis())[1:]


@cache
def _basis() -> NDArray[Any]:
    """The conjugate waves on the grid, one row each; the first is the area."""
    radius, angle, inside = disc(SIDE)
    waves = [np.ones_like(radius), *(2 * np.cos(np.pi * n * radius) for n in range(1, RADIAL))]
    rows = [wave * np.exp(-1j * m * angle) * inside / (2 * np.pi) for wave in waves for m in range(ANGULAR)]
    return np.stack(rows).reshape(len(rows), -1)
