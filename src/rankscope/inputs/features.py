"""Vectors: one row of features per item, with the class of each item."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import BoolArray, IntArray
from rankscope.displayed import Displayed
from rankscope.inputs.checks import Problems
from rankscope.inputs.feature_checks import (
    Label,
    Place,
    checked_labels,
    checked_matrix,
    checked_names,
    checked_queries,
    checked_split,
    list_of,
    numbered_item,
    row_parts,
)

JOINT = "|"  # between the labels of an item that has several


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledItems(ABC):
    """Items with labels and names, whatever holds their features.

    An item may have several labels, and may be only a query or only to be found.
    """

    several: tuple[Label, ...]  # the labels of each item
    ids: tuple[str, ...]
    queries: BoolArray | None = None  # which items are queries; None: all
    gallery: BoolArray | None = None  # which items can be found; None: all
    metric: str = ""  # the metric that goes with the features, where their file says so
    taken: str = ""  # what was taken for labels and names, in words, where a file had to be understood

    @abstractmethod
    def tables(self) -> Iterator[NDArray[Any]]:
        """The features, table by table in the order of the items."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many features an item has."""

    @property
    @abstractmethod
    def kind(self) -> np.dtype[Any]:
        """The type of the features."""

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label of each item as one text; several are joined."""
        return tuple(JOINT.join(labels) for labels in self.several)

    @cached_property
    def _label_number(self) -> dict[str, int]:
        number: dict[str, int] = {}
        for labels in self.several:
            for label in labels:
                number.setdefault(label, len(number))
        return number

    @property
    def label_count(self) -> int:
        """How many labels there are."""
        return len(self._label_number)

    @cached_property
    def _numbered_sets(self) -> dict[Label, int]:
        number: dict[Label, int] = {}
        for labels in self.several:
            if labels:
                number.setdefault(labels, len(number))
        return number

    @cached_property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The different sets of labels that items have, as numbers of labels."""
        return tuple(tuple(self._label_number[label] for label in labels) for labels in self._numbered_sets)

    @cached_property
    def set_number(self) -> IntArray:
        """A number for each item's set of labels, in the order in which sets first occur; -1 for none."""
        return np.array([self._numbered_sets.get(labels, -1) for labels in self.several], dtype=np.int64)

    @cached_property
    def item_labels(self) -> tuple[IntArray, IntArray]:
        """Item and label of each label that an item has, item by item."""
        lengths = [len(labels) for labels in self.several]
        number = [self._label_number[label] for labels in self.several for label in labels]
        return np.repeat(np.arange(len(self.several)), lengths), np.array(number, dtype=np.int64)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of type, shape, values, labels, names and roles: equal digests are equal inputs."""
        kind = self.kind.newbyteorder("<")
        result = hashlib.sha256(f"{kind.str} {(len(self), self.width)}\n".encode())
        for table in self.tables():
            result.update(np.ascontiguousarray(table, dtype=kind).reshape(-1).view(np.uint8).data)
        for texts in (self.labels, self.ids):
            result.update("\0".join(texts).encode() + b"\n")
        for role in (self.queries, self.gallery):
            result.update(b"" if role is None else np.packbits(role).tobytes() + b"\n")
        return result.hexdigest()


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Features(Displayed, LabelledItems):
    """A matrix with one row per item, the label of each item as text (empty: none) and a name for each item.

    The matrix may be memory-mapped: it is read in parts.
    >>> features = Features.of([[1, 0], [0, 1], [1, 1]], labels=[7, 7, -1])
    >>> features.labels, features.ids, features.set_number
    (('7', '7', ''), ('0', '1', '2'), array([ 0,  0, -1]))
    """

    matrix: NDArray[Any]

    @classmethod
    def of(
        cls,
        matrix: ArrayLike,
        labels: Iterable[Any],
        ids: Iterable[Any] | None = None,
        *,
        separator: str | None = None,
        split: Iterable[Any] | None = None,
        queries: Iterable[Any] | None = None,
        junk_labels: Iterable[Any] = (),
    ) -> Features:
        """Checked features; raises `InputError` with every problem.

        Labels are whole numbers or text; -1, None and empty text mean that the item has none. A list, tuple or set of
        labels, or text with a `separator`, gives an item several. Names are text or whole numbers, by default the
        position of the item from 0. `split` says of each item whether it is a `query`, in the `gallery`, or `both`.
        `queries` are names of items: only these are queries. Items with a junk label are neither found nor queries.

        >>> Features.of([[1], [2]], ["cat+dog", "dog"], separator="+").several
        (('cat', 'dog'), ('dog',))
        """
        problems = Problems("features")
        array = checked_matrix(matrix, problems)
        about = ItemFacts(
            labels=labels, ids=ids, separator=separator, split=split, queries=queries, junk_labels=junk_labels
        )
        checked = about.checked(len(array), problems)
        problems.raise_if_any()
        return cls(matrix=array, **checked)

    def tables(self) -> Iterator[NDArray[Any]]:
        """A few million features at a time."""
        return row_parts(self.matrix)

    @property
    def width(self) -> int:
        """How many features an item has."""
        return int(self.matrix.shape[1])

    @property
    def kind(self) -> np.dtype[Any]:
        """The type of the features."""
        return self.matrix.dtype


@dataclass(frozen=True)
class ItemFacts:
    """What is given next to the features of items, not yet checked."""

    labels: Iterable[Any]
    ids: Iterable[Any] | None = None
    separator: str | None = None
    split: Iterable[Any] | None = None
    queries: Iterable[Any] | None = None
    junk_labels: Iterable[Any] = ()

    def checked(self, count: int, problems: Problems, place: Place = numbered_item) -> dict[str, Any]:
        """Labels, names and roles of so many items, as `LabelledItems` holds them; all problems are gathered."""
        several = checked_labels(self.labels, self.separator, problems, place)
        names = checked_names(range(count) if self.ids is None else list_of(self.ids), problems, place)
        asked, found = checked_split(self.split, problems, place)
        given = None if self.split is None else len(asked)
        for what, number in (("labels", len(several)), ("ids", len(names)), ("entries of the split", given)):
            if number is not None and number != count:
                problems.add("", f"{count} rows of features, but {number} {what}")
        if self.queries is not None:
            asked = checked_queries(self.queries, names, problems)
        if not problems.count:
            junk = {str(label) for label in list_of(self.junk_labels)}
            several, asked, found = _without_junk(several, asked, found, junk)
        queries, gallery = (each if each.size else None for each in (asked, found))
        _check_classes(several, queries, gallery, problems)
        return {"several": several, "ids": names, "queries": queries, "gallery": gallery}


def _check_classes(
    several: Sequence[Label], queries: BoolArray | None, gallery: BoolArray | None, problems: Problems
) -> None:
    """At least one query and one item of the same label to be found, and not the query."""
    query, item = (
        {
            label
            for place in range(len(several))
            if which is None or place >= which.size or which[place]
            for label in several[place]
        }
        for which in (queries, gallery)
    )
    everyone = [label for labels in several for label in labels]
    if not query & item or len(everyone) == len(set(everyone)):
        problems.add("", "no class has two members", "A query needs another item of its own class to be found.")


def _without_junk(
    several: Sequence[Label], asked: BoolArray, found: BoolArray, junk: set[str]
) -> tuple[tuple[Label, ...], BoolArray, BoolArray]:
    """Items with a junk label lose their labels and cannot be found."""
    if not junk:
        return tuple(several), asked, found
    bad = np.array([bool(junk.intersection(labels)) for labels in several], dtype=np.bool_)
    kept = tuple(() if wrong else labels for wrong, labels in zip(bad.tolist(), several, strict=True))
    return kept, asked, (found if found.size else np.ones(bad.size, dtype=np.bool_)) & ~bad
