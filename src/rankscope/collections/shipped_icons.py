"""The icons inside the package, in the form all named collections have."""

from __future__ import annotations

from pathlib import Path

from rankscope.collections.collection import Collection
from rankscope.collections.icon_sample import icons
from rankscope.collections.kind import CollectionKind


def read(_: Path) -> Collection:
    """Pictures of 32x32 with the icon's name as its id; pixels are the features."""
    sample = icons()
    return Collection(
        name=sample.name,
        ids=sample.items,
        labels=sample.class_of_item,
        images=sample.images,
        features=sample.images.reshape(len(sample), -1),
        notes=("truth by name, not by eye: icons that many sets call the same",),
    )


KIND = CollectionKind(
    name="icons",
    about="5346 logos and icons, 494 classes of 2 to 264 and 1367 distractors; ships with rankscope",
    read=read,
    source="after Huijsmans and Sebe 2001 (logos)",
)
