"""The indexes that a service answers for, by name, alone or several as one."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from rankscope.catalogue import did_you_mean
from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.mapped_texts import map_texts
from rankscope.engines.text.index.opening import OpenedIndex
from rankscope.engines.text.index.segment import ID
from rankscope.engines.text.text_index import Index
from rankscope.errors import SettingError
from rankscope.workbench.service.patterns import matching
from rankscope.workbench.service.refusals import Refusal

if TYPE_CHECKING:
    from rankscope.engines.text.searching import Searcher

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
SUFFIX: Final = ".index"
EVERY: Final = frozenset({"_all", "*", ""})
KEPT_TOGETHER: Final = 2  # ways to put several indexes together that stay open


@dataclass(frozen=True, eq=False)
class Served:
    """An index that is served, or several as one; `names` are those of the parts, in their order."""

    names: tuple[str, ...]
    index: Index
    similarity: str
    begins: tuple[int, ...]  # the number of each part's first document

    def searcher(self, field: str | None = None) -> Searcher:
        """What searches it for words that name no field in this one."""
        return self.index.searcher(self.similarity, field)

    @cached_property
    def orders(self) -> dict[str, Numbers]:
        """By field, the place of each document's text among those of all; filled when it is asked for."""
        return {}

    def number_of(self, name: str) -> int | None:
        """The number of a document by its id; None where there is none."""
        reader = self.index.reader
        found, deleted = reader.postings(ID, name).docs.tolist(), reader.deleted
        live = [each for each in found if deleted is None or not deleted[each]]
        return live[0] if live else None

    def owner(self, number: int) -> str:
        """The name of the index that a document is of."""
        return self.names[int(np.searchsorted(self.begins, number, side="right")) - 1]

    def order(self, field: str) -> Numbers:
        """The place of each document among all, by its text in a field; those without a text share the last one."""
        if field not in self.orders:
            self.orders[field] = _places(self.index, field)
        return self.orders[field]


def _places(index: Index, field: str) -> Numbers:
    import polars as pl

    texts = index.reader.stored_column(field)
    ranks = texts.rank("dense").fill_null(len(texts) + 1).cast(pl.Int64)
    return ranks.to_numpy()


class ServedIndexes:
    """All indexes of a service by their names."""

    def __init__(self, indexes: Mapping[str, Index], similarity: str = "bm25") -> None:
        if not indexes:
            raise SettingError("name an index to serve: rankscope serve --index INDEX")
        wrong = [name for name in indexes if NAME.fullmatch(name) is None]
        if wrong:
            raise SettingError.of([f"'{name}' cannot stand in an address: give it as NAME=FOLDER" for name in wrong])
        self.indexes, self.similarity = dict(indexes), similarity
        for index in indexes.values():
            index.searcher(similarity)  # a similarity that is not there is an error now
        self._together: OrderedDict[tuple[str, ...], Served] = OrderedDict()
        self._lock = Lock()

    @classmethod
    def of(cls, given: Mapping[str, Index] | Sequence[str | Path], similarity: str = "bm25") -> ServedIndexes:
        """Indexes by name, or folders; a folder is called as its last part without `.index`, unless NAME=FOLDER says.

        >>> ServedIndexes.of({"docs": Index.build([{"id": "a", "body": "a fox"}])}).find("docs").names
        ('docs',)
        """
        if isinstance(given, Mapping):
            return cls(given, similarity)
        named = [_named(str(each)) for each in given]
        twice = {name for name, _ in named if [other for other, _ in named].count(name) > 1}
        if twice:
            advice = "give one of them another name, as NAME=FOLDER"
            raise SettingError.of([f"two indexes are called '{name}': {advice}" for name in sorted(twice)])
        return cls({name: _ready(Index.open(folder)) for name, folder in named}, similarity)

    def find(self, asked: str) -> Served:
        """The index of a name; several with commas between or by a pattern, or all, as one."""
        names = self.names_of(asked)
        with self._lock:
            found = self._together.get(names)
            if found is None:
                found = self._together[names] = self._opened(names)
                if len(self._together) > KEPT_TOGETHER + len(self.indexes):
                    self._together.popitem(last=False)
            else:
                self._together.move_to_end(names)
            return found

    def names_of(self, asked: str) -> tuple[str, ...]:
        """The names that are meant, each once, in the order in which they are served; an unknown one is refused."""
        wanted: set[str] = set()
        for word in asked.split(","):
            here = set(self.indexes) if word in EVERY else set(matching(word, list(self.indexes)))
            if not here:
                raise self._unknown(word)
            wanted |= here
        return tuple(name for name in self.indexes if name in wanted)

    def _unknown(self, name: str) -> Refusal:
        near, there = did_you_mean(name[:100], self.indexes), ", ".join(self.indexes)
        return Refusal(404, f"no index '{name[:100]}'{near} There is: {there}", "index_not_found_exception")

    def _opened(self, names: tuple[str, ...]) -> Served:
        parts = {name: self.indexes[name] for name in names}
        index = parts[names[0]] if len(names) == 1 else Index.join(parts)
        counts = [part.reader.count for part in parts.values()]
        begins = tuple(np.cumsum([0, *counts[:-1]]).tolist())
        return Served(names, index, self.similarity, begins)


def _ready(index: Index) -> Index:
    """An index whose texts are quickly read."""
    return Index(OpenedIndex(map_texts(index.reader), index.folders))


def _named(given: str) -> tuple[str, str]:
    """The name and the folder of an index.

    >>> _named("data/docs.index"), _named("news=data/docs.index")
    (('docs', 'data/docs.index'), ('news', 'data/docs.index'))
    """
    name, sign, folder = given.partition("=")
    if sign and NAME.fullmatch(name) and not Path(given).exists():
        return name, folder
    return Path(given).resolve().name.removesuffix(SUFFIX), given
