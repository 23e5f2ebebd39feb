"""Labels and lists of ids from files: one a line, .npy, or a table with an id and a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from rankscope.errors import InputError
from rankscope.inputs.arrays_in_files import read_npy
from rankscope.inputs.checks import Problems, shown
from rankscope.inputs.formats.delimited import read_table
from rankscope.inputs.formats.frames import read_frame
from rankscope.inputs.names import name_of, printable
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import find_column, listed_columns

LABEL = ("label", "labels", "class", "classes", "category", "target")
ID = ("id", "ids", "item_id", "name", "item", "file", "path")
TABLES = (".csv", ".tsv", ".parquet")


@dataclass(frozen=True)
class Labels:
    """A label for each item, and the items' names where the file has them."""

    labels: Sequence[Any]
    ids: Sequence[Any] | None = None


def read_labels(path: str | Path, names: Sequence[str] | None = None) -> Labels:
    """Labels in the order of the items; those of a table with ids are matched to `names`, where these are known."""
    file = Path(path)
    if file.suffix.lower() == ".npy":
        values = read_npy(file)
        if values.ndim != 1:
            raise InputError.of(name_of(file), [f"labels must be a list, got shape {values.shape}"])
        return Labels(values.tolist())
    if file.suffix.lower() not in TABLES:
        return Labels(read_list(file))
    frame = _table(file)
    label, name = find_column(frame, LABEL), find_column(frame, ID)
    if label is None:
        raise InputError.of(name_of(file), [f"has no column called label; columns: {listed_columns(frame)}"])
    labels = frame.get_column(label).to_list()
    if name is None:
        return Labels(labels)
    ids = [str(each) for each in frame.get_column(name).to_list()]
    return Labels(labels, ids) if names is None else Labels(_matched(file, ids, labels, names))


def _matched(file: Path, ids: list[str], labels: list[Any], names: Sequence[str]) -> list[Any]:
    """Labels by name; a name that the table does not have has none, one that is there twice is a problem."""
    problems, known = Problems(name_of(file)), {}
    for row, (name, label) in enumerate(zip(ids, labels, strict=True), start=1):
        if name in known:
            problems.add(f"row {row}", f"id {shown(name)} is there twice")
        known[name] = label
    for name in sorted(set(known) - set(names))[:20]:
        problems.add("", f"id {shown(name)} is no item of the features")
    problems.raise_if_any()
    return [known.get(name) for name in names]


def _table(file: Path) -> pl.DataFrame:
    if file.suffix.lower() == ".parquet":
        return read_frame(file)
    problems = Problems(name_of(file))
    table = read_table(Source(str(file)), problems, expected="id,label", known=frozenset((*LABEL, *ID)))
    problems.raise_if_any()
    return table.frame


def read_list(path: str | Path) -> list[str]:
    """The lines of a text file, blanks at their ends cut off; empty lines at the end do not count."""
    file = Path(path)
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError.of(name_of(file), [f"cannot be read: {reason}"], f"Looked for {printable(file)}") from None
    while lines and not lines[-1]:
        lines.pop()
    return lines
