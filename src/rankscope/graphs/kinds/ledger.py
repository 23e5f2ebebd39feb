"""The stages of a pipeline as a waterfall: what each takes of recall."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankscope.errors import SettingError
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import Systems, counted_systems
from rankscope.graphs.kinds.shared.score_values import LevelOption
from rankscope.graphs.option import Option
from rankscope.graphs.system_count import SystemCount
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.table.units import drawn_by_class

WHAT = "the ledger"
STAGES = SystemCount(2, 12)
ScopeOption = Annotated[
    int | None, Option("look at so many items of each list; none: as many as are relevant", metavar="K", least=1)
]


@kind("ledger", "the stages of a pipeline: what each takes of recall", systems=STAGES, paper_width="full")
def ledger_graph(systems: Systems, scope: ScopeOption = None, level: LevelOption = 0.95, seed: int = 0) -> Graph:
    """What each stage of a pipeline takes of recall, from the first to the last: one bar a stage.

    The systems are the runs behind each stage, in order. The bars add up: they lead from the value of the first stage
    to that of the last. A stage that brings relevant items back rises.
    """
    from rankscope.graphs.waterfall import waterfall
    from rankscope.pipeline.account import Account
    from rankscope.pipeline.ledger import main_quantity
    from rankscope.pipeline.statement import statement_of

    stages = counted_systems(systems, WHAT, STAGES)
    _need_same_queries(stages)
    relevant = stages[0].relevant
    limit = relevant if scope is None else np.full(relevant.size, scope)
    account = Account(
        name=main_quantity(scope),
        stages=tuple(each.system for each in stages),
        relevant=relevant,
        hits=np.stack([each.hits(limit) for each in stages], axis=1),
        best=np.minimum(relevant, limit),
    )
    drawn = stages[0].classes if drawn_by_class(stages) else None
    return waterfall(statement_of(account, drawn, level=level, seed=seed))


def _need_same_queries(stages: list[RelevantRanks]) -> None:
    first = stages[0]
    others = [
        each.system
        for each in stages[1:]
        if each.queries != first.queries or not np.array_equal(each.relevant, first.relevant)
    ]
    if others:
        raise SettingError(
            f"{WHAT} follows the same queries and relevant items through all stages; {', '.join(others)} "
            f"{'has' if len(others) == 1 else 'have'} others than {first.system}"
        )
