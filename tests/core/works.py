"""Pieces of work that workers of every kind find by their names."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rankscope.core.arrays import IntArray
from rankscope.core.errors import (
    InputError,
    MeasureError,
    MissingExtra,
    Problem,
    ProblemReport,
    QueryError,
    RankscopeError,
    RunnerError,
    SettingError,
    SwappedInputs,
    TimeLimitError,
)
from rankscope.core.threads import thread_count

REPORTS = [
    ProblemReport("a.run", [Problem("line 17", "score must be a number"), Problem("", "it is short")], "Look", 40),
    ProblemReport("b.run", [Problem("query 3", "item 'x' is ranked twice")]),
]
ERRORS: dict[str, RankscopeError] = {
    "reports": InputError(REPORTS),
    "swapped": SwappedInputs("bm25.run", "qrels.txt"),
    "measure": MeasureError("no such measure"),
    "settings": SettingError.of(["seed=-1: must be 0 or more", "level=2: must be below 1"]),
    "missing": MissingExtra("torch", "gpu"),
    "runner": RunnerError("a worker was lost"),
    "query": QueryError("java AND", 9, "expected a term, but the query ends", advice="Quote AND to search for it."),
    "time": TimeLimitError(2.5),
}


@dataclass(frozen=True)
class Numbered:
    """A part that is known by its number."""

    number: int

    @property
    def digest(self) -> str:
        """Its name."""
        return f"{self.number:032d}"


def doubled(shared: int, part: int) -> int:
    return shared * part


def element(shared: IntArray, part: int) -> int:
    return int(shared[part])


def named(shared: str, part: Numbered) -> str:
    return f"{shared}{part.number}"


def failing(shared: object, part: str) -> int:
    raise ERRORS[part]


def failing_otherwise(shared: object, part: int) -> int:
    raise ZeroDivisionError(f"part {part}")


def failing_at_first(shared: str, part: int) -> int:
    """Fails twice for each part; `shared` is a folder in which the tries leave their traces."""
    tries = len(list(Path(shared).glob(f"{part}.*")))
    Path(shared, f"{part}.{tries}").touch()
    if tries < 2:
        raise OSError(f"part {part}: the network is away")
    return part


def cores_of_a_part(shared: object, part: int) -> tuple[int, int]:
    """How many threads work and matrix products have inside a part."""
    pools = import_module("threadpoolctl").threadpool_info()
    return thread_count(), max(each["num_threads"] for each in pools if each["user_api"] == "blas")


def slow(shared: float, part: int) -> int:
    time.sleep(shared)
    return part


def slow_and_noted(shared: Path, part: int) -> int:
    (shared / f"{part}").touch()
    return slow(0.2, part)


def ending(shared: object, part: int) -> int:
    os._exit(3)
