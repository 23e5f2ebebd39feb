"""Packages of the extras, imported when they are needed, with a clear word when they are absent."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rankscope.errors import MissingExtra


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
