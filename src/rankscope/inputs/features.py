"""Vectors: one row of features per item, with the class of each item."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import BoolArray, IntArray
from rankscope.inputs.checks import Problems
from rankscope.inputs.feature_checks import (
    Label,
    checked_labels,
    checked_matrix,
    checked_names,
    checked_queries,
    checked_split,
    list_of,
    row_parts,
)

JOINT = "|"  # between the labels of an item that has several


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix with one row per item, the label of each item as text (empty: none) and a name for each item.

    An item may have several labels, and may be only a query or only to be found. The matrix may be memory-mapped: it is
    read in parts.
    >>> features = Features.of([[1, 0], [0, 1], [1, 1]], labels=[7, 7, -1])
    >>> features.labels, features.ids, features.set_number
    (('7', '7', ''), ('0', '1', '2'), array([ 0,  0, -1]))
    """

    matrix: NDArray[Any]
    several: tuple[Label, ...]  # the labels of each item
    ids: tuple[str, ...]
    queries: BoolArray | None = None  # which items are queries; None: all
    gallery: BoolArray | None = None  # which items can be found; None: all
    metric: str = ""  # the metric that goes with the features, where their file says so
    taken: str = ""  # what was taken for labels and names, in words, where a file had to be understood

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
        several = checked_labels(labels, separator, problems)
        names = checked_names(range(len(array)) if ids is None else list_of(ids), problems)
        asked, found = checked_split(split, problems)
        given = None if split is None else len(asked)
        for what, number in (("labels", len(several)), ("ids", len(names)), ("entries of the split", given)):
            if number is not None and number != len(array):
                problems.add("", f"{len(array)} rows of features, but {number} {what}")
        if queries is not None:
            asked = checked_queries(queries, names, problems)
        if not problems.count:
            several, asked, found = _without_junk(several, asked, found, {str(label) for label in list_of(junk_labels)})
        features = cls(
            matrix=array,
            several=several,
            ids=names,
            queries=asked if asked.size else None,
            gallery=found if found.size else None,
        )
        features._check_classes(problems)
        problems.raise_if_any()
        return features

    def _check_classes(self, problems: Problems) -> None:
        """At least one query and one item of the same label to be found, and not the query."""
        query, item = (
            {
                label
                for place in range(len(self.several))
                if which is None or place >= which.size or which[place]
                for label in self.several[place]
            }
            for which in (self.queries, self.gallery)
        )
        everyone = [label for labels in self.several for label in labels]
        if not query & item or len(everyone) == len(set(everyone)):
            advice = "A query needs another item of its own class to be found."
            problems.add("", "no class has two members", advice)

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
        kind = self.matrix.dtype.newbyteorder("<")
        result = hashlib.sha256(f"{kind.str} {self.matrix.shape}\n".encode())
        for part in row_parts(self.matrix):
            result.update(np.ascontiguousarray(part, dtype=kind).reshape(-1).view(np.uint8).data)
        for texts in (self.labels, self.ids):
            result.update("\0".join(texts).encode() + b"\n")
        for role in (self.queries, self.gallery):
            result.update(b"" if role is None else np.packbits(role).tobytes() + b"\n")
        return result.hexdigest()


def _without_junk(
    several: Sequence[Label], asked: BoolArray, found: BoolArray, junk: set[str]
) -> tuple[tuple[Label, ...], BoolArray, BoolArray]:
    """Items with a junk label lose their labels and cannot be found."""
    if not junk:
        return tuple(several), asked, found
    bad = np.array([bool(junk.intersection(labels)) for labels in several], dtype=np.bool_)
    kept = tuple(() if wrong else labels for wrong, labels in zip(bad.tolist(), several, strict=True))
    return kept, asked, (found if found.size else np.ones(bad.size, dtype=np.bool_)) & ~bad
