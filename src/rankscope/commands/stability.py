"""How stable is a leaderboard, with other queries, other assessors and other items?

What questions about chance have in common stands here too: the same systems under several assessors, seeds and
collections, and what other items would do to values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.variance_components import (
    QUERY,
    Components,
    VarianceComponent,
    VariedValues,
    components,
    divisor,
)
from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.settings import LEVEL, InputChoices
from rankscope.core.validation import COUNT, SHARE, Optional, WholeNumber, check
from rankscope.core.wording import setting_usage
from rankscope.inputs.problems import raise_all
from rankscope.measures.evaluation.scores import Scores
from rankscope.ranks.relevant_ranks import RelevantRanks

if TYPE_CHECKING:
    from rankscope.analysis.comparison.leaderboard import LeaderboardStability
    from rankscope.inputs.reading import Reading
    from rankscope.inputs.run import Run


# How stable is a leaderboard: with other queries, other assessors and other items?

LEFT_OUT = 0.1
MOST_LINES = 2_000_000  # of all runs together, for which a report draws collections
DRAWS_OF_REPORT = 20


@strict_keywords
def stability(
    qrels: Any = None,
    runs: Any = None,
    measure: str = "AP",
    *,
    assessors: Mapping[str, Any] | Sequence[Any] | None = None,
    left_out: float = LEFT_OUT,
    draws: int = 50,
    resamples: int | None = None,
    level: float = LEVEL,
    **given: Unpack[InputChoices],
) -> LeaderboardStability:
    """How stable is a leaderboard? How often systems change their order with other queries, assessors or collections.

    Takes what `evaluate` takes, or scores that it gave. `assessors`: judgements of each of several people, in place of
    `qrels`; the leaderboard is that of their means. `draws` collections are made by leaving out such a share of the
    items that are not relevant; none where `draws` is 0, or only scores are given.
    >>> qrels = {f"q{n}": {"a": 1} for n in range(8)}
    >>> good = {query: {"a": 2.0, "x": 1.0} for query in qrels}
    >>> bad = {query: {"x": 2.0, "y": 1.5, "a": 1.0} for query in qrels}
    >>> found = stability(qrels, {"bad": bad, "good": good}, draws=2)
    >>> found.top, [(each.source, each.same_order) for each in found.changes]
    (('good',), [('queries', 1.0), ('collection', 1.0)])
    """
    from rankscope.analysis.comparison.leaderboard import stability as stability_of
    from rankscope.analysis.statistics.sampling_units import classes_are_targets

    check(locals(), level=SHARE, left_out=SHARE, draws=WholeNumber(least=0), resamples=Optional(COUNT))
    seed = given.get("seed") or 0
    if isinstance(qrels, ScoreTable):
        return stability_of(qrels, level=level, resamples=resamples, seed=seed)
    if isinstance(qrels, Scores):
        table, by_unit = ScoreTable.of(qrels, measure), classes_are_targets(qrels)
        return stability_of(table, by_unit=by_unit, level=level, resamples=resamples, seed=seed)
    inputs = VariedInputs.of(qrels, runs, measure, assessors, given)
    tables = list(inputs.by_assessor().values())
    others = inputs.on_collections(left_out, draws, seed) if draws else []
    return stability_of(
        mean_table(tables),
        assessors=tables if len(tables) > 1 else (),
        collections=[tables[0], *others] if others else (),
        level=level,
        resamples=resamples,
        seed=seed,
    )


def stability_of_report(
    scores: Scores, runs: Any, assessors: Any, given: Mapping[str, Any]
) -> LeaderboardStability | None:
    """The same for a page: by the judgements that it shows, and those of assessors next to them; None of one query.

    Collections are drawn where the runs are so few and small that it takes no more than a moment.
    """
    from rankscope.analysis.comparison.leaderboard import stability as stability_of
    from rankscope.analysis.statistics.sampling_units import classes_are_targets

    seed, table = scores.settings.seed, ScoreTable.of(scores)
    if len(table.complete()) < 2:
        return None
    known = {name: each for name, each in given.items() if each is not None}
    others: list[ScoreTable] = []
    if sum(int(each.ranks.depth.sum()) for each in scores.systems) <= MOST_LINES:
        inputs = VariedInputs({"": None}, runs, "", known)
        others = _if_possible(lambda: tables_of_draws(scores, inputs.named_runs(), LEFT_OUT, DRAWS_OF_REPORT, seed))
    people = _if_possible(lambda: _by_assessor(runs, scores.measures[0], assessors, given, table))
    return stability_of(
        table,
        assessors=people,
        collections=[table, *others] if others else (),
        by_unit=classes_are_targets(scores),
        seed=seed,
    )


def _if_possible(make: Callable[[], list[ScoreTable]]) -> list[ScoreTable]:
    """Nothing where lists were shortened, runs can be read once only, or assessors share no query."""
    try:
        return make()
    except RankscopeError:
        return []


def _by_assessor(
    runs: Any, measure: str, assessors: Any, given: Mapping[str, Any], table: ScoreTable
) -> list[ScoreTable]:
    """The values under each assessor, as far as some queries are measured by all of them."""
    if assessors is None:
        return []
    found = list(VariedInputs.of(None, runs, measure, assessors, given).by_assessor().values())
    mean_table([each.select(*table.systems).complete() for each in found])
    return found


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


# The same systems under several assessors, seeds and collections: what the questions about chance have in common.

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
