"""From a name or a folder to the collection that is meant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankscope.catalogue import fold
from rankscope.collections import COLLECTIONS
from rankscope.collections.collection import Collection
from rankscope.collections.kind import CollectionKind
from rankscope.errors import InputError, SettingError
from rankscope.extras import need_extras
from rankscope.wording import setting_usage

VARIABLE = "RANKSCOPE_DATA"
FOLDER = "folder"


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
    if name in known and name != FOLDER:
        return _named(COLLECTIONS.find(name), data)
    path = Path(name)
    if name == FOLDER and not path.is_dir():
        path = Path(data) if data is not None else path
    if not path.is_dir():
        if path.parent == Path():
            return _named(COLLECTIONS.find(name), data)  # no folder, so it should be a name, spelled as it may be
        raise SettingError(f"no folder {name}: name a folder of class folders, or a collection ({', '.join(known)})")
    own = next((each for each in known if _called(path.resolve().name, each)), FOLDER)
    return _at_least_two(COLLECTIONS.find(own).load(path))


def _named(kind: CollectionKind, data: str | Path | None) -> Collection:
    if not kind.layout:
        return kind.load(None)
    root = data or os.environ.get(VARIABLE) or (Path() if Path(kind.name).is_dir() else None)
    if root is None:
        raise SettingError(
            f"{kind.name} does not come with rankscope: give {setting_usage('data', 'FOLDER')} or set {VARIABLE}. "
            f"{kind.layout}"
        )
    if not Path(root).is_dir():
        given = setting_usage("data")
        raise SettingError(f"no folder {root}: {given} (or {VARIABLE}) names the folder that holds {kind.name}")
    problem: InputError | None = None
    for place in _places(Path(root), kind.name):
        try:
            return _at_least_two(kind.load(place))
        except InputError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def _places(root: Path, name: str) -> Iterator[Path]:
    below = sorted(each for each in root.iterdir() if each.is_dir() and _called(each.name, name))
    yield from below
    if not below:
        yield root


def _called(folder: str, name: str) -> bool:
    return folder == name or folder.startswith((f"{name}-", f"{name}_"))


def _at_least_two(collection: Collection) -> Collection:
    if collection.labels and len(collection.classes) < 2:
        layout = COLLECTIONS.find(FOLDER).layout
        only = f"one class only ({collection.classes[0]})" if collection.classes else "no classes"
        raise InputError.of(collection.name, [f"{only}: everything would be relevant to everything"], layout)
    return collection
