"""What may be wrong with features, labels, names and roles; all of it is gathered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import BoolArray
from rankscope.errors import InputError
from rankscope.inputs.checks import KEPT, Problems, shorten_value
from rankscope.inputs.ids import is_unicode
from rankscope.inputs.masks import refuse_masked

Label = tuple[str, ...]
Place = Callable[[int], str]  # what messages call an item
NO_CLASS = ("", "-1")
LARGEST_WHOLE = 2**53
LARGEST = 1e100  # squares and their sums stay finite
CELLS = 1 << 22
ROLES = {"query": (True, False), "gallery": (False, True), "both": (True, True)}


def numbered_item(row: int) -> str:
    """An item by its place, as messages call it."""
    return f"item {row}"


def row_parts(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """A table in parts of a few million cells."""
    step = max(1, CELLS // max(array.shape[1], 1))
    return (array[start : start + step] for start in range(0, len(array), step))


def list_of(values: Iterable[Any]) -> Sequence[Any]:
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
    limit = LARGEST if array.dtype.kind == "f" else LARGEST_WHOLE
    if widest > limit:
        problems.add("", f"features must lie within -{limit:g} and {limit:g}, got {widest:g}", "Scale them down.")


def checked_labels(
    labels: Iterable[Any], separator: str | None, problems: Problems, place: Place = numbered_item
) -> tuple[Label, ...]:
    """The labels of each item as text, without those that mean none."""
    return tuple(_labels_of(each, separator, row, problems, place) for row, each in enumerate(list_of(labels)))


def _labels_of(entry: Any, separator: str | None, row: int, problems: Problems, place: Place) -> Label:
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
    for row, each in enumerate(list_of(split)):
        role = ROLES.get(str(each).strip().lower())
        if role is None:
            problems.add(place(row), f"split must be query, gallery or both, got {shorten_value(each)}")
        roles.append(role or (True, True))
    table = np.array(roles, dtype=np.bool_).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def checked_queries(queries: Iterable[Any], names: Sequence[str], problems: Problems) -> BoolArray:
    """Which items are named as queries."""
    place = {name: row for row, name in enumerate(names)}
    chosen = np.zeros(len(names), dtype=np.bool_)
    for each in list_of(queries):
        if str(each) in place:
            chosen[place[str(each)]] = True
        else:
            problems.add("", f"query {shorten_value(str(each))} is no item of the features")
    return chosen
