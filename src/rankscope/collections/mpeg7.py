"""MPEG-7 CE-Shape-1, part B: 1400 silhouettes, 70 classes of 20, for the bull's-eye test."""

from __future__ import annotations

from pathlib import Path

from rankscope.collections.collection import KEPT, Collection
from rankscope.collections.kind import CollectionKind, NotThereError, first_folder

SHAPES = 1400


def read(folder: Path) -> Collection:
    """Files are called CLASS-NUMBER; the query stays in its ranking and counts, as the bull's-eye test wants it."""
    shapes = [path for path in first_folder([folder / "partB", folder, folder / "original"]) if "-" in path.stem]
    if not shapes:
        raise NotThereError("holds no silhouettes called CLASS-NUMBER")
    return Collection(
        name="mpeg7",
        ids=tuple(path.stem for path in shapes),
        labels=tuple(path.stem.rpartition("-")[0] for path in shapes),
        paths=tuple(shapes),
        query_item=KEPT,
        measures=("Bullseye", "AP", "P@10", "ER", "NMRR"),
        notes=() if len(shapes) == SHAPES else (f"{len(shapes)} of {SHAPES} shapes",),
    )


KIND = CollectionKind(
    name="mpeg7",
    about="1400 silhouettes in 70 classes of 20; bull's-eye: of the 20, how many among the first 40, query included",
    read=read,
    layout="It should hold silhouettes called CLASS-NUMBER.png (or .gif), in itself, in partB or in original.",
    source="Latecki, Lakaemper and Eckhardt 2000 (CE-Shape-1 part B)",
)
