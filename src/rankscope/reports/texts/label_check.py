"""Likely misses of labels as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from rankscope.reports.formats.rows import as_json, table

if TYPE_CHECKING:
    from rankscope.engines.nearest.label_check import LabelCheck, LikelyMiss

MISSES = "Items outside a class that most of its members find as they find each other"
STRANGERS = "Members that no other member of their class finds"


def label_check_text(done: LabelCheck, limit: int) -> str:
    """The surest first, at most so many."""
    parts = [f"{done.facts()}\n", *_part(MISSES, done.misses, limit), *_part(STRANGERS, done.strangers, limit)]
    closing = (
        f"Found by more than {done.least:.0%} of the members among the first c items, c the number of the other "
        "members. They are alike by these features; whether they belong is for a person to say.\n"
    )
    return "\n".join([*parts, closing])


def label_check_csv(done: LabelCheck) -> str:
    """All rows, with the kind of each."""
    rows = label_check_rows(done)
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=[*(rows[0] if rows else {"kind": ""})], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def label_check_json(done: LabelCheck) -> str:
    """The same as one object."""
    whole = {"format": "rankscope.labels", "version": 1, "metric": done.metric, "least": done.least}
    return as_json({**whole, "rows": label_check_rows(done)})


def label_check_rows(done: LabelCheck) -> list[dict[str, object]]:
    """Likely misses, then strangers, one row each."""
    kinds = (("likely miss", done.misses), ("stranger", done.strangers))
    return [{"kind": kind, **each.row()} for kind, listed in kinds for each in listed]


def _part(heading: str, listed: tuple[LikelyMiss, ...], limit: int) -> list[str]:
    if not listed:
        return [f"{heading}: none\n"]
    more = f", the first {limit}" if len(listed) > limit else ""
    return [f"{heading}: {len(listed):,}{more}\n", table([each.row() for each in listed[:limit]])]
