"""What every named test collection is to the rest: items, and the rule that says what is relevant to what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray

if TYPE_CHECKING:
    from rankscope.inputs.documents.reading import DocumentStream
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.topics.query_set import QuerySet

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

        from rankscope.inputs.checks import Problems
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
