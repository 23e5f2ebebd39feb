"""A folder of small generated pictures in classes that colour, or stripes, tell apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image as Pillow

COLOURS = {"blue": (40, 60, 200), "green": (60, 180, 70), "red": (200, 50, 40)}


def written(folder: Path, each: int = 5, side: int = 24) -> Path:
    """Classes of one colour each, with grain, and stripes of a width that changes; one picture has no class."""
    for number, (name, colour) in enumerate(COLOURS.items()):
        for place in range(each):
            _saved(folder / name / f"{place}.png", colour, 100 * number + place, place + 1, side)
    _saved(folder / "alone.png", (128, 128, 128), 999, 3, side)
    return folder


def _saved(path: Path, colour: tuple[int, int, int], seed: int, stripes: int, side: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    picture = np.full((side, side, 3), colour) + random.integers(-60, 61, (side, side, 3))
    picture[:, np.arange(side) // stripes % 2 == 1] //= 2
    Pillow.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).save(path)
