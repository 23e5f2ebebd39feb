"""Vectors: one row of features per item, with the class of each item."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import IntArray
from rankscope.inputs.checks import Problems, shown

NO_CLASS = ("", "-1")
LARGEST_WHOLE = 2**53
LARGEST = 1e100  # squares and their sums stay finite


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix with one row per item, the class of each item as text (empty: none) and a name for each item.

    >>> features = Features.of([[1, 0], [0, 1], [1, 1]], labels=[7, 7, -1])
    >>> features.labels, features.ids, features.class_number
    (('7', '7', ''), ('0', '1', '2'), array([ 0,  0, -1]))
    """

    matrix: NDArray[Any]
    labels: tuple[str, ...]
    ids: tuple[str, ...]

    @classmethod
    def of(cls, matrix: ArrayLike, labels: Iterable[Any], ids: Iterable[Any] | None = None) -> Features:
        """Checked features; raises `InputError` with every problem.

        Labels are whole numbers or text; -1, None and empty text mean that the item has no class. Names are text or
        whole numbers, by default the position of the item from 0.
        """
        problems = Problems("features")
        array = _checked_matrix(matrix, problems)
        label_texts = tuple(_label(each, row, problems) for row, each in enumerate(_listed(labels)))
        id_texts = _names(range(len(array)) if ids is None else _listed(ids), problems)
        for what, texts in (("labels", label_texts), ("ids", id_texts)):
            if len(texts) != len(array):
                problems.add("", f"{len(array)} rows of features, but {len(texts)} {what}")
        if max(Counter(filter(None, label_texts)).values(), default=0) < 2:
            advice = "A query needs another item of its own class to be found."
            problems.add("", "no class has two members", advice)
        problems.raise_if_any()
        return cls(array, label_texts, id_texts)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def class_number(self) -> IntArray:
        """A number for each item's class, in the order in which classes first occur; -1 for none."""
        number: dict[str, int] = {"": -1}
        for label in self.labels:
            number.setdefault(label, len(number) - 1)
        return np.array([number[label] for label in self.labels], dtype=np.int64)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of type, shape, values, labels and names: equal digests are equal inputs."""
        matrix = np.ascontiguousarray(self.matrix, dtype=self.matrix.dtype.newbyteorder("<"))
        made = hashlib.sha256(f"{matrix.dtype.str} {matrix.shape}\n".encode())
        made.update(matrix.reshape(-1).view(np.uint8).data)
        for texts in (self.labels, self.ids):
            made.update("\0".join(texts).encode() + b"\n")
        return made.hexdigest()


def _listed(values: Iterable[Any]) -> Sequence[Any]:
    """Python objects from an array or any other iterable."""
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _checked_matrix(matrix: ArrayLike, problems: Problems) -> NDArray[Any]:
    """The matrix as an array; whatever is wrong with it, something that has a length comes back."""
    try:
        array = np.asarray(matrix)
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
    if array.dtype.kind == "f":
        for row in np.flatnonzero(~np.isfinite(array).all(axis=1)).tolist():
            problems.add(f"item {row}", f"features must be finite, got {array[row][~np.isfinite(array[row])][0]}")
    limit = LARGEST if array.dtype.kind == "f" else LARGEST_WHOLE
    with np.errstate(invalid="ignore"):
        widest = max(float(array.max()), -float(array.min()))
    if np.isfinite(widest) and widest > limit:
        problems.add("", f"features must lie within -{limit:g} and {limit:g}, got {widest:g}", "Scale them down.")


def _label(label: Any, row: int, problems: Problems) -> str:
    if label is None:
        return ""
    if not isinstance(label, str | int | np.integer):
        advice = "Use -1, None or empty text for an item without a class."
        problems.add(f"item {row}", f"label must be a whole number or text, got {shown(label)}", advice)
    text = str(label)
    return "" if text in NO_CLASS else text


def _names(ids: Sequence[Any], problems: Problems) -> tuple[str, ...]:
    first: dict[str, int] = {}
    for row, each in enumerate(ids):
        if not isinstance(each, str | int | np.integer):
            problems.add(f"item {row}", f"id must be text or a whole number, got {shown(each)}")
        elif first.setdefault(str(each), row) != row:
            problems.add(f"item {row}", f"id {shown(str(each))} is that of item {first[str(each)]} already")
    return tuple(map(str, ids))
