"""20,000 logos and icons in clusters of very different size; a sample of them ships as `icons`."""

from __future__ import annotations

import csv
from pathlib import Path

from rankscope.collections.collection import Collection
from rankscope.collections.kind import CollectionKind, NotThereError
from rankscope.inputs.arrays_in_files import Archive

NEEDED = ("icons.npz", "items.csv")


def read(folder: Path) -> Collection:
    """Pictures of 32x32 and their clusters; items without a cluster are distractors. Pixels are the features."""
    for file in NEEDED:
        if not (folder / file).is_file():
            raise NotThereError(f"holds no {file}")
    images = Archive.of(folder / NEEDED[0]).array("images")
    with (folder / NEEDED[1]).open(encoding="utf-8", newline="") as lines:
        labels = [row["cluster"] for row in csv.DictReader(lines)]
    if len(labels) != len(images):
        raise NotThereError(f"has {len(images)} pictures in {NEEDED[0]} but {len(labels)} rows in {NEEDED[1]}")
    return Collection(
        name="icons20k",
        ids=tuple(f"{row:05}" for row in range(len(labels))),
        labels=tuple(labels),
        images=images,
        features=images.reshape(len(images), -1),
        notes=("truth by name, not by eye: icons that many sets call the same",),
    )


KIND = CollectionKind(
    name="icons20k",
    about="20000 logos and icons, 1858 clusters of 2 to 308 and 5194 distractors",
    read=read,
    layout="It should hold icons.npz (images, labels) and items.csv (index,cluster,set,icon).",
    source="after Huijsmans and Sebe 2001 (logos)",
)
