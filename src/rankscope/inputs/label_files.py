"""Labels and lists of ids from files: one per line, .npy, or a table with an id and a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from rankscope.column_names import plain_name
from rankscope.errors import InputError
from rankscope.inputs.arrays_in_files import read_npy
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.formats.delimited import read_table
from rankscope.inputs.formats.frames import read_frame
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import find_column, listed_columns
from rankscope.names import name_of, visible

LABEL = ("label", "labels", "class", "classes", "category", "target")
ID = ("id", "ids", "item_id", "name", "item", "file", "path")
TABLES = (".csv", ".tsv", ".parquet")


@dataclass(frozen=True)
class Labels:
    """A label for each item, and the items' names where the file has them."""

    labels: Sequence[Any]
    ids: Sequence[Any] | None = None
    taken: str = ""  # what of the file was taken for what, in words


def read_labels(
    path: str | Path, names: Sequence[str] | None = None, label_column: str | None = None, id_column: str | None = None
) -> Labels:
    """Labels in the order of the items; those of a table with ids are matched to `names`, where these are known.

    The columns of a table are found by their usual names, unless they are given.
    """
    file = Path(path)
    if file.suffix.lower() == ".npy":
        values = read_npy(file)
        if values.ndim != 1:
            raise InputError.of(name_of(file), [f"labels must be a list, got shape {values.shape}"])
        return Labels(values.tolist(), taken=f"{name_of(file)}: one label for each item, in their order")
    if file.suffix.lower() not in TABLES:
        return Labels(read_list(file), taken=f"{name_of(file)}: a label on each line, in the order of the items")
    frame = _table(file, [each for each in (label_column, id_column) if each is not None])
    missing = [each for each in (label_column, id_column) if each is not None and each not in frame.columns]
    if missing:
        problems = [f"has no column '{each}'" for each in missing]
        raise InputError.of(name_of(file), problems, f"Columns: {listed_columns(frame)}")
    label, name = label_column or find_column(frame, LABEL), id_column or find_column(frame, ID)
    if label is None:
        raise InputError.of(name_of(file), [f"has no column called label; columns: {listed_columns(frame)}"])
    labels, taken = frame.get_column(label).to_list(), _taken(file, frame, label, name, names is not None)
    if name is None:
        return Labels(labels, taken=taken)
    ids = [str(each) for each in frame.get_column(name).to_list()]
    return Labels(labels, ids, taken) if names is None else Labels(_matched(file, ids, labels, names), taken=taken)


def _taken(file: Path, frame: pl.DataFrame, label: str, name: str | None, named: bool) -> str:
    """Which columns were taken for what, and which were not."""
    order = "rows in the order of the items"
    how = (
        order if name is None else f"ids from column '{name}'" + (", matched to the items'" if named else f", {order}")
    )
    rest = [each for each in frame.columns if each not in (label, name)]
    return f"{name_of(file)}: labels from column '{label}', {how}" + (f"; not read: {', '.join(rest)}" if rest else "")


def _matched(file: Path, ids: list[str], labels: list[Any], names: Sequence[str]) -> list[Any]:
    """Labels by name; a name that the table does not have has none, one that is there twice is a problem."""
    problems, known = Problems(name_of(file)), {}
    for row, (name, label) in enumerate(zip(ids, labels, strict=True), start=1):
        if name in known:
            problems.add(f"row {row}", f"id {shorten_value(name)} is there twice")
        known[name] = label
    for name in sorted(set(known) - set(names))[:20]:
        problems.add("", f"id {shorten_value(name)} is no item of the features")
    problems.raise_if_any()
    return [known.get(name) for name in names]


def _table(file: Path, given: Sequence[str]) -> pl.DataFrame:
    """All columns; the header is known by the usual names, or by those that were given."""
    if file.suffix.lower() == ".parquet":
        return read_frame(file)
    problems, known = Problems(name_of(file)), frozenset((*LABEL, *ID, *map(plain_name, given)))
    table = read_table(Source(str(file)), problems, expected="id,label", known=known)
    problems.raise_if_any()
    return table.frame


def read_list(path: str | Path) -> list[str]:
    """The lines of a text file, blanks at their ends cut off; empty lines at the end do not count."""
    file = Path(path)
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError.of(name_of(file), [f"cannot be read: {reason}"], f"Looked for {visible(str(file))}") from None
    while lines and not lines[-1]:
        lines.pop()
    return lines
