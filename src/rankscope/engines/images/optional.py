"""Packages of the `images` and `onnx` extras, imported when they are needed, with a clear word when they are absent."""

from __future__ import annotations

import importlib
from typing import Any

from rankscope.errors import MissingExtra


def import_extra(module: str, package: str, extra: str) -> Any:
    """A module, or `MissingExtra` naming what to install.

    >>> import_extra("no_such_module", "a-package", "images")
    Traceback (most recent call last):
    rankscope.errors.MissingExtra: a-package is not installed. Install it with: pip install 'rankscope[images]'
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra(package, extra) from None


def opencv() -> Any:
    """OpenCV."""
    return import_extra("cv2", "opencv-python-headless", "images")


def pillow(part: str) -> Any:
    """A part of Pillow: `Image`, `ImageOps`."""
    return import_extra(f"PIL.{part}", "pillow", "images")


def scikit_image(part: str) -> Any:
    """A part of scikit-image: `feature`."""
    return import_extra(f"skimage.{part}", "scikit-image", "images")
