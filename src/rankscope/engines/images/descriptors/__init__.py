"""Image descriptors, one file each; `ALL` in the order people read them.

A descriptor is written as its name with options in brackets: `rgb-histogram`, `colour-moments(space=hsv,grid=3)`.
"""

from __future__ import annotations

from rankscope.engines.images.descriptors.angular_radial import AngularRadial
from rankscope.engines.images.descriptors.auto_correlogram import AutoCorrelogram
from rankscope.engines.images.descriptors.cedd import Cedd
from rankscope.engines.images.descriptors.colour_layout import ColourLayout
from rankscope.engines.images.descriptors.colour_moments import ColourMoments
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.descriptors.edge_histogram import EdgeHistogram
from rankscope.engines.images.descriptors.fcth import Fcth
from rankscope.engines.images.descriptors.fourier import FourierCentroid, FourierComplex
from rankscope.engines.images.descriptors.gabor import Gabor
from rankscope.engines.images.descriptors.gist import Gist
from rankscope.engines.images.descriptors.height_spectrum import HeightSpectrum
from rankscope.engines.images.descriptors.hog import Hog
from rankscope.engines.images.descriptors.hsv_histogram import HsvHistogram
from rankscope.engines.images.descriptors.jcd import Jcd
from rankscope.engines.images.descriptors.lbp import Lbp
from rankscope.engines.images.descriptors.notation import read, split
from rankscope.engines.images.descriptors.opponent_histogram import OpponentHistogram
from rankscope.engines.images.descriptors.rgb_histogram import RgbHistogram
from rankscope.engines.images.descriptors.scalable_colour import ScalableColour
from rankscope.engines.images.descriptors.silhouette import Silhouette
from rankscope.engines.images.descriptors.tamura import Tamura
from rankscope.engines.images.descriptors.thumbnail import Thumbnail
from rankscope.engines.images.descriptors.zernike import Zernike

ALL: tuple[type[Descriptor], ...] = (  # a new descriptor adds its import and its name here
    RgbHistogram,
    HsvHistogram,
    OpponentHistogram,
    ColourMoments,
    ColourLayout,
    ScalableColour,
    AutoCorrelogram,
    Cedd,
    Fcth,
    Jcd,
    EdgeHistogram,
    Tamura,
    Gabor,
    Lbp,
    Hog,
    Gist,
    Thumbnail,
    FourierCentroid,
    FourierComplex,
    Zernike,
    AngularRadial,
    Silhouette,
    HeightSpectrum,
)


def by_name(text: str) -> Descriptor:
    """A descriptor as people write it.

    An unknown name or option is a `SettingError` that lists those there are.
    >>> by_name("rgb-histogram(bins=4)")
    RgbHistogram(bins=4)
    """
    return read(text, ALL)


def by_names(text: str) -> list[Descriptor]:
    """Several, separated by commas; each once.

    >>> [str(each) for each in by_names("rgb-histogram(bins=4), rgb-histogram")]
    ['rgb-histogram(bins=4)', 'rgb-histogram']
    """
    return list(dict.fromkeys(by_name(each) for each in split(text)))


__all__ = ["ALL", "Descriptor", "by_name", "by_names"]
