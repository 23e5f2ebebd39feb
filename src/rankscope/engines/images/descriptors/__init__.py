"""Image descriptors, one file each; `ALL` in the order people read them. Each is loaded when it is named.

A descriptor is written as its name with options in brackets: `rgb-histogram`, `colour-moments(space=hsv,grid=3)`.
>>> DESCRIPTORS.parse("RGB_histogram(4)")
RgbHistogram(bins=4)
"""

from __future__ import annotations

from typing import Any

from rankscope.catalogue import Later, later, load_attribute
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.notation import NamedCatalogue

ALL: dict[str, Later] = later(  # a new descriptor adds its line here
    "rankscope.engines.images.descriptors",
    {
        "rgb-histogram": "rgb_histogram:RgbHistogram",
        "hsv-histogram": "hsv_histogram:HsvHistogram",
        "opponent-histogram": "opponent_histogram:OpponentHistogram",
        "colour-moments": "colour_moments:ColourMoments",
        "colour-layout": "colour_layout:ColourLayout",
        "scalable-colour": "scalable_colour:ScalableColour",
        "auto-correlogram": "auto_correlogram:AutoCorrelogram",
        "cedd": "cedd:Cedd",
        "fcth": "fcth:Fcth",
        "jcd": "jcd:Jcd",
        "edge-histogram": "edge_histogram:EdgeHistogram",
        "tamura": "tamura:Tamura",
        "gabor": "gabor:Gabor",
        "lbp": "lbp:Lbp",
        "hog": "hog:Hog",
        "gist": "gist:Gist",
        "thumbnail": "thumbnail:Thumbnail",
        "fourier-centroid": "fourier:FourierCentroid",
        "fourier-complex": "fourier:FourierComplex",
        "zernike": "zernike:Zernike",
        "angular-radial": "angular_radial:AngularRadial",
        "silhouette": "silhouette:Silhouette",
        "height-spectrum": "height_spectrum:HeightSpectrum",
    },
)
GROUP = "rankscope.descriptors"  # entry points of other packages
EXAMPLE = "rgb-histogram(bins=4)"
DESCRIPTORS: NamedCatalogue[Descriptor] = NamedCatalogue("descriptor", ALL, EXAMPLE, GROUP)


def __getattr__(name: str) -> Any:
    """The class of a descriptor by its name."""
    return load_attribute(ALL, name)


__all__ = ["ALL", "DESCRIPTORS", "EXAMPLE", "GROUP", "Descriptor"]
