"""The pictures in a folder, and the class of each: by sub-folder, or by a table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from rankscope.collections.kind import PICTURES
from rankscope.errors import InputError, SettingError
from rankscope.inputs import tables
from rankscope.inputs.checks import Problems
from rankscope.inputs.formats.delimited import read_table
from rankscope.inputs.series_ids import text_ids
from rankscope.inputs.sources import Source
from rankscope.names import name_of, visible
from rankscope.number_texts import how_many

FOLDERS = "folders"
FILE = ("file", "filename", "file_name", "path", "image", "picture", "name", "id", "item")
LABEL = ("class", "label", "category", "group", "cluster")


@dataclass(frozen=True)
class LabelledPicture:
    """A file, its path below the folder, which is its name, and its class (empty: none)."""

    path: Path
    id: str
    label: str = ""


def pictures_in(folder: str | Path, labels: str | Path | None = None) -> tuple[list[LabelledPicture], list[str]]:
    """All pictures in a folder and below, in byte order of their paths, and warnings about the labels.

    Labels are `folders` (the default): the sub-folder a picture lies in, the first one if there are several; or a CSV
    file with a file and a class column. A file is known by its path below the folder, its name, or its name without
    suffix. Hidden files and other suffixes are left alone; a folder that cannot be read is a warning.
    """
    root = Path(folder)
    if not root.is_dir():
        raise SettingError(f"no folder {root}: name the folder that holds the pictures")
    unreadable: list[str] = []
    found = sorted(
        _walked(root, unreadable), key=lambda picture: os.fsencode(picture.path.relative_to(root).as_posix())
    )
    if not found:
        usual = ", ".join(PICTURES)
        raise InputError.of(
            visible(str(root)),
            ["no pictures in this folder or below", *unreadable],
            f"A picture ends in one of {usual}.",
        )
    if labels is None or str(labels) == FOLDERS:
        return found, unreadable
    labelled, warnings = _labelled(found, label_table(labels), name_of(labels))
    return labelled, [*unreadable, *warnings]


def _walked(root: Path, unreadable: list[str]) -> Iterable[LabelledPicture]:
    """The pictures; a folder that cannot be looked into is named."""

    def note(error: OSError) -> None:
        unreadable.append(f"folder {visible(str(error.filename))} is left out: {error.strerror}")

    for folder, below, files in os.walk(root, onerror=note):
        below[:] = [name for name in below if not name.startswith(".")]
        for name in files:
            path = Path(folder, name)
            if path.suffix.lower() in PICTURES and not name.startswith("."):
                inside = path.relative_to(root)
                label = visible(inside.parts[0]) if len(inside.parts) > 1 else ""
                yield LabelledPicture(path, visible(inside.as_posix()), label)


def label_table(path: str | Path) -> dict[str, str]:
    """The class of each file, from a CSV file; a file with two classes is an `InputError`."""
    problems = Problems(name_of(path))
    table = read_table(Source(str(path)), problems, expected="file,class")
    columns = tables.columns_of(table.frame, {"file": FILE, "class": LABEL}, problems, {})
    problems.raise_if_any()
    found: dict[str, str] = {}
    names, labels = (text_ids(columns.get_column(each)).fill_null("").to_list() for each in ("file", "class"))
    for line, name, label in zip(table.line.tolist(), names, labels, strict=True):
        name = str(PurePosixPath(name.replace("\\", "/")))
        if found.setdefault(name, label) != label:
            problems.add(f"{table.word} {line}", f"{name} is of class {label} here and of {found[name]} before")
    problems.raise_if_any()
    return found


def _labelled(
    found: Sequence[LabelledPicture], classes: dict[str, str], table: str
) -> tuple[list[LabelledPicture], list[str]]:
    keys = [_key(picture, classes) for picture in found]
    if not any(keys):
        raise InputError.of(table, ["none of its files is in the folder"], "Columns are read as file and class.")
    labelled = [replace(each, label=classes[key] if key else "") for each, key in zip(found, keys, strict=True)]
    without, unused = keys.count(None), len(classes) - len(set(filter(None, keys)))
    warnings = [f"{without} pictures are not in {table}: they have no class"] if without else []
    warnings += [f"{how_many(unused, 'row', 'rows')} of {table} without a picture in the folder"] if unused else []
    return labelled, warnings


def _key(picture: LabelledPicture, classes: dict[str, str]) -> str | None:
    path = PurePosixPath(picture.id)
    candidates = (str(path), str(path.with_suffix("")), path.name, path.stem)
    return next((each for each in candidates if each in classes), None)
