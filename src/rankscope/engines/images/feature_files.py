"""Described pictures in a file: what `rankscope rank` reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.engines.images.describing import Described
from rankscope.files import atomic
from rankscope.version import __version__

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
        "versions": {"rankscope": __version__, **_versions()},
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


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
