"""The pictures of a collection with their classes, as a benchmark reads them: each once, as far as memory allows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import IntArray
from rankscope.core.errors import InputError, SettingError
from rankscope.core.threads import in_threads, with_threads
from rankscope.core.wording import setting_value
from rankscope.engines.images.image import MAX_PIXELS, Image, PictureFile, Source, as_image
from rankscope.inputs.collections.collection import KEPT, Collection

ROOM = 1 << 30  # bytes of decoded pictures that are kept; the others are decoded again for each descriptor
AT_ONCE = 64
Progress = Callable[[str, float], None]


@dataclass(frozen=True, eq=False)
class PictureSet:
    """Names, classes (empty: none) and files or arrays of pictures.

    `kept_measure` is what the collection is reported with where its rule keeps the query in its own ranking.
    >>> blank = np.zeros((3, 4, 4), dtype=np.uint8)
    >>> pictures = PictureSet.of(Collection("small", ("a", "b", "c"), ("x", "x", ""), images=blank))
    >>> len(pictures), pictures.classes, pictures.queries("all")
    (3, ('x',), array([0, 1]))
    """

    name: str
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    sources: tuple[Path | NDArray[Any], ...]
    kept_measure: str = ""
    notes: tuple[str, ...] = ()
    max_pixels: int = MAX_PIXELS

    @classmethod
    def of(cls, collection: Collection, max_pixels: int = MAX_PIXELS) -> PictureSet:
        """From a collection with classes and pictures; any other is a `SettingError`."""
        if collection.truth or not collection.classes:
            raise SettingError(
                f"{collection.name} has a truth of its own for each query, not classes: use rankscope describe and rank"
            )
        sources = collection.paths if collection.paths is not None else collection.images
        if sources is None:
            raise SettingError(f"{collection.name} has no pictures, only vectors: use rankscope rank")
        own = collection.measures[0] if collection.query_item == KEPT else ""
        ids, labels = collection.ids, collection.labels
        return cls(
            name=collection.name,
            ids=ids,
            labels=labels,
            sources=tuple(sources),
            kept_measure=own,
            notes=collection.notes,
            max_pixels=max_pixels,
        )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, sorted."""
        return tuple(sorted(set(filter(None, self.labels))))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, classes and what tells one state of a file from another: its size and time.

        Another limit on pixels leaves out other pictures, so it counts too.
        """
        result = hashlib.sha256(b"" if self.max_pixels == MAX_PIXELS else f"{self.max_pixels}\0".encode())
        for name, label, source in zip(self.ids, self.labels, self.sources, strict=True):
            result.update(f"{name}\0{label}\0".encode())
            result.update(_state(source))
        return result.hexdigest()

    def take(self, rows: IntArray) -> PictureSet:
        chosen = rows.tolist()
        ids, labels, sources = (tuple(each[row] for row in chosen) for each in (self.ids, self.labels, self.sources))
        return replace(self, ids=ids, labels=labels, sources=sources)

    def picture(self, row: int) -> Image:
        return as_image(self.source(row))

    def source(self, row: int) -> Source:
        """Where a picture comes from, with the limit on its pixels."""
        given = self.sources[row]
        return PictureFile(given, self.max_pixels) if isinstance(given, Path) else given

    def queries(self, wanted: str = "all") -> IntArray:
        """Positions of the pictures to ask: `all` that have a class mate, `every 15` of them, or a file with names."""
        with_mates = self._with_mates()
        words = wanted.replace("=", " ").replace(":", " ").split()
        if words == ["all"]:
            return with_mates
        if len(words) == 2 and words[0] == "every":
            if not words[1].isdecimal() or int(words[1]) < 1:
                asked = setting_value("queries", wanted)
                raise SettingError(f"{asked}: 'every N' needs a whole number of at least 1, got '{words[1]}'")
            return with_mates[:: int(words[1])]
        return self._named(wanted)

    def _with_mates(self) -> IntArray:
        sizes: dict[str, int] = {}
        for label in self.labels:
            sizes[label] = sizes.get(label, 0) + 1
        found = [row for row, label in enumerate(self.labels) if label and sizes[label] > 1]
        if not found:
            raise InputError.of(self.name, ["no class has two readable pictures"], "A query needs something to find.")
        return np.array(found, dtype=np.int64)

    def _named(self, path: str) -> IntArray:
        """Queries that a file names, one per line."""
        if not Path(path).is_file():
            given = setting_value("queries", path)
            raise SettingError(f"{given}: must be all, 'every N' or a file with a name a line; there is no such file")
        place = {name: row for row, name in enumerate(self.ids)}
        names = [line.strip() for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]
        unknown = [f"'{name}' is no picture of {self.name}" for name in names if name not in place]
        if unknown or not names:
            raise InputError.of(path, unknown or ["no name in it"], f"Names are written as '{self.ids[0]}'.")
        rows = np.unique(np.array([place[name] for name in names], dtype=np.int64))
        asked = rows[np.isin(rows, self._with_mates())]
        if asked.size == 0:
            raise InputError.of(path, ["none of these pictures has another of its class to find"])
        return asked


@dataclass(frozen=True, eq=False)
class Opened:
    """The pictures that can be read, decoded where there was room; and by name what is wrong with the others."""

    pictures: PictureSet
    sources: tuple[Source, ...]
    problems: tuple[tuple[str, str], ...]


def open_pictures(
    pictures: PictureSet, *, room: int = ROOM, threads: int | None = None, progress: Progress | None = None
) -> Opened:
    """Decode every picture once. If none can be read, it is an `InputError`."""
    found: list[Source | InputError] = []
    with with_threads(threads):
        for start in range(0, len(pictures), AT_ONCE):
            part = [pictures.source(row) for row in range(start, min(start + AT_ONCE, len(pictures)))]
            for source, result in zip(part, in_threads(_tried, part), strict=True):
                room -= result.rgb.nbytes if isinstance(result, Image) else 0
                found.append(result if isinstance(result, InputError) or room >= 0 else source)
            if progress is not None:
                progress("pictures", len(found) / len(pictures))
    rows = [row for row, each in enumerate(found) if not isinstance(each, InputError)]
    problems = tuple(
        (pictures.ids[row], each.reports[0].problems[0].what)
        for row, each in enumerate(found)
        if isinstance(each, InputError)
    )
    if not rows:
        raise InputError.of(pictures.name, [f"{name} {what}" for name, what in problems], "No picture can be read.")
    kept = pictures.take(np.array(rows, dtype=np.int64))
    return Opened(kept, tuple(each for each in found if not isinstance(each, InputError)), problems)


def _tried(source: Source) -> Image | InputError:
    try:
        return as_image(source)
    except InputError as error:
        return error


def _state(source: Path | NDArray[Any]) -> bytes:
    if not isinstance(source, Path):
        return hashlib.sha256(np.ascontiguousarray(source).tobytes()).digest()
    try:
        facts = source.stat()
    except OSError:
        return b"not there"
    return f"{facts.st_size} {facts.st_mtime_ns}".encode()
