"""Corel-1k, the test set of SIMPLIcity: 1000 photos, 10 classes of 100."""

from __future__ import annotations

from pathlib import Path

from rankscope.collections import folder as class_folders
from rankscope.collections.collection import Collection
from rankscope.collections.kind import CollectionKind, NotThereError, first_folder
from rankscope.collections.tables import label_table

CLASSES = (  # of the photos 0..99, 100..199, ... in the classic numbering
    "africa",
    "beaches",
    "monuments",
    "buses",
    "dinosaurs",
    "elephants",
    "flowers",
    "horses",
    "mountains",
    "food",
)
PHOTOS = 1000


def read(folder: Path) -> Collection:
    """From a table of labels with a folder of images, from class folders, or from photos called 0.jpg to 999.jpg."""
    found = _with_table(folder) or _numbered(folder) or _in_class_folders(folder)
    if not found:
        raise NotThereError("holds no photos with a class")
    notes = () if len(found) == PHOTOS else (f"{len(found)} of {PHOTOS} photos",)
    return Collection(
        name="corel1k",
        ids=tuple(item for item, _, _ in found),
        labels=tuple(label for _, label, _ in found),
        paths=tuple(path for _, _, path in found),
        notes=notes,
    )


def _with_table(folder: Path) -> list[tuple[str, str, Path]]:
    if not (folder / "labels.csv").is_file():
        return []
    rows = sorted(label_table(folder / "labels.csv"))
    missing = [file for file, _ in rows if not (folder / "images" / file).is_file()]
    if missing:
        raise NotThereError(f"lacks images/{missing[0]}, which labels.csv names ({len(missing)} missing)")
    return [(Path(file).stem, label, folder / "images" / file) for file, label in rows]


def _numbered(folder: Path) -> list[tuple[str, str, Path]]:
    photos = [path for path in first_folder([folder, folder / "images"]) if path.stem.isdecimal()]
    photos = sorted((path for path in photos if int(path.stem) < PHOTOS), key=lambda path: int(path.stem))
    return [(path.stem, CLASSES[int(path.stem) // 100], path) for path in photos]


def _in_class_folders(folder: Path) -> list[tuple[str, str, Path]]:
    whole = class_folders.read(folder)
    return list(zip(whole.ids, whole.labels, whole.paths or (), strict=True))


KIND = CollectionKind(
    name="corel1k",
    about="1000 photos in 10 classes of 100; each is a query, removed from its own ranking",
    read=read,
    layout=(
        "It should hold labels.csv (file,class) with images/FILE, or photos 0.jpg to 999.jpg (hundreds in the order "
        f"{', '.join(CLASSES)}), or a folder for each class."
    ),
    source="Wang, Li and Wiederhold 2001 (SIMPLIcity)",
)
