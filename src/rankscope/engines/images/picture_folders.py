"""The pictures in a folder and the class of each; the collection that a name or a folder means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from rankscope.core.caching import need_extras
from rankscope.core.catalogue import fold
from rankscope.core.errors import InputError, SettingError
from rankscope.core.names import name_of, visible
from rankscope.core.wording import how_many, setting_usage
from rankscope.inputs import tables
from rankscope.inputs.collections.collection import COLLECTIONS, PICTURES, Collection, CollectionKind
from rankscope.inputs.formats.delimited import read_delimited_table
from rankscope.inputs.problems import Problems
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import text_ids

FOLDERS = "folders"
FILE_COLUMNS = ("file", "filename", "file_name", "path", "image", "picture", "name", "id", "item")
LABEL_COLUMNS = ("class", "label", "category", "group", "cluster")


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
    table = read_delimited_table(Source(str(path)), problems, expected="file,class")
    columns = tables.columns_of(table.frame, {"file": FILE_COLUMNS, "class": LABEL_COLUMNS}, problems, {})
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


# From a name or a folder to the collection that is meant.

DATA_VARIABLE = "RANKSCOPE_DATA"
FOLDER_COLLECTION = "folder"


def need_packages(name: str, modules: Iterable[str] = ()) -> None:
    """Say at once all that is to be installed before descriptors can be compared on a collection.

    `modules` are those that the descriptors need in addition to what reads pictures.
    """
    need_extras("PIL", "cv2", *modules, *(["sklearn"] if fold(name) == "digits" else []))


def found_collection(name: str, data: str | Path | None = None) -> Collection:
    """A collection by its name, or any folder of class folders.

    A named one is looked for in the folder `data`, else in the one that RANKSCOPE_DATA names, else here: below it under
    its name (`mpeg7`, `mpeg7-shapes`), or in itself. A folder called as a collection is read as that collection.
    Where nothing fits, an `InputError` says what the folder should hold.
    """
    known = COLLECTIONS.own_names()
    if name in known and name != FOLDER_COLLECTION:
        return _named_collection(COLLECTIONS.find(name), data)
    path = Path(name)
    if name == FOLDER_COLLECTION and not path.is_dir():
        path = Path(data) if data is not None else path
    if not path.is_dir():
        if path.parent == Path():  # no folder, so it should be a name, spelled as it may be
            return _named_collection(COLLECTIONS.find(name), data)
        raise SettingError(f"no folder {name}: name a folder of class folders, or a collection ({', '.join(known)})")
    own = next((each for each in known if _called(path.resolve().name, each)), FOLDER_COLLECTION)
    return _at_least_two(COLLECTIONS.find(own).load(path))


def _named_collection(kind: CollectionKind, data: str | Path | None) -> Collection:
    if not kind.layout:
        return kind.load(None)
    root = data or os.environ.get(DATA_VARIABLE) or (Path() if Path(kind.name).is_dir() else None)
    if root is None:
        raise SettingError(
            f"{kind.name} does not come with rankscope: give {setting_usage('data', 'FOLDER')} or set {DATA_VARIABLE}. "
            f"{kind.layout}"
        )
    if not Path(root).is_dir():
        given = setting_usage("data")
        raise SettingError(f"no folder {root}: {given} (or {DATA_VARIABLE}) names the folder that holds {kind.name}")
    problem: InputError | None = None
    below = sorted(each for each in Path(root).iterdir() if each.is_dir() and _called(each.name, kind.name))
    for place in below or [Path(root)]:
        try:
            return _at_least_two(kind.load(place))
        except InputError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def _called(folder: str, name: str) -> bool:
    return folder == name or folder.startswith((f"{name}-", f"{name}_"))


def _at_least_two(collection: Collection) -> Collection:
    if collection.labels and len(collection.classes) < 2:
        layout = COLLECTIONS.find(FOLDER_COLLECTION).layout
        only = f"one class only ({collection.classes[0]})" if collection.classes else "no classes"
        raise InputError.of(collection.name, [f"{only}: everything would be relevant to everything"], layout)
    return collection
