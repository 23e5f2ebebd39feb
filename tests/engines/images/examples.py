"""Pictures for tests: odd ones, and ordinary ones made from noise."""

from __future__ import annotations

import numpy as np

from rankscope.engines.images.descriptors import DESCRIPTORS, Descriptor
from rankscope.engines.images.image import Image


def plain(height: int, width: int, colour: tuple[int, int, int] = (0, 0, 0)) -> Image:
    return Image.of(np.full((height, width, 3), colour, dtype=np.uint8))


def noise(height: int, width: int, seed: int = 0) -> Image:
    """Smooth patches of colour with grain: something of everything."""
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 256, (height // 8 + 1, width // 8 + 1, 3)).repeat(8, 0).repeat(8, 1)[:height, :width]
    grain = random.integers(-30, 31, (height, width, 3))
    return Image.of(np.clip(coarse + grain, 0, 255).astype(np.uint8))


ODD = {
    "one pixel": plain(1, 1, (200, 30, 40)),
    "2x2": Image.of([[0, 255], [255, 0]]),
    "black": plain(40, 60),
    "white": plain(40, 60, (255, 255, 255)),
    "one colour": plain(33, 47, (10, 200, 90)),
    "3000x20": noise(20, 3000),
    "20x3000": noise(3000, 20),
    "one row": noise(1, 50),
    "7x5": noise(7, 5),
}
VARIANTS = (
    "rgb-histogram(bins=2)",
    "hsv-histogram(hues=18,saturations=3,values=3,greys=4)",
    "opponent-histogram(bins=4)",
    "colour-moments(space=hsv)",
    "colour-moments(space=rgb,grid=3)",
    "colour-layout(luma=15,chroma=6)",
    "scalable-colour(coefficients=64)",
    "auto-correlogram(colours=rgb)",
    "cedd(form=full)",
    "fcth(form=full)",
    "jcd(form=full)",
    "edge-histogram(form=local)",
    "tamura(form=histogram)",
    "gabor(scales=5)",
    "lbp(grid=4)",
    "lbp(patterns=turned)",
    "hog(side=32,cell=8,area=ink)",
    "thumbnail(colour=rgb,side=8)",
)
EVERY: tuple[Descriptor, ...] = (
    *(DESCRIPTORS.parse(name) for name in DESCRIPTORS.own_names()),
    *(DESCRIPTORS.parse(text) for text in VARIANTS),
)
