"""From the runs of a project to the frozen rows of a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.errors import InputError, RankscopeError, SettingError
from rankscope.inputs.checks import raise_all
from rankscope.sampling.pools.plan import PoolPlan
from rankscope.sampling.pools.rankings import Rankings
from rankscope.validation import COUNT, SEED, Optional, check
from rankscope.workbench.sources import read_ranking
from rankscope.workbench.store.rows import Pooled

if TYPE_CHECKING:
    import polars as pl

    from rankscope.workbench.project import Project


def make_rows(project: Project, method: str, budget: int | None, seed: int) -> tuple[PoolPlan, list[Pooled]]:
    """The plan and the candidates; bad input is told whole."""
    check(locals(), budget=Optional(COUNT), seed=SEED)
    plan = PoolPlan.parse(method)
    if budget is not None and not plan.is_adaptive:
        raise SettingError(
            f"'{plan}' takes no budget: it says itself how many items are judged; mtf and bandit take one"
        )
    if not project.sources.runs:
        raise SettingError(f"a pool is drawn from runs, and {project.folder} names none: add them to its project.toml")
    if plan.compares and len(project.sources.runs) < 2:
        raise SettingError(f"'{plan}' decides between the first two runs of a project, and {project.folder} names one")
    rankings = Rankings.of_tables(_tables(project), list(project.queries))
    table = plan.candidates(rankings, seed)
    if not table.height:
        raise SettingError("the runs answer none of the project's queries, so there is nothing to judge")
    _check_items(project, table)
    version = len(project.designs) + 1
    return plan, [
        Pooled(version, query, item, stratum, pi, origin, None if drawn is None else int(drawn), place)
        for place, (query, item, stratum, pi, origin, drawn) in enumerate(table.iter_rows())
    ]


def _tables(project: Project) -> list[pl.DataFrame]:
    tables, errors = [], []
    for path in project.sources.runs:
        try:
            tables.append(read_ranking(path))
        except InputError as error:
            errors.append(error)
        except RankscopeError as error:
            errors.append(InputError.of(str(path), [str(error)]))
    raise_all(errors)
    return tables


def _check_items(project: Project, table: pl.DataFrame) -> None:
    foreign = [item for item in table.get_column("item").unique(maintain_order=True) if item not in project.places]
    if foreign:
        problems = [f"'{item}' is not in the collection" for item in foreign]
        raise InputError.of("runs", problems, "The runs changed since the project was made.")
