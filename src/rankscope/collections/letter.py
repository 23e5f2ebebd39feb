"""UCI letter recognition: 20,000 letters as 16 whole numbers each, with very many equal distances."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankscope.collections.collection import Collection
from rankscope.collections.kind import CollectionKind, NotThereError
from rankscope.collections.tables import lines_of

FILE = "letter-recognition.data"
COLUMNS = 16


def read(folder: Path) -> Collection:
    """One line per letter: its class, then 16 whole numbers from 0 to 15."""
    if not (folder / FILE).is_file():
        raise NotThereError(f"holds no {FILE}")
    rows = [line.split(",") for line in lines_of(folder / FILE)]
    wrong = [number for number, row in enumerate(rows, start=1) if len(row) != COLUMNS + 1]
    if wrong or not rows:
        place = f"line {wrong[0]} of " if wrong else ""
        raise NotThereError(f"has no class and {COLUMNS} numbers in {place}{FILE}")
    return Collection(
        name="letter",
        ids=tuple(f"{row:05}" for row in range(len(rows))),
        labels=tuple(row[0] for row in rows),
        features=np.array([row[1:] for row in rows], dtype=np.int64),
    )


KIND = CollectionKind(
    name="letter",
    about="20000 letters in 26 classes, 16 whole numbers each; many exact ties",
    read=read,
    layout=f"It should hold {FILE}: the class and {COLUMNS} numbers a line, separated by commas.",
    source="Frey and Slate 1991 (UCI)",
)
