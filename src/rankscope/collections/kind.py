"""A kind of collection: its name, how it is read, and which files it needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rankscope.collections.collection import Collection
from rankscope.errors import InputError, SettingError
from rankscope.names import visible

PICTURES = (".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")


@dataclass(frozen=True)
class CollectionKind:
    """One named collection. `layout` says what its folder must hold; without one it needs no folder."""

    name: str
    about: str
    read: Callable[[Path], Collection]
    layout: str = ""
    source: str = ""

    def load(self, folder: str | Path | None = None) -> Collection:
        """The collection in a folder; nothing is fetched from anywhere.

        Files that are not there are an `InputError` that says what the folder should hold.
        """
        if not self.layout:
            return self.read(Path())
        if folder is None:
            raise SettingError(f"{self.name} does not come with rankscope: name the folder it lies in. {self.layout}")
        path = Path(folder)
        if not path.is_dir():
            raise InputError.of(self.name, [f"no folder {path}"], self.layout)
        try:
            return self.read(path)
        except NotThereError as missing:
            raise InputError.of(self.name, [f"{path} {missing}"], self.layout) from None
        except OSError as error:
            what = f"{visible(str(error.filename or path))} cannot be read: {error.strerror}"
            raise InputError.of(self.name, [what], self.layout) from None


class NotThereError(Exception):
    """Something a collection needs is not in its folder; `CollectionKind.load` makes an `InputError` of it."""


def pictures(folder: Path) -> list[Path]:
    """The pictures in a folder, sorted by name; hidden files are none."""
    if not folder.is_dir():
        return []
    found = (path for path in folder.iterdir() if path.suffix.lower() in PICTURES and not path.name.startswith("."))
    return sorted((path for path in found if path.is_file()), key=lambda path: os.fsencode(path.name))


def first_folder(candidates: Iterable[Path]) -> list[Path]:
    """The pictures of the first of several folders that has any."""
    return next(filter(None, map(pictures, candidates)), [])
