"""Paris: 6412 photos, 55 queries for 11 landmarks, judged as Oxford is."""

from __future__ import annotations

from pathlib import Path

from rankscope.collections.collection import Collection
from rankscope.collections.kind import CollectionKind
from rankscope.collections.landmarks import layout, read_landmarks

PHOTOS = 6412


def read(folder: Path) -> Collection:
    """The truth of the 55 queries, and the photos where they are there."""
    return read_landmarks("paris6k", folder, PHOTOS, "", ("images", "paris", "jpg"))


KIND = CollectionKind(
    name="paris6k",
    about="6412 photos, 55 queries with good, ok and junk pictures; trapezoid AP, junk skipped",
    read=read,
    layout=layout("defense_1", "images or paris, by landmark or not"),
    source="Philbin, Chum, Isard, Sivic and Zisserman 2008",
)
