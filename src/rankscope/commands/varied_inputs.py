"""The same systems under several assessors, seeds and collections: what questions about chance have in common."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.variance_components import (
    QUERY,
    Components,
    VarianceComponent,
    VariedValues,
    components,
    divisor,
)
from rankscope.core.columns import FACTORS
from rankscope.core.errors import InputError, SettingError
from rankscope.core.wording import setting_usage
from rankscope.inputs.problems import raise_all
from rankscope.inputs.qrels import Qrels
from rankscope.measures.evaluation.scores import Scores
from rankscope.ranks.relevant_ranks import RelevantRanks

if TYPE_CHECKING:
    from rankscope.analysis.sampling.judging_plan import PoolDepths
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.run import Run


COVARIATES = ("class-size", "generality")


@dataclass(frozen=True, eq=False)
class VariedInputs:
    """Judgements by assessor ('' where there is one) and the runs of each system, one for each seed."""

    judgements: Mapping[str, Any]
    runs: Any  # as `evaluate` takes them, or {system: [run, ...]} where systems have seeds
    measure: str
    given: Mapping[str, Any]

    @classmethod
    def of(cls, qrels: Any, runs: Any, measure: str, assessors: Any, given: Mapping[str, Any]) -> VariedInputs:
        """Judgements of one, or of each of several assessors in place of them."""
        from rankscope.commands.judgements import judgements_by_name

        if (qrels is None) == (assessors is None):
            people = setting_usage("assessors", "FILE")
            raise SettingError(f"give judgements, or those of each assessor in place of them ({people}), one of both")
        if runs is None or (isinstance(runs, Sequence) and not isinstance(runs, str) and not len(runs)):
            raise SettingError("there is no run to measure: give judgements and one run at least")
        named = {"": qrels} if assessors is None else judgements_by_name(assessors)
        if len(named) < 2 and assessors is not None:
            raise SettingError(f"one assessor alone is no variation: give judgements in place of {', '.join(named)}")
        return cls(named, runs, measure, {name: value for name, value in given.items() if value is not None})

    @property
    def by_seed(self) -> list[Any]:
        """The runs of each seed, by system; systems without seeds are in all of them alike, and counted once."""
        if not isinstance(self.runs, Mapping) or not any(_is_several(each) for each in self.runs.values()):
            return [self.runs]
        several = {name: each if _is_several(each) else [each] for name, each in self.runs.items()}
        most = max(map(len, several.values()))
        return [{name: each[seed] for name, each in several.items() if seed < len(each)} for seed in range(most)]

    def scores(self, judgements: Any, runs: Any) -> Scores:
        from rankscope.measures.evaluation.evaluate import evaluate

        return evaluate(judgements, runs, [self.measure], **self.given)

    def tables(self) -> Iterator[tuple[str, str, ScoreTable]]:
        """Values of all systems, by assessor and seed."""
        seeds = self.by_seed
        for assessor, judgements in self.judgements.items():
            for number, runs in enumerate(seeds, 1):
                yield assessor, str(number) if len(seeds) > 1 else "", ScoreTable.of(self.scores(judgements, runs))

    def by_assessor(self) -> dict[str, ScoreTable]:
        """One table for each assessor, of the first seed."""
        return {name: ScoreTable.of(self.scores(each, self.by_seed[0])) for name, each in self.judgements.items()}

    @property
    def reading(self) -> Reading:
        from rankscope.commands.scores import reading_of_choices

        return reading_of_choices(self.given, comments=self.given.get("comments", True))  # type: ignore[arg-type]

    def named_runs(self) -> dict[str, Run]:
        """The runs of the first seed, read."""
        from rankscope.inputs.run import named_runs

        errors: list[InputError] = []
        found = named_runs(self.by_seed[0], self.reading, errors)
        raise_all(errors)
        return {run.name: run for run in found}

    def on_collections(self, left_out: float, draws: int, seed: int) -> list[ScoreTable]:
        """Values on other collections, by the judgements of the first assessor; some items are left out of each."""
        runs = self.named_runs()
        scores = self.scores(next(iter(self.judgements.values())), runs)
        return tables_of_draws(scores, runs, left_out, draws, seed)

    def covariates(self, names: Sequence[str], explain_by: Any) -> dict[str, dict[str, float]]:
        """Numbers of each query: from a file or {name: {query: number}}, and those that judgements give by themselves.

        Class size and generality are counted in doublings (log 2).
        """
        from rankscope.analysis.statistics.explanatory_variables import read_variables

        is_file = isinstance(explain_by, str | Path)
        found = (
            read_variables(explain_by) if is_file else {name: dict(each) for name, each in (explain_by or {}).items()}
        )
        unknown = [name for name in names if name not in COVARIATES]
        if unknown:
            raise SettingError(f"no covariate {', '.join(unknown)}. There are: {', '.join(COVARIATES)}")
        return found | (self._of_judgements(names) if names else {})

    def _of_judgements(self, names: Sequence[str]) -> dict[str, dict[str, float]]:
        import numpy as np

        scores = self.scores(next(iter(self.judgements.values())), self.by_seed[0])
        ranks = scores.systems[0].ranks
        if "generality" in names and (ranks.collection < 1).any():
            raise SettingError(f"generality needs {setting_usage('collection_size', 'D')}")
        sizes = {"class-size": ranks.relevant, "generality": ranks.relevant / np.maximum(ranks.collection, 1)}
        with np.errstate(divide="ignore"):
            found = {f"{name} (log 2)": np.log2(sizes[name]) for name in names}
        return {name: dict(zip(ranks.queries, each.tolist(), strict=True)) for name, each in found.items()}

    def values(self, covariates: Mapping[str, Mapping[str, float]]) -> VariedValues:
        """All of them as one long table."""
        return VariedValues.of_cells(self.tables(), covariates)


def tables_of_draws(
    scores: Scores, runs: Mapping[str, Run], left_out: float, draws: int, seed: int
) -> list[ScoreTable]:
    """The first measure of some scores on other collections, of which such a share of the items is left out."""
    from rankscope.analysis.sampling.judged_run import ranking_table
    from rankscope.analysis.statistics.collection_band import ThinnedRuns

    rankings = {name: ranking_table(run) for name, run in runs.items()}
    return list(ThinnedRuns.of(scores, rankings).draws(left_out, draws, seed))


def _is_several(runs: Any) -> bool:
    """Whether it is a list of runs, as seeds are given."""
    return isinstance(runs, list | tuple) and not any(isinstance(each, int | float) for each in runs)


def mean_table(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Values of each query, averaged over the tables; NaN where one of them has none."""
    import numpy as np

    first = tables[0]
    if len(tables) == 1:
        return first
    shared = [query for query in first.queries if all(query in set(each.queries) for each in tables)]
    if not shared:
        raise SettingError("the assessors have no query in common")
    rows = [[{query: row for row, query in enumerate(each.queries)}[query] for query in shared] for each in tables]
    values = [each.values[own] for each, own in zip(tables, rows, strict=True)]
    return replace(first.take(np.array(rows[0])), values=np.mean(values, axis=0))


def values_of(
    qrels: Any,
    runs: Any,
    measure: str,
    assessors: Any,
    covariates: Sequence[str],
    explain_by: Any,
    given: Mapping[str, Any],
) -> tuple[VariedInputs | None, VariedValues]:
    """Values from judgements and runs, or from a table of them; the latter knows no judgements."""
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


# What a plan compares: how many judgements a query takes, and what deeper pools of the same runs would bring.


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


# What other items would do to values: the variance of the collection, from random halves or exactly.

OF_COLLECTION, OF_QUERY_AND_COLLECTION = "collection", "query x collection"


def with_random_collection(
    found: Sequence[Components], tables: Sequence[ScoreTable], baseline: str | None, level: float
) -> list[Components]:
    """Components with those of the collection, from values on random halves of it."""
    cells = [("", str(number), table) for number, table in enumerate(tables, 1)]
    values = VariedValues.of_cells(cells)
    factors = {name: each for name, each in values.factors.items() if name in (QUERY, "seed")}
    renamed = {("collection" if name == "seed" else name): each for name, each in factors.items()}
    drawn = replace(values, factors=renamed).contrasts(baseline)
    result = []
    for own, table in zip(found, drawn, strict=True):
        of_halves = components(table, level)
        parts = [of_halves[OF_COLLECTION], of_halves[OF_QUERY_AND_COLLECTION]]
        note = f"of the collection: from {of_halves.sizes[OF_COLLECTION]} random halves of it"
        result.append(with_parts(own, parts, note))
    return result


def with_exact_collection(found: Sequence[Components], inputs: VariedInputs) -> list[Components]:
    """Components with the exact variance of a query's value over all halves of the distractors; no draws.

    What all queries share of it is not known this way. Differences of systems stay as they are.
    """
    scores = inputs.scores(next(iter(inputs.judgements.values())), inputs.by_seed[0])
    exact = {each.name: _exact_variance(each.ranks, scores.measures[0]) for each in scores.systems}
    return [_with_exact(each, place, list(exact.items())) for place, each in enumerate(found)]


def _with_exact(own: Components, place: int, exact: list[tuple[str, float]]) -> Components:
    known = {f"{own.what.partition(' of ')[0]} of {name}": value for name, value in exact}
    if own.what not in known:
        return own
    value = known[own.what]
    levels = own.sizes[QUERY]
    part = VarianceComponent(
        OF_QUERY_AND_COLLECTION, levels=levels, variance=value, low=value, high=value, share=0.0, of_mean=0.0
    )
    return with_parts(own, [part], "of the collection: exact, over all halves of the distractors")


def _exact_variance(ranks: object, measure: str) -> float:
    import numpy as np

    from rankscope.analysis.curves.hits import hits_of
    from rankscope.analysis.curves.thinning import expected_value
    from rankscope.measures.notation import parse_measure

    assert isinstance(ranks, RelevantRanks)
    if (ranks.collection < 1).any():
        raise SettingError(
            f"the exact variance needs the size of the collection: {setting_usage('collection_size', 'D')}"
        )
    some = ranks.take(np.flatnonzero(ranks.relevant > 0))
    variance = expected_value(some, hits_of(some).distractors // 2, parse_measure(measure, ranks.rel)).variance
    if np.isnan(variance).all():
        way = setting_usage("collection", "random")
        raise SettingError(f"the exact variance is known of P, R and Rprec; for {measure} give {way}")
    return float(np.nanmean(variance))


def with_parts(own: Components, more: Sequence[VarianceComponent], note: str) -> Components:
    """Further sources, of which what is the query's own was counted as the query's until now."""
    taken = math.fsum(each.variance for each in more if each.source == OF_QUERY_AND_COLLECTION)
    parts = [_without(each, taken) if each.source == QUERY else each for each in own.parts]
    return with_shares(replace(own, parts=(*parts, *more), notes=(*own.notes, note)))


def _without(part: VarianceComponent, taken: float) -> VarianceComponent:
    variance, low, high = (max(0.0, each - taken) for each in (part.variance, part.low, part.high))
    return replace(part, variance=variance, low=low, high=high)


def with_shares(found: Components) -> Components:
    """The same with shares of all sources."""
    total, mean = found.total, found.mean_variance(found.sizes)
    parts = [
        replace(
            each,
            share=each.variance / total if total else math.nan,
            of_mean=each.variance / divisor(each.source, found.sizes) / mean if mean else math.nan,
        )
        for each in found.parts
    ]
    return replace(found, parts=tuple(parts))
