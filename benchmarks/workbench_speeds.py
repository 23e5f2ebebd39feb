"""The speeds that a person feels, each next to its goal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks import workbench_http
from benchmarks.lengths import length
from benchmarks.workbench_browsing import EXAMPLES, FEATURES, ITEMS, Browsed, browse, large_collection

SMALL_PHOTOGRAPH, LARGE_PHOTOGRAPH = (384, 256), (4000, 3000)


@dataclass(frozen=True)
class Speed:
    """What was measured, in which unit, and what it should not exceed on a quiet machine; None: no goal."""

    name: str
    value: float
    unit: str
    goal: float | None = None

    def row(self) -> str:
        """A row of the table."""
        wanted = "" if self.goal is None else f"{self.goal:g} {self.unit}"
        verdict = "" if self.goal is None else "yes" if self.value <= self.goal else "**no**"
        return (
            f"| {self.name} | {self.value:{'.2f' if self.unit == 's' else '.0f'}} {self.unit} | {wanted} | {verdict} |"
        )


def speeds(folder: Path) -> str:
    """The table, then every method's round."""
    for name in ("large", "page", "keys"):
        (folder / name).mkdir()
    with large_collection(folder / "large") as project:
        found = browse(project)
        place = project.folder
    page, ranking = workbench_http.start_times(place)
    cold, warm = workbench_http.picture_page(folder / "page")
    waits = workbench_http.key_to_saved(folder / "keys")
    size = f"{ITEMS:,} x {FEATURES}"
    rows = [
        Speed(f"start to the first page, {size}", page, "s", 0.6),
        Speed("start to the first ranking", ranking, "s", 1.0),
        *_browsed(found),
        Speed("page of 60 photographs, made now", cold, "s", 0.3),
        Speed("the same again, from the cache", warm, "s"),
        Speed("key to saved in Chromium, 95 % within", waits[int(0.95 * len(waits))], "ms", 50),
        Speed("key to saved in Chromium, median", median(waits), "ms"),
    ]
    head = ["| what a person feels | measured | goal on a quiet machine | held |", "|---|---|---|---|"]
    return "\n".join([*head, *(each.row() for each in rows), "", _rounds(found), "", _thumbnails()])


def _browsed(found: Browsed) -> list[Speed]:
    """Processor time: the rest of the machine does not change it much."""
    method, slowest = found.slowest
    return [
        Speed("more like this, a page of 20, processor time", found.like, "ms", 15),
        Speed("the first one", found.first_like, "ms"),
        Speed(f"slowest of {len(found.rounds)} feedback methods: {method}, processor time", slowest, "ms", 100),
        *(
            Speed(f"{kind} graph, made and drawn, processor time", spent, "ms", 150)
            for kind, spent in found.graphs.items()
        ),
        Speed("the first graph", found.first_graph, "ms"),
    ]


def _rounds(found: Browsed) -> str:
    told = ", ".join(
        f"{method} {spent:.0f}" for method, spent in sorted(found.rounds.items(), key=lambda each: -each[1])
    )
    return (
        f"A round of feedback with {EXAMPLES} + {EXAMPLES} examples, page included, in milliseconds of processor time: "
        f"{told}."
    )


def _thumbnails() -> str:
    small = workbench_http.thumbnails_a_second(SMALL_PHOTOGRAPH, length(200, 40))
    large = workbench_http.thumbnails_a_second(LARGE_PHOTOGRAPH, length(20, 4))
    return f"Thumbnails, a second of processor time: {small:,.0f} of 384 x 256, {large:,.0f} of 4000 x 3000."
