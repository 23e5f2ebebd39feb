"""Vectors: one row of features per item, with the labels, the name and the role of each item, all of it checked."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import BoolArray, IntArray
from rankscope.core.display import Display, Displayed, LongTable
from rankscope.core.errors import InputError
from rankscope.core.wording import how_many
from rankscope.inputs.problems import KEPT, Problems, shorten_value
from rankscope.inputs.values import is_unicode, refuse_masked

# What may be wrong with features, labels, names and roles; all of it is gathered.

Label = tuple[str, ...]
Place = Callable[[int], str]  # what messages call an item
NO_CLASS = ("", "-1")
LARGEST_WHOLE_FEATURE = 2**53
LARGEST_FEATURE = 1e100  # squares and their sums stay finite
CELLS = 1 << 22
SPLIT_ROLES = {"query": (True, False), "gallery": (False, True), "both": (True, True)}


def numbered_item(row: int) -> str:
    """An item by its place, as messages call it."""
    return f"item {row}"


def row_parts(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """A table in parts of a few million cells."""
    step = max(1, CELLS // max(array.shape[1], 1))
    return (array[start : start + step] for start in range(0, len(array), step))


def listed_values(values: Iterable[Any]) -> Sequence[Any]:
    """Python objects from an array or any other iterable; a text is none, though it could be taken apart."""
    if isinstance(values, str | bytes):
        raise InputError.of("features", [f"a list is needed, got the text {shorten_value(values)}"])
    if not isinstance(values, Iterable) or (isinstance(values, np.ndarray) and not values.ndim):
        raise InputError.of("features", [f"a list is needed, got the single value {shorten_value(str(values))}"])
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def checked_matrix(matrix: ArrayLike, problems: Problems) -> NDArray[Any]:
    """The matrix as an array; whatever is wrong with it, something that has a length comes back."""
    try:
        array = refuse_masked(matrix, problems.source)
    except ValueError:
        array = np.empty(len(matrix) if isinstance(matrix, Sequence) else 0, dtype=np.object_)
    if array.ndim != 2 or 0 in array.shape:
        problems.add("", f"features must be a table of items by features, got shape {array.shape}")
    elif array.dtype.kind not in "buif":
        problems.add("", f"features must be numbers, got {array.dtype}")
    else:
        _check_values(array, problems)
    return np.atleast_1d(array.astype(np.uint8) if array.dtype.kind == "b" else array)


def _check_values(array: NDArray[Any], problems: Problems) -> None:
    """Every value finite and small enough to be squared."""
    widest, first = 0.0, 0
    for part in row_parts(array):
        if array.dtype.kind == "f":
            bad = np.flatnonzero(~np.isfinite(part).all(axis=1))
            for row in bad[:KEPT].tolist():
                wrong = part[row][~np.isfinite(part[row])][0]
                problems.add(f"item {first + row}", f"features must be finite, got {wrong}")
            problems.more(max(0, bad.size - KEPT))
        with np.errstate(invalid="ignore"):
            reach = max(float(part.max()), -float(part.min()))
        widest, first = max(widest, reach if np.isfinite(reach) else 0.0), first + len(part)
    limit = LARGEST_FEATURE if array.dtype.kind == "f" else LARGEST_WHOLE_FEATURE
    if widest > limit:
        problems.add("", f"features must lie within -{limit:g} and {limit:g}, got {widest:g}", "Scale them down.")


def _labels_of(entry: Any, separator: str | None, row: int, problems: Problems, place: Place) -> Label:
    """The labels of an item as text, without those that mean none."""
    if separator is None and isinstance(entry, str | int):  # by far the commonest
        text = str(entry)
        if not text.isascii() and not is_unicode(text):
            problems.add(place(row), f"label {shorten_value(text)} holds half of a surrogate pair, which is no text")
        return () if text in NO_CLASS else (text,)
    if isinstance(entry, list | tuple | set | frozenset | np.ndarray):
        given = sorted(entry, key=str) if isinstance(entry, set | frozenset) else list(entry)
    elif separator and isinstance(entry, str):
        given = [each.strip() for each in entry.split(separator)]
    else:
        given = [entry]
    texts = [_label(each, row, problems, place) for each in given]
    return tuple(dict.fromkeys(text for text in texts if text))


def _label(label: Any, row: int, problems: Problems, place: Place) -> str:
    if label is None:
        return ""
    if not isinstance(label, str | int | np.integer):
        advice = "Use -1, None or empty text for an item without a class."
        problems.add(place(row), f"label must be a whole number or text, got {shorten_value(label)}", advice)
    text = str(label)
    if not is_unicode(text):
        problems.add(place(row), f"label {shorten_value(text)} holds half of a surrogate pair, which is no text")
    return "" if text in NO_CLASS else text


def checked_names(ids: Sequence[Any], problems: Problems, place: Place = numbered_item) -> tuple[str, ...]:
    """Names as text, none of them twice."""
    first: dict[str, int] = {}
    for row, each in enumerate(ids):
        if not isinstance(each, str | int | np.integer) or not is_unicode(str(each)):
            problems.add(place(row), f"id must be text or a whole number, got {shorten_value(each)}")
        elif first.setdefault(str(each), row) != row:
            before = place(first[str(each)])
            problems.add(place(row), f"id {shorten_value(str(each))} is that of {before} already")
    return tuple(map(str, ids))


def checked_split(
    split: Iterable[Any] | None, problems: Problems, place: Place = numbered_item
) -> tuple[BoolArray, BoolArray]:
    """Which items are queries and which can be found; empty arrays where nothing is said."""
    if split is None:
        return np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.bool_)
    roles = []
    for row, each in enumerate(listed_values(split)):
        role = SPLIT_ROLES.get(str(each).strip().lower())
        if role is None:
            problems.add(place(row), f"split must be query, gallery or both, got {shorten_value(each)}")
        roles.append(role or (True, True))
    table = np.array(roles, dtype=np.bool_).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def checked_queries(queries: Iterable[Any], names: Sequence[str], problems: Problems) -> BoolArray:
    """Which items are named as queries."""
    place = {name: row for row, name in enumerate(names)}
    chosen = np.zeros(len(names), dtype=np.bool_)
    for each in listed_values(queries):
        if str(each) in place:
            chosen[place[str(each)]] = True
        else:
            problems.add("", f"query {shorten_value(str(each))} is no item of the features")
    return chosen


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
        return {label: number for number, label in enumerate(dict.fromkeys(chain.from_iterable(self.several)))}

    @property
    def label_count(self) -> int:
        """How many labels there are."""
        return len(self._label_number)

    @cached_property
    def _numbered_sets(self) -> dict[Label, int]:
        return {labels: number for number, labels in enumerate(dict.fromkeys(filter(None, self.several)))}

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

    def display(self) -> Display:
        labels = len({label for label in self.labels if label})
        told = f"{how_many(len(self), 'item', 'items')} of {how_many(labels, 'label', 'labels')}"
        table = LongTable.of_columns({"item": self.ids, "label": self.labels})
        return Display(f"Features: {told}, {how_many(self.matrix.shape[1], 'values')} each", table)


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
        labels = enumerate(listed_values(self.labels))
        several = tuple(_labels_of(each, self.separator, row, problems, place) for row, each in labels)
        names = checked_names(range(count) if self.ids is None else listed_values(self.ids), problems, place)
        asked, found = checked_split(self.split, problems, place)
        given = None if self.split is None else len(asked)
        for what, number in (("labels", len(several)), ("ids", len(names)), ("entries of the split", given)):
            if number is not None and number != count:
                problems.add("", f"{count} rows of features, but {number} {what}")
        if self.queries is not None:
            asked = checked_queries(self.queries, names, problems)
        if not problems.count:
            junk = {str(label) for label in listed_values(self.junk_labels)}
            if junk:  # items with a junk label lose their labels and cannot be found
                bad = np.array([bool(junk.intersection(labels)) for labels in several], dtype=np.bool_)
                pairs = zip(bad.tolist(), several, strict=True)
                several = tuple(() if wrong else labels for wrong, labels in pairs)
                found = (found if found.size else np.ones(bad.size, dtype=np.bool_)) & ~bad
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
