"""What a project judges: items, queries and rankings, read where they are and never changed.

An item is a picture or a document, perhaps with vectors; pages call it by a number that says nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import InputError, Problem, ProblemReport, RankscopeError, SettingError
from rankscope.core.names import distinct_names, name_of
from rankscope.inputs.documents.topics import QuerySet, read_topics
from rankscope.inputs.problems import Problems
from rankscope.inputs.sources import COMPRESSED_SUFFIXES
from rankscope.workbench.store.events import Item, Query, is_storable

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankscope.inputs.feature_files import FileContents
    from rankscope.workbench.project_folder import ProjectFile


T = TypeVar("T")
NAMES_SHOWN = 5
NARRATIVE = ("narr", "narrative", "desc", "description")
ENDINGS = (".txt", ".run", ".trec", ".tsv", ".csv", ".parquet", ".json", ".jsonl")  # of runs


@dataclass(frozen=True, eq=False)
class Sources:
    """The files of a project, and how messages call them."""

    images: Path | None = None
    texts: Path | None = None
    features: tuple[Path, ...] = ()
    runs: tuple[Path, ...] = ()
    topics: Path | None = None
    index: Path | None = None

    @classmethod
    def of(cls, file: ProjectFile, folder: Path) -> Sources:
        """Where the files that project.toml names are."""

        def place(written: str | None) -> Path | None:
            return None if written is None else file.path(folder, written)

        return cls(
            images=place(file.images),
            texts=place(file.texts),
            features=tuple(file.path(folder, each) for each in file.features),
            runs=tuple(file.path(folder, each) for each in file.runs),
            topics=place(file.topics),
            index=place(file.index),
        )

    def read(self) -> tuple[list[Item], list[Query]]:
        """Items and queries, which stay as they are now; all problems of all files are in one `InputError`."""
        reports: list[ProblemReport] = []
        items = _attempt(reports, self._items) or []
        topics = None if self.topics is None else _attempt(reports, read_topics, self.topics)
        rankings = [_attempt(reports, read_ranking, path) for path in self.runs]
        for path in self.features if items else ():
            _attempt(reports, _check_features, path, items)
        if self.index is not None:
            from rankscope.engines.text.text_index import Index

            _attempt(reports, Index.open, self.index)
        known = {each.id for each in items}
        names = run_names(self.runs)
        queries = _queries(topics, rankings, known, {each.id: each.class_ for each in items})
        if not reports:
            for name, each in zip(names, rankings, strict=True):
                ranked = () if each is None else each.get_column("item").unique(maintain_order=True)
                if foreign := [item for item in ranked if item not in known]:
                    what = f"ranks items that are not in the collection: {_few(foreign)}"
                    reports.append(ProblemReport(name, [Problem("", what)]))
            asked = {each.id for each in queries}  # a run may ask more than the topics, but not something else
            reports += [
                ProblemReport(name, [Problem("", "answers none of the topics")])
                for name, each in zip(names, rankings, strict=True)
                if each is not None and not asked & set(each.get_column("query").unique())
            ]
        if reports:
            raise InputError(reports)
        return items, queries

    def _items(self) -> list[Item]:
        if (self.images is None) == (self.texts is None):
            raise SettingError("a project judges pictures or texts: give images or texts, one of them")
        if self.images is not None:
            from rankscope.engines.images.picture_folders import pictures_in

            found = [(each.id, each.label) for each in pictures_in(self.images)[0]]
        else:
            from rankscope.inputs.documents.stream import read_documents

            tables = read_documents([self.texts or Path()])
            found = [(str(name), "") for table in tables for name in table.get_column("id")]
        if wrong := [name for name, _ in found if not is_storable(name)]:
            raise InputError.of(str(self.images or self.texts), [f"{name!r} is no text" for name in wrong])
        return [Item(place, name, label) for place, (name, label) in enumerate(found)]


def run_names(paths: Sequence[Path]) -> list[str]:
    """What the runs are called: as their files, and all different."""
    stems = []
    for path in paths:
        stem = name_of(path)
        for ending in (*COMPRESSED_SUFFIXES, *ENDINGS):
            stem = stem.removesuffix(ending)
        stems.append(stem or name_of(path))
    return distinct_names(stems, list(paths))


def read_ranking(path: Path) -> pl.DataFrame:
    """The ranking of a run (query, item, rank): by falling score, equal scores by falling id, as trec_eval has them."""
    import polars as pl

    from rankscope.inputs.run import Run

    table = Run.of(path).table().sort(["query", "score", "item"], descending=[False, True, True], maintain_order=True)
    twice = table.select("query", "item").is_duplicated()
    if twice.any():
        rows = table.filter(twice).select("query", "item").unique(maintain_order=True).rows()
        problems = [Problem(f"query {query}", f"item '{item}' is ranked twice") for query, item in rows[:100]]
        raise InputError.of(name_of(path), problems, total=len(rows))
    return table.select("query", "item", pl.int_range(1, pl.len() + 1).over("query").alias("rank"))


def _check_features(path: Path, items: Sequence[Item]) -> None:
    """Vectors for every item, by name or, where the file has no names, one for each in order."""
    _, rows = _named_rows(path, items)
    missing = [] if rows is None else [each.id for each in items if each.id not in rows]
    if missing:
        raise InputError.of(name_of(path), [f"has no vector of {_few(missing)}"])


def _named_rows(path: Path, items: Sequence[Item]) -> tuple[FileContents, dict[str, int] | None]:
    """A feature file, and the rows of its names; None where it has no names, but a row for each item in order."""
    from rankscope.inputs.feature_files import read_contents

    found = read_contents(path)
    if found.ids is not None:
        return found, {str(each): row for row, each in enumerate(found.ids)}
    if len(found.matrix) != len(items):
        what = f"has {len(found.matrix):,} rows without names, and there are {len(items):,} items"
        raise InputError.of(name_of(path), [what])
    return found, None


def _queries(
    topics: QuerySet | None, rankings: Iterable[pl.DataFrame | None], items: set[str], classes: dict[str, str]
) -> list[Query]:
    """The topics; without any, what the runs ask, where the id of an item is a query by example."""
    if topics is not None:
        texts = topics.texts()
        found = []
        for place, name in enumerate(topics):
            parts = topics.parts[name]
            narrative = next((str(parts[each]) for each in NARRATIVE if each in parts), "")
            found.append(Query(place, name, texts[name], narrative, None, ""))
        return found
    asked = dict.fromkeys(
        name for each in rankings if each is not None for name in each.get_column("query").unique(maintain_order=True)
    )
    return [
        Query(place, name, "" if name in items else name, "", name if name in items else None, classes.get(name, ""))
        for place, name in enumerate(asked)
    ]


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES_SHOWN:,} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more


def _attempt(reports: list[ProblemReport], call: Callable[..., T], *given: Any) -> T | None:
    """What a call gives; its errors are kept until all calls have been made."""
    try:
        return call(*given)
    except InputError as error:
        reports.extend(error.reports)
    except RankscopeError as error:
        reports.append(ProblemReport("project", [Problem("", str(error))]))
    return None


# Items where they lie: the file of a picture, the fields of a document, a row of a feature file.


@dataclass(frozen=True, eq=False)
class Vectors:
    """One row of features for each item, in the order of the project, and the metric that goes with them."""

    name: str
    matrix: NDArray[Any]
    metric: str


@dataclass(frozen=True, eq=False)
class ItemAccess:
    """The sources of a project, read when they are first asked for; what has gone since is told by its name."""

    sources: Sources
    items: Sequence[Item]
    _read: dict[str, Vectors] = field(default_factory=dict)

    def picture(self, item: str) -> Path:
        """The file of a picture; an `InputError` where it has gone."""
        found = self._pictures.get(item)
        if found is None or not found.is_file():
            raise InputError.of(str(self.sources.images), [f"has no picture '{item}' any more"])
        return found

    def document(self, item: str) -> dict[str, str]:
        found = self._documents.get(item)
        if found is None:
            raise InputError.of(str(self.sources.texts), [f"has no document '{item}' any more"])
        return found

    @property
    def feature_names(self) -> list[str]:
        return [name_of(path) for path in self.sources.features]

    def vectors(self, name: str | None = None) -> Vectors:
        """The features of all items from one of the feature files, the first unless one is named."""
        if not self.sources.features:
            raise SettingError("the project names no features: add them to its project.toml")
        chosen = self.feature_names[0] if name is None else name
        if chosen not in self.feature_names:
            raise SettingError(unknown_name("features", chosen, self.feature_names))
        if chosen not in self._read:
            self._read[chosen] = self._vectors(self.sources.features[self.feature_names.index(chosen)])
        return self._read[chosen]

    def _vectors(self, path: Path) -> Vectors:
        found, rows = _named_rows(path, self.items)
        if rows is None:
            return Vectors(name_of(path), np.asarray(found.matrix), found.metric)
        missing = [each.id for each in self.items if each.id not in rows]
        if missing:
            raise InputError.of(name_of(path), [f"has no vector of '{each}'" for each in missing])
        order = np.array([rows[each.id] for each in self.items], dtype=np.int64)
        return Vectors(name_of(path), np.asarray(found.matrix)[order], found.metric)

    @cached_property
    def _pictures(self) -> dict[str, Path]:
        from rankscope.engines.images.picture_folders import pictures_in

        if self.sources.images is None:
            raise SettingError("this is a project of texts: it has no pictures")
        return {each.id: each.path for each in pictures_in(self.sources.images)[0]}

    @cached_property
    def _documents(self) -> dict[str, dict[str, str]]:
        from rankscope.inputs.documents.stream import read_documents

        if self.sources.texts is None:
            raise SettingError("this is a project of pictures: it has no texts")
        files = read_documents([self.sources.texts]).files
        return {record.id: record.fields for each in files for record in each.read(Problems(each.name))}


# Items under numbers that say nothing: a secret permutation, since ids and the order of a folder give classes away.

FEISTEL_ROUNDS = 6


@dataclass(frozen=True)
class ItemNumbers:
    """A permutation of 0 to count - 1 that only the key knows: a Feistel network, walked until it is back inside.

    >>> numbers = ItemNumbers(b"secret", 1000)
    >>> sorted(map(numbers.number, range(1000))) == list(range(1000))
    True
    >>> numbers.place(numbers.number(17))
    17
    """

    key: bytes
    count: int

    @cached_property
    def _half(self) -> int:
        """Bits of each half of the smallest even-sized number that holds all."""
        return max(1, (max(1, self.count - 1).bit_length() + 1) // 2)

    def number(self, place: int) -> int:
        return self._walked(place, self._mixed)

    def place(self, number: int) -> int:
        """Which item a number means; `IndexError` where it means none."""
        return self._walked(number, self._unmixed)

    def _walked(self, value: int, step: Callable[[int], int]) -> int:
        if not 0 <= value < self.count:
            raise IndexError(f"there is no item {value}")
        value = step(value)
        while value >= self.count:
            value = step(value)
        return value

    def _mixed(self, value: int) -> int:
        left, right = value >> self._half, value & ((1 << self._half) - 1)
        for each in range(FEISTEL_ROUNDS):
            left, right = right, left ^ self._noise(each, right)
        return left << self._half | right

    def _unmixed(self, value: int) -> int:
        left, right = value >> self._half, value & ((1 << self._half) - 1)
        for each in reversed(range(FEISTEL_ROUNDS)):
            left, right = right ^ self._noise(each, left), left
        return left << self._half | right

    def _noise(self, turn: int, value: int) -> int:
        text = turn.to_bytes(1, "big") + value.to_bytes(8, "big")
        mixed = hashlib.blake2b(text, digest_size=8, key=self.key[:64]).digest()
        return int.from_bytes(mixed, "big") & ((1 << self._half) - 1)
