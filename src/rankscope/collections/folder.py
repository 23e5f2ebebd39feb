"""A folder of class folders: the collection everybody has."""

from __future__ import annotations

import os
from pathlib import Path

from rankscope.collections.collection import Collection
from rankscope.collections.kind import CollectionKind, NotThereError, pictures
from rankscope.names import visible


def read(folder: Path) -> Collection:
    """Each folder in it is a class, its pictures the members; pictures next to the folders have no class.

    Items are called `class/file`. Every member of a class in turn is the query, removed from its own ranking.
    """
    alone = [(path, "") for path in pictures(folder)]
    inside = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
    closed = [each.name for each in inside if not os.access(each, os.R_OK | os.X_OK)]
    if closed:
        raise NotThereError(f"has folders that cannot be read: {', '.join(closed)}")
    members = [(path, each.name) for each in inside for path in pictures(each)]
    if not members:
        raise NotThereError("has no folder with pictures in it")
    found = [*alone, *members]
    return Collection(
        name=visible(folder.resolve().name),
        ids=tuple(visible(path.relative_to(folder).as_posix()) for path, _ in found),
        labels=tuple(visible(label) for _, label in found),
        paths=tuple(path for path, _ in found),
    )


KIND = CollectionKind(
    name="folder",
    about="any folder of class folders; pictures next to them are distractors",
    read=read,
    layout="It should hold one folder for each class with the pictures of the class in it: CLASS/PICTURE.jpg.",
)
