"""Named test collections, one file each; `icons` ships inside the package."""

from __future__ import annotations

from collections.abc import Callable

from rankscope.collections.icons import icons
from rankscope.collections.labelled_images import LabelledImages

ALL: tuple[Callable[[], LabelledImages], ...] = (icons,)  # a new collection adds its import and its name here

__all__ = ["ALL", "LabelledImages", "icons"]
