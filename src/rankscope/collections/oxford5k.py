"""Oxford Buildings: 5062 photos, 55 queries for 11 landmarks."""

from __future__ import annotations

from pathlib import Path

from rankscope.collections.collection import Collection
from rankscope.collections.kind import CollectionKind
from rankscope.collections.landmarks import layout, read_landmarks

PHOTOS = 5062


def read(folder: Path) -> Collection:
    """The truth of the 55 queries, and the photos where they are there."""
    return read_landmarks("oxford5k", folder, PHOTOS, "oxc1_", ("images", "oxbuild_images", "jpg"))


KIND = CollectionKind(
    name="oxford5k",
    about="5062 photos, 55 queries with good, ok and junk pictures; trapezoid AP, junk skipped",
    read=read,
    layout=layout("all_souls_1", "images or oxbuild_images"),
    source="Philbin, Chum, Isard, Sivic and Zisserman 2007",
)
