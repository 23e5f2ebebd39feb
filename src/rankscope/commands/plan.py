"""Where uncertainty comes from (variance components), and what to judge next: queries, assessors, deeper pools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.columns import FACTORS
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.settings import LEVEL, InputChoices
from rankscope.core.validation import COUNT, SHARE, Number, OneOf, Optional, check
from rankscope.core.wording import setting_usage
from rankscope.inputs.qrels import Qrels

if TYPE_CHECKING:
    from rankscope.analysis.sampling.judging_plan import Costs, JudgingPlans, PoolDepths
    from rankscope.analysis.statistics.variance_components import Components, VariedValues
    from rankscope.commands.stability import VariedInputs


# Where uncertainty comes from, and what to judge next.

Collection = Literal["none", "random", "exact"]
HALF = 0.5


@strict_keywords
def variance_components(
    qrels: Any = None,
    runs: Any = None,
    measure: str = "AP",
    *,
    assessors: Mapping[str, Any] | Sequence[Any] | None = None,
    baseline: str | None = None,
    collection: Collection = "none",
    draws: int = 20,
    covariates: Sequence[str] = (),
    explain_by: Any = None,
    level: float = LEVEL,
    **given: Unpack[InputChoices],
) -> tuple[Components, ...]:
    """How much of the variance is that of queries, classes, assessors, collections and seeds: of each system, and of
    its difference from the baseline, which is the first unless named.

    Takes what `evaluate` takes. `assessors`: judgements of each of several people, in place of `qrels`. `runs` of one
    system with several seeds: {system: [run, run, ...]}. Or one table of values alone (a CSV file or a frame) with
    columns query and value, and any of system, measure, class, assessor, seed and collection. `collection`: also by how
    much other items would change values, from `draws` random halves of the collection, or exactly, of P, R and Rprec
    of one system. `covariates`: class-size, generality; `explain_by`: more of them, a file or {name: {query: number}}.
    >>> ann = {f"q{n}": {"a": 1, "b": n % 2} for n in range(6)}
    >>> bob = {f"q{n}": {"a": n % 3 == 0, "b": 1} for n in range(6)}
    >>> run = {query: {"a": 2.0, "x": 1.5, "b": 1.0} for query in ann}
    >>> variance_components(runs={"mine": run}, assessors={"ann": ann, "bob": bob})
    (Components(AP of mine: query 0%, assessor 68%, query x assessor 32%; standard error of the mean 0.2083),)
    """
    from rankscope.analysis.statistics.variance_components import components

    check(locals(), level=SHARE, draws=COUNT, collection=OneOf(("none", "random", "exact")))
    inputs, values = _values_of(qrels, runs, measure, assessors, covariates, explain_by, given)
    seed = given.get("seed") or 0
    found = [components(each, level) for each in values.contrasts(baseline)]
    if collection == "none":
        return tuple(found)
    if inputs is None:
        raise SettingError(f"{setting_usage('collection')}: a table of values has no items; add a column collection")
    from rankscope.commands.stability import with_exact_collection, with_random_collection

    if collection == "exact":
        return tuple(with_exact_collection(found, inputs))
    return tuple(with_random_collection(found, inputs.on_collections(HALF, draws, seed), baseline, level))


def _values_of(
    qrels: Any,
    runs: Any,
    measure: str,
    assessors: Any,
    covariates: Sequence[str],
    explain_by: Any,
    given: Mapping[str, Any],
) -> tuple[VariedInputs | None, VariedValues]:
    """Values from judgements and runs, or from a table of them; the latter knows no judgements."""
    from rankscope.commands.stability import VariedInputs
    from rankscope.inputs.side_tables import is_table_of_scores

    if runs is None and assessors is None and is_table_of_scores(qrels):
        if covariates:
            raise SettingError(f"{setting_usage('covariates')}: a table of values has no judgements; give a column")
        return None, values_of_table(qrels, measure, explain_by)
    inputs = VariedInputs.of(qrels, runs, measure, assessors, given)
    return inputs, inputs.values(inputs.covariates(covariates, explain_by))


def values_of_table(data: Any, measure: str, explain_by: Any = None) -> VariedValues:
    """Values of one measure from a long table."""
    from rankscope.analysis.statistics.explanatory_variables import read_variables
    from rankscope.analysis.statistics.variance_components import VariedValues
    from rankscope.inputs.side_tables import read_external_scores

    frame = read_external_scores(data)
    if "measure" in frame.columns:
        known = frame.get_column("measure").unique().sort().to_list()
        if measure not in known:
            raise SettingError(f"no values of {measure} in the table. There are: {', '.join(known)}")
        frame = frame.filter(frame.get_column("measure") == measure)
    factors = {name: tuple(frame.get_column(name).to_list()) for name in FACTORS if name in frame.columns}
    system = tuple(frame.get_column("system").to_list()) if "system" in frame.columns else ("",) * len(frame)
    more = read_variables(explain_by) if isinstance(explain_by, str | Path) else dict(explain_by or {})
    if not len(frame):
        raise SettingError("the table has no values")
    return VariedValues(
        measure=measure, system=system, factors=factors, values=frame.get_column("value").to_numpy(), covariates=more
    )


@strict_keywords
def plan_judging(
    qrels: Any = None,
    runs: Any = None,
    measure: str = "AP",
    *,
    budget: float,
    cost: str | Costs = "judgement=1",
    judgements: float | None = None,
    pool_depth: int | None = None,
    assessors: Mapping[str, Any] | Sequence[Any] | None = None,
    baseline: str | None = None,
    of: str | None = None,
    level: float = LEVEL,
    **given: Unpack[InputChoices],
) -> JudgingPlans:
    """What should be judged next? More queries, more assessors, deeper pools or more seeds, by the width they promise.

    Takes what `variance_components` takes. `budget`: what may be spent more, in the unit of `cost`, as
    'query=5,judgement=1,assessor=100,seed=20'. With several systems it is about the difference of the second, or of
    `of`, from the baseline; with `of` the baseline's name, about that system alone. `judgements` of a query by one
    assessor: as many as there are, unless given. `pool_depth` to which the runs were judged: else the deepest of 5, 10,
    20, ... of whose pool 90 % is judged.
    >>> qrels = {f"q{n}": {"a": 1, "b": n % 2} for n in range(8)}
    >>> run = {query: {"a": 2.0, "x": 1.5, "b": 1.0} for query in qrels}
    >>> plan_judging(qrels, {"mine": run}, budget=40).best.design.queries
    28
    """
    from rankscope.analysis.sampling.judging_plan import Costs, JudgingPlans, WidthForecast
    from rankscope.analysis.statistics.variance_components import QUERY, components

    check(
        locals(), level=SHARE, budget=Number(above=0), judgements=Optional(Number(above=0)), pool_depth=Optional(COUNT)
    )
    inputs, values = _values_of(qrels, runs, measure, assessors, (), None, given)
    costs = cost if isinstance(cost, Costs) else Costs.parse(cost)
    base, other = contrast_names(values.systems, baseline, of)
    table = values.of_system(base) if base == other else values.difference(base, other)
    apart = None if base == other else table.means_by(QUERY)
    bounds = ScoreTable.make({"": values.values}, measure=values.measure).bounds
    if inputs is None:
        if judgements is None:
            raise SettingError(f"a table of values has no judgements to count: give {setting_usage('judgements', 'N')}")
        forecast = WidthForecast(
            components(table, level), costs, judgements, level=level, differences=apart, bounds=bounds
        )
        return JudgingPlans(forecast, budget)

    mean = judgements_of_a_query(inputs) if judgements is None else judgements
    pools = pools_of(inputs, values.systems, baseline, of, pool_depth) if judgements is None else None
    forecast = WidthForecast(
        components(table, level), costs, mean, pools, level=level, differences=apart, bounds=bounds
    )
    return JudgingPlans(forecast, budget)


def contrast_names(systems: Sequence[str], baseline: str | None, of: str | None) -> tuple[str, str]:
    """The two systems whose difference is asked for; twice the same for one alone.

    >>> contrast_names(["a", "b", "c"], None, None), contrast_names(["a"], None, None)
    (('a', 'b'), ('a', 'a'))
    """
    unknown = [each for each in (baseline, of) if each is not None and each not in systems]
    if unknown:
        raise SettingError(f"no system '{unknown[0]}'. There are: {', '.join(systems)}")
    base = baseline or systems[0]
    others = [each for each in systems if each != base]
    return base, of or (others[0] if others else base)


# How many judgements a query takes, and what deeper pools of the same runs would bring.


def judgements_of_a_query(inputs: VariedInputs) -> float:
    """Judged items of a query, in the mean over queries and assessors."""
    tables = [Qrels.of(each, inputs.reading).table for each in inputs.judgements.values()]
    counts = [len(each) / max(1, each.get_column("query").n_unique()) for each in tables]
    return sum(counts) / len(counts)


def pools_of(
    inputs: VariedInputs, systems: Sequence[str], baseline: str | None, of: str | None, depth: int | None = None
) -> PoolDepths | None:
    """Pools of the runs at hand, judged by the first assessor to some depth; None where nothing can be said of it."""
    import polars as pl

    from rankscope.analysis.sampling.judged_run import ranking_table
    from rankscope.analysis.sampling.judging_plan import pool_depths
    from rankscope.analysis.sampling.pools import Rankings

    judged = Qrels.of(next(iter(inputs.judgements.values())), inputs.reading).table
    queries = judged.get_column("query").unique().sort().to_list()
    runs = inputs.named_runs()
    rankings = Rankings.of_tables([ranking_table(run) for run in runs.values()], queries)
    base, other = contrast_names(systems, baseline, of)
    compared = {name: runs[name].table() for name in dict.fromkeys((base, other))}

    def mean_of(some: pl.DataFrame) -> float:
        # Of one system, or of a difference; a query of which no pool has anything relevant counts as 0.
        import numpy as np

        values: Any = ScoreTable.of(inputs.scores(some, compared)).select(base, other).values
        filled = np.nan_to_num(values)
        return float(filled[:, 0].mean() if base == other else (filled[:, 1] - filled[:, 0]).mean())

    return pool_depths(rankings, judged, mean_of, depth)
