"""Can judgements be used for a system that was not in the pool? Each system in turn is left out of it.

A pool is what the systems that took part have among their first K items. A system that comes later may find relevant
items that nobody has judged, and they count as irrelevant. How much that costs is seen by leaving out, for each system
in turn, the judgements that it alone (or its team alone) has brought in (Zobel 1998; for pictures Westerveld 2005).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankscope.core.arrays import FloatArray
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.rendering import HeadedTable, Presentation, Rows
from rankscope.core.settings import settings_of
from rankscope.core.validation import COUNT, check
from rankscope.core.wording import how_many
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.direction import turn
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.measure import Measure
from rankscope.measures.notation import parse_measure

if TYPE_CHECKING:
    from collections.abc import Sequence


DEPTH = 100


@dataclass(frozen=True)
class OutsidePool:
    """One system with all judgements, and with those that the others would have brought in without it."""

    system: str
    team: str
    unique: int  # judged items that only its team has in the pool
    unique_relevant: int
    pooled: float  # the measure, with all judgements
    outside: float  # and without its own
    place: int  # among all systems, 1 is best
    place_outside: int  # where it would stand with its value from outside

    def row(self) -> dict[str, object]:
        team = {"team": self.team} if self.team != self.system else {}
        return {
            "system": self.system,
            **team,
            "only it": self.unique,
            "of these relevant": self.unique_relevant,
            "in the pool": self.pooled,
            "outside": self.outside,
            "change": self.outside - self.pooled,
            "place": self.place,
            "place outside": self.place_outside,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Reuse(Tabular):
    """All systems, the best first, and how far their order holds for systems outside the pool."""

    measure: str
    depth: int
    systems: tuple[OutsidePool, ...]
    tau: float  # Kendall's, of the values in the pool and outside; none where they are all equal
    lower_is_better: bool = False

    @property
    def mean_change(self) -> float:
        """The mean of the changes, as shares of the values in the pool."""
        shares = [(each.outside - each.pooled) / each.pooled for each in self.systems if each.pooled]
        return float(np.mean(shares)) if shares else float("nan")

    @property
    def worst(self) -> OutsidePool:
        """The system that loses most, or gains least where none loses."""
        return max(self.systems, key=self.loss)

    def loss(self, system: OutsidePool) -> float:
        """What a system loses outside the pool; below 0 where it gains."""
        return (system.pooled - system.outside) * turn(self.lower_is_better)

    @property
    def moved(self) -> int:
        """How many systems would stand at another place."""
        return sum(each.place != each.place_outside for each in self.systems)

    def records(self) -> Rows:
        return [each.row() for each in self.systems]

    def display(self) -> Display:
        words = [line.removeprefix("! ") for line in reuse_lines(self)]
        return Display.of(words, self.records(), ".to_markdown()")

    def presentation(self) -> Presentation:
        return Presentation(tables=[HeadedTable("", self.records())], conclusions=reuse_lines(self))


def reuse(
    qrels: Any,
    runs: Mapping[str, Any],
    measure: str = "AP",
    *,
    depth: int = DEPTH,
    teams: Mapping[str, str] | None = None,
    **settings: Any,
) -> Reuse:
    """Each run with and without the judgements that only it has among its first `depth` items.

    `teams`: which team made each run; then what only runs of a team have is left out. Judged items that no run here has
    so far up stay judged: others brought them in. A query that loses all its judgements counts with the worst value.
    >>> qrels = {"1": {"a": 1, "b": 1, "x": 0}}
    >>> two = {"one": {"1": {"a": 2.0, "b": 1.0}}, "two": {"1": {"x": 2.0, "a": 1.0}}}
    >>> [(each.system, each.unique, each.pooled, each.outside) for each in reuse(qrels, two).systems]
    [('one', 1, 1.0, 1.0), ('two', 1, 0.25, 0.25)]
    """
    return reuse_pool(qrels, runs, measure, depth, teams, settings)


def reuse_pool(
    qrels: Any,
    runs: Mapping[str, Any],
    measure: str,
    pool_depth: int,
    teams: Mapping[str, str] | None,
    settings: Mapping[str, Any],
) -> Reuse:
    """The same as `reuse`, with settings of the evaluation of which one is called `depth` too."""
    depth = check({"pool_depth": pool_depth}, pool_depth=COUNT)["pool_depth"]
    kind, judged = parse_measure(measure, settings_of(**settings).rel), Qrels.of(qrels)
    team_of = _teams(runs, teams)
    read = {name: Run.of(data, name=name) for name, data in runs.items()}
    only = _only_one_team(judged, read, team_of, depth)
    pooled = {name: _values(judged.table, run, measure, settings) for name, run in read.items()}
    outside = {
        name: _values(_without(judged.table, only, team_of[name]), run, measure, settings) for name, run in read.items()
    }
    return _reuse(kind, measure, depth, team_of, only, pooled, outside)


def _only_one_team(qrels: Qrels, runs: Mapping[str, Run], team_of: Mapping[str, str], depth: int) -> pl.DataFrame:
    """Judged items that just one team has in the pool: query, item, grade, team.

    Runs are ordered as trec_eval does: by falling score, then by falling id.
    """
    parts = []
    for name, run in runs.items():
        ordered = run.table().sort(["query", "score", "item"], descending=[False, True, True])
        first = ordered.filter(pl.int_range(pl.len()).over("query") < depth)
        parts.append(first.select("query", "item", team=pl.lit(team_of[name])))
    pool = pl.concat(parts).unique()
    alone = pool.group_by("query", "item").agg(pl.col("team").first(), pl.len().alias("teams"))
    return qrels.table.join(alone.filter(pl.col("teams") == 1).drop("teams"), on=["query", "item"])


def _without(table: pl.DataFrame, only: pl.DataFrame, team: str) -> pl.DataFrame:
    own = only.filter(pl.col("team") == team)
    return table.join(own, on=["query", "item"], how="anti", maintain_order="left")


def _values(table: pl.DataFrame, run: Run, measure: str, settings: Mapping[str, Any]) -> dict[str, float]:
    """The value of each query that counts; nothing where no judgement is left."""
    if not table.height:
        return {}
    system = evaluate(table, run, [measure], **settings).systems[0]
    (column,) = system.columns
    there = column.counted & ~np.isnan(column.values)
    names = np.array(system.ranks.queries, dtype=object)[there]
    return dict(zip(names.tolist(), column.values[there].tolist(), strict=True))


def _reuse(
    kind: Measure,
    measure: str,
    depth: int,
    team_of: Mapping[str, str],
    only: pl.DataFrame,
    pooled: Mapping[str, Mapping[str, float]],
    outside: Mapping[str, Mapping[str, float]],
) -> Reuse:
    from scipy.stats import kendalltau

    names = [*pooled]
    before = np.array([_mean([*pooled[name].values()]) for name in names])
    after = np.array([_mean([outside[name].get(query, kind.worst) for query in pooled[name]]) for name in names])
    sign = turn(kind.lower_is_better)
    counts = {team: own for (team,), own in only.group_by("team")}
    systems = []
    for number, name in enumerate(names):
        own = counts.get(team_of[name])
        systems.append(
            OutsidePool(
                system=name,
                team=team_of[name],
                unique=0 if own is None else own.height,
                unique_relevant=0 if own is None else int((own["grade"] >= kind.level).sum()),
                pooled=float(before[number]),
                outside=float(after[number]),
                place=_place(sign * before, number, sign * before[number]),
                place_outside=_place(sign * before, number, sign * after[number]),
            )
        )
    systems.sort(key=lambda each: each.place)
    tau = float(kendalltau(before, after).statistic)
    lower = kind.lower_is_better
    return Reuse(measure=measure, depth=depth, systems=tuple(systems), tau=tau, lower_is_better=lower)


def _place(values: FloatArray, own: int, value: float) -> int:
    """Where a value would stand among those of the others."""
    others = np.delete(values, own)
    return int((others > value + 1e-12).sum()) + 1


def _teams(runs: Mapping[str, Any], teams: Mapping[str, str] | None) -> dict[str, str]:
    if len(runs) < 2:
        raise SettingError("a pool needs at least two runs, so that one can be left out")
    lacking = [name for name in runs if teams is not None and name not in teams]
    if lacking:
        raise SettingError(f"the team of these runs is not known: {', '.join(lacking)}")
    of = {name: name if teams is None else teams[name] for name in runs}
    if len(set(of.values())) < 2:
        raise SettingError("all runs are of one team: without it there is no pool")
    return of


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def reuse_lines(done: Reuse) -> list[str]:
    """What follows for a new system: nothing beyond the numbers above."""
    change, worst = done.mean_change, done.worst
    mean, loss, order = "as much as in it", "none loses", "all values are equal, so that there is no order to compare"
    if abs(change) >= 0.0005:
        mean = f"{abs(change):.1%} {'less' if change < 0 else 'more'}"
    if not done.loss(worst) <= 0:
        loss = f"the largest loss is that of {worst.system}, {worst.outside - worst.pooled:+.4f}"
    if not math.isnan(done.tau):
        order = f"Kendall's tau of the values in the pool and outside is {done.tau:.3f}"
    lines = [
        f"{done.measure}, pool of the first {how_many(done.depth, 'items')} of {how_many(len(done.systems), 'runs')}. "
        "Outside: without the judgements that only this run (or its team) has brought in.",
        f"In the mean a run outside the pool has {mean}; {loss}.",
        f"{done.moved or 'None'} of {len(done.systems)} would stand at another place; {order}.",
    ]
    if all(each.unique == 0 for each in done.systems):
        lines.append(
            "! every judged item is in the pool of at least two runs: nothing is left out, and nothing can be learnt"
        )
    return lines
