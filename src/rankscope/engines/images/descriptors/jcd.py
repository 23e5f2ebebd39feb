"""JCD: CEDD and FCTH in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.engines.images.companding import levels
from rankscope.engines.images.descriptors.cedd import COLOURS, HIGHEST, cedd_shares
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.descriptors.fcth import fcth_shares
from rankscope.engines.images.image import Image

TEXTURES = 7


@dataclass(frozen=True)
class Jcd(Descriptor):
    """Seven textures of 24 colours, made from the rows of CEDD and FCTH.

    `compact` joins their 3-bit levels, `full` their shares and then takes the roots.
    >>> Jcd().of(Image.of([[128, 128], [128, 128]]))[:3]
    array([0., 7., 0.])
    """

    name: ClassVar[str] = "jcd"
    source: ClassVar[str] = "Chatzichristofis, Boutalis and Lux 2009"
    size: ClassVar[int] = TEXTURES * COLOURS
    distance: ClassVar[str] = "tanimoto"
    choices: ClassVar = {"form": ("compact", "full")}

    form: str = "compact"

    def of(self, image: Image) -> FloatArray:
        """Linear, horizontal, 45 degrees, vertical, 135 degrees, horizontal and vertical, no direction."""
        cedd, fcth = cedd_shares(image), fcth_shares(image)
        if self.form == "full":
            return np.sqrt(_joined(cedd, fcth))
        return _joined(levels(cedd, HIGHEST), levels(fcth, HIGHEST))


def _joined(cedd: NDArray[Any], fcth: NDArray[Any]) -> FloatArray:
    both = fcth[:4] + fcth[4:]  # of low and of high energy
    rows = (
        (both[0] + cedd[0]) / 2,
        (both[1] + cedd[2]) / 2,
        cedd[4],
        (both[2] + cedd[3]) / 2,
        cedd[5],
        both[3],
        cedd[1],
    )
    return np.concatenate(rows).astype(np.float64)
