"""Items that may belong to a class whose label they do not have, and members that none of their class finds."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import InputError
from rankscope.core.rendering import Rows, as_json, text_table
from rankscope.core.validation import Number, check
from rankscope.core.wording import how_many
from rankscope.engines.nearest import metrics
from rankscope.engines.nearest.relevance import Best
from rankscope.engines.nearest.space import Space
from rankscope.inputs.features import Features

if TYPE_CHECKING:
    pass

CELLS = 1 << 22  # scores at once
MOST = 0.5
Progress = Callable[[float], None]


@dataclass(frozen=True)
class LikelyMiss:
    """An item that ranks as a member of a class and does not have its label."""

    label: str
    item: str
    own: str  # the labels it has
    share: float  # of the members, that find it among as many items as the class has other members
    typical: float  # the median of that share over the members themselves

    def row(self) -> dict[str, object]:
        """As a row of a table."""
        return {
            "class": self.label,
            "item": self.item,
            "its label": self.own or "-",
            "found by members": self.share,
            "a member (median)": self.typical,
        }


@dataclass(frozen=True, eq=False, repr=False)
class LabelCheck(Tabular):
    """What to look at again: likely misses of the labels, the surest first, and members that no other member finds."""

    misses: tuple[LikelyMiss, ...]
    strangers: tuple[LikelyMiss, ...]
    classes: int
    items: int
    metric: str
    least: float

    def facts(self) -> str:
        """What was looked at, in a line."""
        return f"{how_many(self.classes, 'classes')} of two or more, {how_many(self.items, 'items')}, {self.metric}"

    def records(self) -> Rows:
        return label_check_rows(self)

    def display(self) -> Display:
        misses, strangers = how_many(len(self.misses), "likely miss", "likely misses"), len(self.strangers)
        members = how_many(strangers, "member", "members")
        words = f"{misses} of the labels, {members} that no other member finds; {self.facts()}"
        return Display.of([words], self.records())


def check_labels(
    features: Features, metric: metrics.Metric = "cosine", least: float = MOST, progress: Progress | None = None
) -> LabelCheck:
    """Of every class the items outside it that more than the share `least` of its members find among the first c.

    >>> features = Features.of([[0.0], [0.1], [0.2], [0.15], [9.0], [9.1]], list("aaaxbb"))
    >>> [(each.label, each.item, each.own, each.share) for each in check_labels(features, "l2").misses]
    [('a', '3', 'x', 1.0)]
    """
    least = check(locals(), least=Number(least=0, below=1))["least"]
    named = metrics.metric_named(metric)
    space, members_of = metrics.space_of(named, features.matrix), dict[str, list[int]]()
    for item, labels in enumerate(features.several):
        for label in labels:
            members_of.setdefault(label, []).append(item)
    # The labels of two items or more that are not on all of them.
    groups = {label: np.array(own) for label, own in sorted(members_of.items()) if 2 <= len(own) < len(features)}
    if not groups:
        raise InputError.of("features", ["no label has two items: there is nothing to check"])
    misses: list[LikelyMiss] = []
    strangers: list[LikelyMiss] = []
    for number, (label, members) in enumerate(groups.items(), start=1):
        share = found_share(space, members)
        inside = np.zeros(len(features), np.bool_)
        inside[members] = True
        typical = float(np.median(share[inside]))
        outside = np.flatnonzero(~inside & (share > least))
        misses += [_miss(features, label, item, share, typical) for item in outside.tolist()]
        lonely = members[share[members] == 0]
        strangers += [_miss(features, label, item, share, typical) for item in lonely.tolist()]
        if progress is not None:
            progress(number / len(groups))
    misses.sort(key=lambda each: (-each.share, -each.typical, each.label, each.item))
    return LabelCheck(
        misses=tuple(misses),
        strangers=tuple(strangers),
        classes=len(groups),
        items=len(features),
        metric=metrics.metric_name(named),
        least=least,
    )


def found_share(space: Space, members: IntArray) -> FloatArray:
    """For every item the share of the members, itself left out, that have it among their first c = m - 1 items."""
    wide = members.size - 1
    found = np.zeros(len(space))
    step = max(1, CELLS // len(space))
    for start in range(0, members.size, step):
        queries = members[start : start + step]
        best = Best(queries, space, number=wide)
        scores = space.scores(queries, slice(0, len(space))).astype(np.float64)
        scores[np.arange(queries.size), queries] = -np.inf
        best.add(scores, np.arange(len(space)))
        found += np.bincount(best.items()["item"], minlength=len(space))
    asked = np.full(len(space), members.size)
    asked[members] = wide
    return found / asked


def _miss(features: Features, label: str, item: int, share: FloatArray, typical: float) -> LikelyMiss:
    return LikelyMiss(
        label=label, item=features.ids[item], own=features.labels[item], share=float(share[item]), typical=typical
    )


# Likely misses of labels as text, CSV and JSON.

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
    return [f"{heading}: {len(listed):,}{more}\n", text_table([each.row() for each in listed[:limit]])]
