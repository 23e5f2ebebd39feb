"""Which system wins where: the rank of each system in each task, on tiles."""

from __future__ import annotations

import numpy as np

from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.number_texts import how_many
from rankscope.statistics.verdicts.suite import Suite, ranks_of_means

SHADE = 0.85


def suite_tiles_graph(suite: Suite) -> Graph:
    """A tile for each system and task: its rank among the systems of the task, and its mean; none where it lacks it."""
    names = [each.name for each in suite.systems]
    x, y, shade, words, below = [], [], [], [], []
    for column, task in enumerate(suite.tasks, 1):
        own = task.table
        ranks = ranks_of_means(-own.gains.mean(axis=0)[None, :])[0]
        for name, rank in zip(own.systems, ranks.tolist(), strict=True):
            x.append(float(column))
            y.append(float(len(names) - names.index(name)))
            last = max(1, len(own.systems) - 1)
            shade.append(SHADE * (1 - (rank - 1) / last))
            words.append(f"{rank:g}")
            below.append(f"{task.mean(name):.3f}".removeprefix("0"))
    tasks, count = len(suite.tasks), len(names)
    return Graph(
        f"Ranks by {suite.measure} in each task",
        Axis("task", domain=(0.5, tasks + 0.5), ticks=_numbers(tasks), texts=tuple(each.name for each in suite.tasks)),
        Axis("system", domain=(0.5, count + 0.5), ticks=_numbers(count), texts=tuple(names[::-1]), rows=2.2),
        subtitle="rank and mean of each system, the better the stronger its colour; blank: it lacks the task",
        summary=f"Ranks of {how_many(count, 'systems')} in {tasks} tasks.",
    ).tiles(x, y, np.array(shade), words, below)


def _numbers(count: int) -> tuple[float, ...]:
    return tuple(float(each) for each in range(1, count + 1))
