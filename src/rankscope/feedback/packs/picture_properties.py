"""What can be said of a picture by a stated rule, so that topics can be composed of more than class labels.

Every value lies from 0 to 1, and whoever looks decides from which value on a picture has the property: assessors of a
pack differ in that. Colours are shares of pixels (every fourth of every fourth row) by hue in degrees, of those with a
saturation of at least .4 and a value of at least .25.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.catalogue import unknown_name
from rankscope.engines.images.image import Image
from rankscope.errors import SettingError

STEP = 4  # of pixels and rows; pictures of less than 64 pixels are looked at whole
SMALL = 64
SATURATED, LIT, DARK, BRIGHT = 0.4, 0.25, 0.25, 0.8
HUES = {"red": (340.0, 20.0), "yellow": (40.0, 70.0), "green": (70.0, 170.0), "blue": (180.0, 260.0)}


def hue_saturation_value(rgb: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Hue in degrees, saturation and value of pixels from 0 to 1 (Smith 1978); hue 0 where there is no colour.

    >>> [each.tolist() for each in hue_saturation_value(np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]))]
    [[180.0, 0.0], [1.0, 1.0], [0.5, 1.0]]
    """
    value = rgb.max(axis=-1)
    spread = value - rgb.min(axis=-1)
    safe = np.where(spread > 0, spread, 1.0)
    red, green, blue = np.moveaxis(rgb, -1, 0)
    sixth = np.where(
        value == red,
        ((green - blue) / safe) % 6,
        np.where(value == green, (blue - red) / safe + 2, (red - green) / safe + 4),
    )
    return sixth * 60.0, np.where(value > 0, spread / np.where(value > 0, value, 1.0), 0.0), value


def _colour_shares(image: Image) -> dict[str, float]:
    step = STEP if min(image.rgb.shape[:2]) >= SMALL else 1
    hue, saturation, value = hue_saturation_value(image.rgb[::step, ::step].astype(np.float64) / 255)
    coloured = (saturation >= SATURATED) & (value >= LIT)
    shares = {name: float((coloured & _within(hue, *ends)).mean()) for name, ends in HUES.items()}
    return shares | {"dark": float((value < DARK).mean()), "bright": float((value > BRIGHT).mean())}


def _within(hue: FloatArray, low: float, high: float) -> BoolArray:
    """Hues from low up to high, round the circle where high is the smaller."""
    return (hue >= low) & (hue < high) if low < high else (hue >= low) | (hue < high)


def _form_shares(image: Image) -> dict[str, float]:
    """`heavy`: mean distance from the ground, which is the median; `symmetric`: how alike the two halves are."""
    grey = image.grey.astype(np.float64) / 255
    ink = np.abs(grey - np.median(grey)).sum()
    apart = np.abs(grey - grey[:, ::-1]).sum()
    return {"heavy": float(ink / grey.size), "symmetric": float(1 - apart / (2 * ink)) if ink > 0 else 1.0}


KINDS: Mapping[str, Callable[[Image], dict[str, float]]] = {
    **dict.fromkeys((*HUES, "dark", "bright"), _colour_shares),
    **dict.fromkeys(("heavy", "symmetric"), _form_shares),
}


def property_values(images: Sequence[Callable[[], Image]], names: Sequence[str]) -> dict[str, FloatArray]:
    """The value of each property for each picture, which is read when it is its turn.

    >>> half = np.zeros((2, 2, 3), np.uint8); half[0] = (200, 0, 0)
    >>> property_values([lambda: Image.of(half)], ["red", "dark"])
    {'red': array([0.5]), 'dark': array([0.5])}
    """
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise SettingError.of([unknown_name("property", name, KINDS) for name in unknown])
    makers = list(dict.fromkeys(KINDS[name] for name in names))
    found = []
    for read in images:
        picture = read()
        found.append({name: value for make in makers for name, value in make(picture).items()})
    return {name: np.array([each[name] for each in found]) for name in names}
