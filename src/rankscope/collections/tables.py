"""Small tables of labels that lie next to a collection."""

from __future__ import annotations

import csv
from pathlib import Path

from rankscope.collections.kind import NotThereError


def label_table(path: Path) -> list[tuple[str, str]]:
    """Rows (file, class) of a CSV file with these two columns, in its order."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        if not {"file", "class"} <= set(rows.fieldnames or ()):
            raise NotThereError(f"has a {path.name} without the columns file and class")
        return [(row["file"], row["class"]) for row in rows]


def lines_of(path: Path) -> list[str]:
    """The lines of a text file that are not blank, without blanks around them."""
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
