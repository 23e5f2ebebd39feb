"""Packages of the `images` and `onnx` extras, imported when they are needed, with a clear word when they are absent."""

from __future__ import annotations

from typing import Any

from rankscope.extras import import_extra


def opencv() -> Any:
    """OpenCV."""
    return import_extra("cv2", "opencv-python-headless", "images")


def pillow(part: str) -> Any:
    """A part of Pillow: `Image`, `ImageOps`."""
    return import_extra(f"PIL.{part}", "pillow", "images")


def scikit_image(part: str) -> Any:
    """A part of scikit-image: `feature`."""
    return import_extra(f"skimage.{part}", "scikit-image", "images")
