"""Many pictures described at once, each decoded once, and the file of features that is made of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import InputError, Problem, SettingError
from rankscope.core.files import atomic
from rankscope.core.threads import stream_in_threads
from rankscope.core.validation import COUNT, Optional, check
from rankscope.engines.images.descriptors import Descriptor, Vector
from rankscope.engines.images.image import MAX_PIXELS, Image, PictureFile, Source, as_image, shrunk
from rankscope.version import __version__

Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Described:
    """The vectors of one descriptor, to be compared by `metric`.

    Where the descriptor asks for it, columns are scaled to mean 0 and deviation 1 over these pictures; `mean` and `sd`
    belong to the vectors, so that a later query is scaled the same way.
    """

    descriptor: Descriptor
    raw: NDArray[Any]
    mean: FloatArray | None = None
    sd: FloatArray | None = None
    shares: bool = False  # counts divided by the number of pixels

    @property
    def metric(self) -> str:
        """The distance that goes with the descriptor."""
        return self.descriptor.distance

    @property
    def features(self) -> NDArray[Any]:
        """One row for each picture, scaled where it has to be."""
        return self._scaled(self.raw)

    def like(self, image: Image) -> NDArray[Any]:
        """The vector of one more picture, comparable with `features`."""
        vector = self.descriptor.of(image)
        return self._scaled(_stored_values(vector / image.pixels if self.shares else vector))

    def _scaled(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self.mean is None or self.sd is None else _stored_values((values - self.mean) / self.sd)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One entry for each descriptor; which pictures could be read, by position; and what is wrong with the others."""

    described: tuple[Described, ...]
    kept: IntArray
    problems: tuple[Problem, ...]


def describe(
    pictures: Sequence[Source],
    descriptors: Sequence[Descriptor],
    *,
    size: int | None = None,
    max_pixels: int = MAX_PIXELS,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """The vectors of all pictures: files, decoded pictures or arrays of bytes.

    A file that holds no readable picture, or one of more than `max_pixels`, is left out and named in `problems`; if
    there is no other, it is an `InputError`. Pictures whose longer side exceeds `size` are shrunk to it. The number of
    threads changes nothing but the time; `progress` is called with the number of pictures done and of all.
    >>> from rankscope.engines.images.descriptors import DESCRIPTORS
    >>> blank = np.zeros((4, 4), dtype=np.uint8)
    >>> describe([blank, blank + 255], [DESCRIPTORS.parse("rgb-histogram(bins=1)")]).described[0].features
    array([[16],
           [16]], dtype=int32)
    """
    if not descriptors:
        raise SettingError("no descriptor was asked for")
    plain = check(locals(), size=Optional(COUNT), max_pixels=COUNT, threads=Optional(COUNT))
    size, max_pixels, threads = plain.values()
    done: list[tuple[int, list[Vector]] | Problem] = []
    limited = [PictureFile(Path(each), max_pixels) if isinstance(each, str | Path) else each for each in pictures]

    def one(picture: Source) -> tuple[int, list[Vector]] | Problem:
        """How many pixels a picture has, and its vectors."""
        try:
            image = shrink_to(as_image(picture), size)
        except InputError as error:
            return Problem(error.reports[0].source, error.reports[0].problems[0].what)
        return image.pixels, [descriptor.of(image) for descriptor in descriptors]

    for each in stream_in_threads(one, limited, threads):
        done.append(each)
        if progress is not None:
            progress(len(done), len(pictures))
    problems = tuple(each for each in done if isinstance(each, Problem))
    good = [each for each in done if not isinstance(each, Problem)]
    if not good:
        raise InputError.of("pictures", problems or ["there are none"], total=len(problems))
    kept = np.array([row for row, each in enumerate(done) if not isinstance(each, Problem)], dtype=np.int64)
    pixels = np.array([count for count, _ in good], dtype=np.int64)
    results = [
        _assembled(descriptor, np.stack([vectors[column] for _, vectors in good]), pixels)
        for column, descriptor in enumerate(descriptors)
    ]
    return Outcome(tuple(results), kept, problems)


def shrink_to(image: Image, size: int | None) -> Image:
    """A picture whose longer side is at most `size`; None: as it is."""
    longer = max(image.height, image.width)
    if size is None or longer <= size:
        return image
    height, width = (max(1, round(side * size / longer)) for side in (image.height, image.width))
    return Image(np.rint(shrunk(image.rgb, height, width)).astype(np.uint8))


def _assembled(descriptor: Descriptor, matrix: NDArray[Any], pixels: IntArray) -> Described:
    shares = descriptor.counts and bool((pixels != pixels[0]).any())
    raw = _stored_values(matrix / pixels[:, None] if shares else matrix)
    if not descriptor.z:
        return Described(descriptor, raw, shares=shares)
    mean, sd = np.zeros(raw.shape[1]), np.ones(raw.shape[1])
    columns = descriptor.z_columns
    mean[columns] = raw[:, columns].mean(axis=0, dtype=np.float64)
    spread = raw[:, columns].std(axis=0, dtype=np.float64)
    sd[columns] = np.where(spread > 0, spread, 1.0)
    return Described(descriptor=descriptor, raw=raw, mean=mean, sd=sd, shares=shares)


def _stored_values(values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers stay whole; the rest in single precision, which is more than the pixels hold."""
    return values.astype(np.int32 if values.dtype.kind in "iu" else np.float32)


PACKAGES = ("numpy", "scipy", "pillow", "opencv-python-headless", "scikit-image")


def save_features(
    described: Described,
    path: str | Path,
    ids: Sequence[str],
    labels: Sequence[str],
    settings: dict[str, Any] | None = None,
) -> None:
    """One .npz file: features (items x values), ids, labels, descriptor, metric.

    Where features are scaled over the collection, mean and sd say how, for later queries. The file appears whole or not
    at all, and equal inputs give equal bytes. `about` is JSON: the settings, whether counts were divided by the number
    of pixels, the versions of the packages that made the numbers.
    """
    about = {
        "format": "rankscope.features",
        "version": 1,
        "settings": settings or {},
        "shares": described.shares,
        "scaled_over": len(ids) if described.mean is not None else None,
        "versions": package_versions(),
    }
    arrays: dict[str, Any] = {
        "features": described.features,
        "labels": np.array(labels, dtype=np.str_),
        "ids": np.array(ids, dtype=np.str_),
        "descriptor": np.array(str(described.descriptor)),
        "metric": np.array(described.metric),
        "about": np.array(json.dumps(about, sort_keys=True)),
    }
    if described.mean is not None and described.sd is not None:
        arrays |= {"mean": described.mean, "sd": described.sd}
    with atomic(path, "wb") as file:
        np.savez(file, **arrays)


def package_versions() -> dict[str, str]:
    """The versions of all that makes the numbers."""
    found = {"rankscope": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
