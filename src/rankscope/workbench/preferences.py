"""Two systems before somebody's eyes without their names: what is compared, on which side, and what was answered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankscope.analysis.assessors.preferences import (
    CHOICES,
    INTERLEAVED,
    SIDE_BY_SIDE,
    Choice,
    Interleaved,
    Preference,
    coins_of,
    interleave,
)
from rankscope.core.digests import stable_random
from rankscope.core.errors import InputError, SettingError
from rankscope.workbench.sources import read_ranking, run_names
from rankscope.workbench.store.events import Event, MarkEvent

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


ITEMS_SHOWN: Final = 10  # items of a list
MODES: Final = (SIDE_BY_SIDE, INTERLEAVED)
SWAP_AFTER: Final = 5  # comparisons of somebody before the same lists come back with the sides swapped
LONGEST_WHY: Final = 2000  # signs
Heads = Mapping[str, Mapping[str, tuple[str, ...]]]  # the first items of each run, by run and query


class ShownPair(NamedTuple):
    """What somebody compares: two systems for a query, and which of them stands on the left."""

    query: str
    left: str
    right: str
    mode: str

    def key(self, secret: bytes, assessor: int) -> str:
        """A name that tells nothing to who does not know the secret."""
        about = "\0".join((str(assessor), *self)).encode()
        return hashlib.blake2b(about, digest_size=8, key=secret[:64], person=b"compare").hexdigest()


@dataclass(frozen=True, eq=False)
class Comparing:
    """What people may compare in a project: every two of its runs, for every query that both answer differently."""

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    heads: Heads
    seed: int
    swap: float

    @classmethod
    def of(cls, project: Project) -> Comparing:
        """From the runs that a project names; a `SettingError` where there are fewer than two."""
        names = run_names(project.sources.runs)
        if len(names) < 2:
            raise SettingError("two systems are compared, and the project names fewer: add runs to its project.toml")
        heads = {name: _heads(path) for name, path in zip(names, project.sources.runs, strict=True)}
        foreign = {item for by_query in heads.values() for items in by_query.values() for item in items}
        if lacking := sorted(foreign - project.places.keys()):
            raise InputError.of("runs", [f"'{item}' is not in the collection" for item in lacking])
        file = project.file
        return cls(tuple(names), tuple(project.queries), heads, file.seed, swap=file.swap)

    def plan(self, assessor: int, mode: str) -> list[ShownPair]:
        """All that somebody is to compare, in their own order; some of it a second time with the sides swapped."""
        heads = self.heads
        pairs = [
            (query, one, other)
            for one, other in combinations(self.systems, 2)
            for query in self.queries
            if query in heads[one] and query in heads[other] and heads[one][query] != heads[other][query]
        ]
        pairs.sort(key=lambda each: stable_random(self.seed, "compare", mode, assessor, *each))
        found: list[ShownPair] = []
        due: list[tuple[int, ShownPair]] = []  # what comes back swapped, and at which place
        for place, (query, one, other) in enumerate(pairs):
            while due and due[0][0] <= place:
                found.append(due.pop(0)[1])
            turned = mode == SIDE_BY_SIDE and stable_random(self.seed, "side", assessor, query, one, other) < 0.5
            shown = ShownPair(query, other, one, mode) if turned else ShownPair(query, one, other, mode)
            found.append(shown)
            about = (assessor, shown.query, *sorted((shown.left, shown.right)))
            if mode == SIDE_BY_SIDE and stable_random(self.seed, "swap", *about) < self.swap:
                due.append((place + SWAP_AFTER, shown._replace(left=shown.right, right=shown.left)))
        return [*found, *(each for _, each in due)]

    def interleaved(self, assessor: int, shown: ShownPair) -> Interleaved:
        """The two lists of a comparison as one, the same whenever it is asked for."""
        about = (self.seed, "coin", assessor, shown.query, shown.left, shown.right)
        left, right = (self.heads[each][shown.query] for each in (shown.left, shown.right))
        return interleave(left, right, coins_of(lambda place: stable_random(*about, place)), depth=ITEMS_SHOWN)


def _heads(path: Any) -> dict[str, tuple[str, ...]]:
    import polars as pl

    table = read_ranking(path).filter(pl.col("rank") <= ITEMS_SHOWN).sort("query", "rank")
    rows = table.group_by("query", maintain_order=True).agg("item").iter_rows()
    return {query: tuple(items) for query, items in rows}


def mark_of_choice(
    assessor: int, key: str, shown: ShownPair, choice: Choice, why: str = "", ms: int | None = None
) -> MarkEvent:
    detail = {"left": shown.left, "right": shown.right, "mode": shown.mode, "choice": choice}
    return _mark(assessor, key, shown, detail, why, ms)


def mark_of_clicks(
    assessor: int,
    key: str,
    shown: ShownPair,
    made: Interleaved,
    clicked: list[str],
    why: str = "",
    ms: int | None = None,
) -> MarkEvent:
    first, second = made.credit(clicked)
    choice = "left" if first > second else "right" if second > first else "equal"
    lists = {"items": list(made.items), "teams": list(made.teams), "clicked": clicked}
    detail = {"left": shown.left, "right": shown.right, "mode": shown.mode, "choice": choice, **lists}
    return _mark(assessor, key, shown, detail, why, ms)


def _mark(assessor: int, key: str, shown: ShownPair, detail: dict[str, Any], why: str, ms: int | None) -> MarkEvent:
    more = {"why": why} if why else {}
    return MarkEvent(assessor=assessor, key=key, kind="prefer", query=shown.query, ms=ms, detail={**detail, **more})


def problem_of_preference(mark: MarkEvent) -> str:
    """What is wrong with an answer to two systems, in words; nothing where all is well."""
    detail = mark.detail or {}
    left, right = detail.get("left"), detail.get("right")
    if mark.query is None or not isinstance(left, str) or not isinstance(right, str) or not left or left == right:
        return "a preference says for which query, and between which two systems"
    if detail.get("choice") not in CHOICES or detail.get("mode") not in MODES:
        return f"a preference is one of {', '.join(CHOICES)}, for lists that are {' or '.join(MODES)}"
    return "" if len(str(detail.get("why", ""))) <= LONGEST_WHY else f"a reason has at most {LONGEST_WHY:,} signs"


def preferences_of(project: Project) -> list[Preference]:
    """What everybody prefers: the last answer of each to the same lists on the same sides."""
    found: dict[tuple[Any, ...], Event] = {}
    for events in project.state.preferences.values():
        for event in events:
            known = event.details
            found[event.assessor, event.query, known["left"], known["right"], known["mode"]] = event
    shown = ("left", "right", "choice", "mode")
    return [
        Preference(
            query=event.query or "",
            assessor=project.assessors[event.assessor].name,
            **{name: event.details[name] for name in shown},
        )
        for event in sorted(found.values(), key=lambda event: event.id)
    ]
