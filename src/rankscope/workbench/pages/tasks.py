"""Tasks: a query and an item under numbers that say nothing, as `3-17`."""

from __future__ import annotations

import re
from typing import Final

from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.store.state import Pair

TASK: Final = re.compile(r"([0-9]{1,12})-([0-9]{1,12})", re.ASCII)


def task_of(bench: Workbench, pair: Pair) -> str:
    """What pages call an item of a query."""
    return f"{bench.query_number(pair[0])}-{bench.number_of(pair[1])}"


def pair_of(bench: Workbench, task: str) -> Pair:
    """Which query and item a task means; refused where it means none."""
    found = TASK.fullmatch(task)
    try:
        if found:
            return bench.query_of(int(found[1])), bench.item_of(int(found[2]))
    except IndexError:
        pass
    raise Refusal(400, f"task: there is no task '{task[:40]}' in this project")


def read_tasks(bench: Workbench, text: str, most: int) -> list[Pair]:
    """Tasks with commas between; those that mean nothing any more are left out."""
    pairs = []
    for each in filter(None, text.split(",")[:most]):
        try:
            pairs.append(pair_of(bench, each))
        except Refusal:
            continue
    return list(dict.fromkeys(pairs))
