"""Can judgements be used for new systems, and can labels be trusted?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.calling import public
from rankscope.settings import Choices

if TYPE_CHECKING:
    from rankscope.engines.nearest.label_check import LabelCheck
    from rankscope.sampling.reuse import Reuse


@public
def pool_reuse(
    qrels: Any,
    runs: Any,
    measure: str = "AP",
    *,
    pool_depth: int = 100,
    teams: Mapping[str, str] | str | Path | None = None,
    compat: str | None = None,
    columns: Any = None,
    map_qrels: Any = None,
    map_runs: Any = None,
    **settings: Unpack[Choices],
) -> Reuse:
    """How a system outside the pool fares: each run without the judgements that it alone has brought in.

    `runs`: a list, or a dictionary by name. `teams`: the team of each run, a dictionary or a CSV file (run, team).
    `columns`, `map_qrels` and `map_runs` as in `evaluate`.
    """
    from rankscope.errors import InputError
    from rankscope.inputs.checks import raise_all
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.reading import reading_with
    from rankscope.inputs.several import all_problems, named_runs
    from rankscope.inputs.swapped import refuse_swapped
    from rankscope.sampling.reuse import reuse_pool

    errors: list[InputError] = []
    reading = reading_with(columns, None, None, "utf-8", True, 200.0, map_qrels, map_runs)
    refuse_swapped(qrels, runs, reading)
    named = named_runs(runs, reading, errors)
    read = partial(Qrels.of, qrels, reading)
    with all_problems(named, read):
        raise_all(errors)
        judged = read()
    chosen: dict[str, Any] = {**settings, **({} if compat is None else {"compat": compat})}
    by_name = {run.name: run for run in named}
    with all_problems(named):
        return reuse_pool(judged, by_name, measure, pool_depth, _teams(teams), chosen)


@public
def check_labels(
    features: Any,
    labels: Any = None,
    *,
    metric: str | None = None,
    least: float = 0.5,
    separator: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> LabelCheck:
    """Items that rank as members of a class whose label they do not have, and members that no other member finds.

    `features` as for `rank`; `least`: by more than this share of the members an item must be found among as many items
    as the class has other members.
    """
    from rankscope.engines.nearest.label_check import check_labels as check
    from rankscope.facade.problems import labelled_items

    how = {"labels": labels, "separator": separator, "label_column": label_column, "id_column": id_column}
    items = labelled_items(features, **how)
    return check(items, metric or items.metric or "cosine", least, progress)


def _teams(given: Mapping[str, str] | str | Path | None) -> dict[str, str] | None:
    if given is None or isinstance(given, Mapping):
        return None if given is None else dict(given)
    from rankscope.inputs.pairs import read_pairs

    return read_pairs(given, ("run", "team"))
