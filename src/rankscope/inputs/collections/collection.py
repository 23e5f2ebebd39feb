"""What every named test collection is to the rest: items, and the rule that says what is relevant to what.

Collections are found by name and read from the folder they lie in; nothing is fetched from anywhere.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import IntArray
from rankscope.core.catalogue import Catalogue, Later
from rankscope.core.errors import InputError, SettingError
from rankscope.core.names import visible

if TYPE_CHECKING:
    from rankscope.inputs.documents.stream import DocumentStream
    from rankscope.inputs.documents.topics import QuerySet
    from rankscope.inputs.qrels import Qrels


# Named test collections, one file each, with the rule by which each is judged; `icons` ships inside the package.

COLLECTION_ENTRIES: dict[str, Later] = {  # a new collection adds its line here
    "icons": Later("rankscope.inputs.collections.pictures:ICONS"),
    "folder": Later("rankscope.inputs.collections.pictures:FOLDER"),
    "corel1k": Later("rankscope.inputs.collections.pictures:COREL1K"),
    "mpeg7": Later("rankscope.inputs.collections.pictures:MPEG7"),
    "oxford5k": Later("rankscope.inputs.collections.pictures:OXFORD5K"),
    "paris6k": Later("rankscope.inputs.collections.pictures:PARIS6K"),
    "holidays": Later("rankscope.inputs.collections.pictures:HOLIDAYS"),
    "ukbench": Later("rankscope.inputs.collections.pictures:UKBENCH"),
    "icons20k": Later("rankscope.inputs.collections.pictures:ICONS20K"),
    "digits": Later("rankscope.inputs.collections.classic_sets:DIGITS"),
    "letter": Later("rankscope.inputs.collections.classic_sets:LETTER"),
    "cranfield": Later("rankscope.inputs.collections.classic_sets:CRANFIELD"),
    "cisi": Later("rankscope.inputs.collections.classic_sets:CISI"),
    "medline": Later("rankscope.inputs.collections.classic_sets:MEDLINE"),
    "cacm": Later("rankscope.inputs.collections.classic_sets:CACM"),
    "npl": Later("rankscope.inputs.collections.classic_sets:NPL"),
    "adi": Later("rankscope.inputs.collections.classic_sets:ADI"),
}
COLLECTIONS: Catalogue[CollectionKind] = Catalogue("collection", COLLECTION_ENTRIES, "rankscope.collections")


def load(name: str, folder: str | Path | None = None) -> Collection:
    """A collection by its name, from the folder it lies in; nothing is fetched from anywhere.

    >>> len(load("icons"))
    5346
    """
    return COLLECTIONS.find(name).load(folder)


REMOVED, KEPT = "removed", "kept"


@dataclass(frozen=True)
class Truth:
    """What is relevant to one query, where the ground truth says so query by query.

    `item` is the picture the query is taken from and `box` the part of it that counts: left, top, right, bottom in
    pixels. Grades above 0 are relevant; `junk` is neither relevant nor irrelevant and leaves the list before ranks
    are counted.
    """

    query: str
    item: str
    relevant: Mapping[str, int]
    junk: tuple[str, ...] = ()
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class Collection:
    """Items with a class each, or with a truth for each query; and files, pictures, vectors or texts to rank them by.

    `query_item` says what the published rule does with the query itself: removed from its own ranking, or kept and
    counted. `measures` are those the collection is reported with.
    >>> small = Collection("small", ids=("a", "b", "c"), labels=("x", "x", ""))
    >>> small.queries, small.qrels.to_dict(), small.junk
    (('a', 'b'), {'a': {'b': 1}, 'b': {'a': 1}}, {'a': ('a',), 'b': ('b',)})
    """

    name: str
    ids: tuple[str, ...]
    labels: tuple[str, ...] = ()  # the class of each item, empty text for none; no labels where `truth` is given
    paths: tuple[Path, ...] | None = None
    images: NDArray[np.uint8] | None = None  # (items, height, width), grey
    features: NDArray[Any] | None = None
    documents: DocumentStream | None = None  # texts, for `rankscope.index`
    topics: QuerySet | None = None  # the words of all queries, judged or not
    truth: tuple[Truth, ...] = ()
    query_item: str = REMOVED
    measures: tuple[str, ...] = ("AP", "P@10", "ER", "NMRR")
    size: int | None = None  # of the published collection, where not all items are named here
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def collection_size(self) -> int:
        """How many items there are to rank (d), the query included."""
        return len(self.ids) if self.size is None else self.size

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, sorted."""
        return tuple(sorted(set(filter(None, self.labels))))

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries of the published rule: those with a truth, or all items that have a class mate."""
        if self.truth:
            return tuple(each.query for each in self.truth)
        number, sizes = self._classes
        asked = (number >= 0) & (sizes[number] > 1)
        return tuple(self.ids[row] for row in np.flatnonzero(asked).tolist())

    @cached_property
    def qrels(self) -> Qrels:
        """The judgements. With labels, one row for each pair of class mates: many, where classes are large."""
        import polars as pl

        from rankscope.inputs.problems import Problems
        from rankscope.inputs.qrels import Qrels

        if self.truth:
            return Qrels.of({each.query: dict(each.relevant) for each in self.truth})
        query, item = self._mates()
        ids = pl.Series("id", self.ids)
        frame = pl.DataFrame({"query": ids.gather(query), "item": ids.gather(item)})
        return Qrels.from_frame(frame.with_columns(grade=pl.lit(1)), Problems(self.name))

    @cached_property
    def junk(self) -> dict[str, tuple[str, ...]]:
        """What must leave the list of a query before ranks are counted: named junk, and the query itself if removed.

        Give it to `evaluate(..., junk=collection.junk)`.
        """
        own = self.query_item == REMOVED
        if not self.truth:
            return {each: (each,) for each in self.queries} if own else {}
        parts = {each.query: (*each.junk, *((each.item,) if own else ())) for each in self.truth}
        return {query: items for query, items in parts.items() if items}

    @cached_property
    def _classes(self) -> tuple[IntArray, IntArray]:
        """A number for the class of each item, -1 for none, and the size of each class."""
        number_of = {label: number for number, label in enumerate(self.classes)}
        number = np.array([number_of.get(label, -1) for label in self.labels], dtype=np.int64)
        return number, np.bincount(number[number >= 0], minlength=1).astype(np.int64)

    def _mates(self) -> tuple[IntArray, IntArray]:
        """Every query with every item of its class; with itself only where it is kept."""
        number, sizes = self._classes
        order = np.argsort(number, kind="stable")
        members = np.split(order[number[order] >= 0], np.cumsum(sizes)[:-1])
        large = [each for each in members if each.size > 1]
        query = np.concatenate([np.empty(0, np.int64), *(np.repeat(each, each.size) for each in large)])
        item = np.concatenate([np.empty(0, np.int64), *(np.tile(each, each.size) for each in large)])
        wanted = np.ones(query.size, dtype=np.bool_) if self.query_item == KEPT else query != item
        return query[wanted], item[wanted]


# A kind of collection: its name, how it is read, and which files it needs.

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


# Small tables of labels that lie next to a collection.


def label_table(path: Path) -> list[tuple[str, str]]:
    """Rows (file, class) of a CSV file with these two columns, in its order."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        if not {"file", "class"} <= set(rows.fieldnames or ()):
            raise NotThereError(f"has a {path.name} without the columns file and class")
        return [(row["file"], row["class"]) for row in rows]


def text_lines(path: Path) -> list[str]:
    """The lines of a text file that are not blank, without blanks around them."""
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
