"""Packages of the extras, imported when they are needed, with a clear word when they are absent."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rankscope.errors import MissingExtra

PACKAGES: dict[str, tuple[str, str]] = {  # modules that work may need together: what pip calls them, and their extra
    "starlette": ("starlette", "web"),
    "uvicorn": ("uvicorn", "web"),
    "python_multipart": ("python-multipart", "web"),
    "PIL": ("pillow", "images"),
    "cv2": ("opencv-python-headless", "images"),
    "onnxruntime": ("onnxruntime", "onnx"),
    "torch": ("torch", "gpu"),
    "sklearn": ("scikit-learn", "feedback"),
    "psycopg": ("psycopg", "team"),
}
WEB = ("starlette", "uvicorn", "python_multipart")


def need_extras(*modules: str) -> None:
    """Nothing where all these modules are installed; else one `MissingExtra` that names everything to install."""
    absent = [PACKAGES[each] for each in dict.fromkeys(modules) if not _is_installed(each)]
    if absent:
        extras = dict.fromkeys(extra for _, extra in absent)
        raise MissingExtra(", ".join(package for package, _ in absent), ",".join(extras))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # it is loaded, by something that gave it no origin
        return True


def import_extra(module: str, package: str, extra: str) -> Any:
    """A module, or `MissingExtra` naming what to install.

    >>> import_extra("no_such_module", "a-package", "images")
    Traceback (most recent call last):
    rankscope.errors.MissingExtra: a-package is not installed. Install it with: pip install 'rankscope[images]'
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(package, extra) from None
