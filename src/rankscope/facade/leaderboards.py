"""How stable is a leaderboard: with other queries, other assessors and other items?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from rankscope.calling import public
from rankscope.errors import RankscopeError, SettingError
from rankscope.facade.scoring import InputChoices

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.facade.varied import VariedInputs
    from rankscope.statistics.table.score_table import ScoreTable
    from rankscope.statistics.verdicts.stability import LeaderboardStability

TENTH = 0.1
MOST_LINES = 2_000_000  # of all runs together, for which a report draws collections
DRAWS_OF_REPORT = 20


@public
def stability(
    qrels: Any = None,
    runs: Any = None,
    measure: str = "AP",
    *,
    assessors: Mapping[str, Any] | Sequence[Any] | None = None,
    left_out: float = TENTH,
    draws: int = 50,
    resamples: int | None = None,
    level: float = 0.95,
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
    from rankscope.evaluation.scores import Scores
    from rankscope.facade.varied import VariedInputs
    from rankscope.statistics.table.score_table import ScoreTable
    from rankscope.statistics.table.units import classes_are_targets
    from rankscope.statistics.verdicts.stability import stability as stability_of
    from rankscope.validation import COUNT, SHARE, Optional, WholeNumber, check

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
    from rankscope.facade.varied import VariedInputs
    from rankscope.statistics.table.score_table import ScoreTable
    from rankscope.statistics.table.units import classes_are_targets
    from rankscope.statistics.verdicts.stability import stability as stability_of

    seed, table = scores.settings.seed, ScoreTable.of(scores)
    if len(table.complete()) < 2:
        return None
    known = {name: each for name, each in given.items() if each is not None}
    others = _if_possible(lambda: _other_collections(scores, VariedInputs({"": None}, runs, "", known), seed))
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


def _other_collections(scores: Scores, inputs: VariedInputs, seed: int) -> list[ScoreTable]:
    from rankscope.facade.varied import tables_of_draws

    if sum(int(each.ranks.depth.sum()) for each in scores.systems) > MOST_LINES:
        return []
    return tables_of_draws(scores, inputs.named_runs(), TENTH, DRAWS_OF_REPORT, seed)


def _by_assessor(
    runs: Any, measure: str, assessors: Any, given: Mapping[str, Any], table: ScoreTable
) -> list[ScoreTable]:
    """The values under each assessor, as far as some queries are measured by all of them."""
    from rankscope.facade.varied import VariedInputs

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
