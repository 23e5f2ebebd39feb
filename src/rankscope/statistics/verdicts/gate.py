"""The gate: may the candidate replace the baseline?

It fails if a loss is shown (the one-sided 95 % limit of the change excludes 0) and the mean loss exceeds the
smallest effect that matters; by the rule `beyond` only if the limit itself exceeds it. It passes if the other limit
rules out a loss beyond that effect, unless so few queries changed that the gate could not have failed (below 60
queries; where none changed it passes). Else it is undecided. Several measures or classes are one family: Holm's steps
decide how strict each limit is, so that all together raise a false alarm in at most 5 % of cases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.measures.direction import turned
from rankscope.number_texts import how_many
from rankscope.statistics.pairs.corrections import holm
from rankscope.statistics.pairs.family import ALL_QUERIES, Family
from rankscope.statistics.pairs.loss import Changes
from rankscope.statistics.pairs.pair_test import limits_within
from rankscope.statistics.pairs.power import ShownEffects
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.verdicts.gate_result import ROUNDING, GateCheck, GateResult, RuleOfLoss, SelfTest
from rankscope.validation import FLAG, SEED, SHARE, Number, OneOf, Rule, WholeNumber, check, check_for_each

ALPHA = 0.05
EFFECT = Number(least=0)  # the smallest loss that matters
AT_ONCE = 1_000_000  # signs of a self-test drawn in one batch
RULES: dict[str, Rule] = {
    "rule": OneOf(get_args(RuleOfLoss)),
    "by_class": FLAG,
    "clusters": FLAG,
    "self_test": WholeNumber(least=0),
    "alpha": SHARE,
    "seed": SEED,
}


@dataclass(frozen=True, eq=False)
class _GateQuestion:
    """One measure on all queries or on one class: what is to be checked."""

    table: ScoreTable
    label: str
    changes: Changes
    units: tuple[str, ...]  # their names, in the order of the changes
    left_out: int
    min_effect: float

    def tested(self, rule: RuleOfLoss) -> float:
        """The loss that must be exceeded for sure."""
        return self.min_effect if rule == "beyond" else 0.0


def gate(
    tables: ScoreTable | Sequence[ScoreTable],
    min_effect: float | Sequence[float] = 0.0,
    *,
    rule: RuleOfLoss = "mean",
    by_class: bool = False,
    clusters: bool = False,
    self_test: int = 0,
    alpha: float = ALPHA,
    seed: int = 0,
) -> GateResult:
    """Check the second system of each table (one table a measure) against the first, on the queries that both have.

    `min_effect` is the smallest loss that matters, one for all measures or one each. A loss fails that is shown and
    whose mean is beyond it, by the rule `beyond` only one that is shown to be beyond it. `by_class` checks every class
    of queries too, as far as it has enough; `clusters` says that queries of one class depend on each other and count
    as one unit. Too few queries to show any loss are a `SettingError`: a gate that cannot fail is none.
    >>> table = ScoreTable.make({"old": [0.5, 0.6, 0.7, 0.4, 0.3, 0.8], "new": [0.4, 0.5, 0.5, 0.3, 0.2, 0.6]})
    >>> made = gate(table, min_effect=0.01)
    >>> made.verdict, round(made.checks[0].change, 4), round(made.checks[0].high, 4)
    ('fail', -0.1333, -0.0848)
    """
    rule, by_class, clusters, self_test, alpha, seed = check(locals(), **RULES).values()
    given = [tables] if isinstance(tables, ScoreTable) else list(tables)
    effects = check_for_each("min_effect", min_effect, len(given), EFFECT)
    parts, small = _parts(given, effects, by_class, clusters, alpha)
    p = np.array([part.changes.loss_p(beyond=part.tested(rule))[0] for part in parts])
    labels = dict.fromkeys(part.label for part in parts)
    family = Family(((given[0].systems[0], given[0].systems[1]),), tuple(t.measure for t in given), tuple(labels))
    checks = tuple(
        _check(part, raw, adjusted, tail, alpha, family.size, rule)
        for part, raw, adjusted, tail in zip(parts, p, holm(p), _tails(p, alpha), strict=True)
    )
    baseline, candidate = given[0].systems
    result = GateResult(
        baseline=baseline,
        candidate=candidate,
        checks=checks,
        family=family,
        alpha=alpha,
        rule=rule,
        seed=seed,
        unit="class" if clusters else "query",
        small_classes=small,
    )
    return replace(result, self_test=_self_test(parts, self_test, alpha, seed, rule)) if self_test else result


def _parts(
    tables: list[ScoreTable], effects: Sequence[float], by_class: bool, clusters: bool, alpha: float
) -> tuple[list[_GateQuestion], tuple[str, ...]]:
    """What is checked, and the classes that are too small to be."""
    if by_class and clusters:
        raise SettingError(
            "classes are either kinds of queries, each checked, or units whose queries depend on each other, not both"
        )
    if any(len(table.systems) != 2 for table in tables):
        raise SettingError(f"the gate compares two systems, got {', '.join(tables[0].systems)}")
    whole = [_part(table, ALL_QUERIES, effect, clusters) for table, effect in zip(tables, effects, strict=True)]
    classes = tables[0].class_names if by_class else ()
    need = fewest_units(alpha, len(tables) * (1 + len(classes)))
    for part in whole:
        _enough(part, need, clusters)
    inside = {
        label: [_part(t.where(label), label, e, False) for t, e in zip(tables, effects, strict=True)]
        for label in classes
    }
    small = tuple(label for label, some in inside.items() if min(len(part.changes) for part in some) < need)
    every = [whole, *(some for label, some in inside.items() if label not in small)]
    return [part for measure in zip(*every, strict=True) for part in measure], small


def fewest_units(alpha: float, tests: int) -> int:
    """How many queries it takes at least: with fewer, even the worst of all signs is no rare event.

    >>> fewest_units(0.05, 1), fewest_units(0.05, 3)
    (5, 6)
    """
    return math.ceil(math.log2(tests / alpha))


def _part(table: ScoreTable, label: str, effect: float, clusters: bool) -> _GateQuestion:
    change = table.gains[:, 1] - table.gains[:, 0]
    rows = np.flatnonzero(~np.isnan(change))
    queries = [table.queries[row] for row in rows.tolist()]
    left_out = int((~np.isnan(table.values)).any(axis=1).sum()) - rows.size
    if not clusters:
        return _GateQuestion(
            table=table,
            label=label,
            changes=Changes.of(change[rows]),
            units=tuple(queries),
            left_out=left_out,
            min_effect=effect,
        )
    units = [table.labels[row] or f"query {name}" for row, name in zip(rows.tolist(), queries, strict=True)]
    names = tuple(np.unique(np.asarray(units, dtype=str)).tolist())
    return _GateQuestion(
        table=table,
        label=label,
        changes=Changes.of(change[rows], units),
        units=names,
        left_out=left_out,
        min_effect=effect,
    )


def _enough(part: _GateQuestion, need: int, clusters: bool) -> None:
    table, count = part.table, len(part.changes)
    if not part.units:
        raise SettingError(f"{' and '.join(table.systems)} share no query with a value of {table.measure}")
    if count < need:
        unit = "classes" if clusters else "queries"
        raise SettingError(
            f"{table.measure}: {how_many(count, unit)} cannot show a loss, regardless of the scores: give {need} at "
            "least. A gate that cannot fail is none."
        )


def _tails(p: FloatArray, alpha: float) -> FloatArray:
    """The level at which Holm tests each: alpha/m for the smallest p, then alpha/(m - 1), ... up to the first kept."""
    shown = int((holm(p) <= alpha).sum())
    tails = np.empty_like(p)
    tails[np.argsort(p, kind="stable")] = alpha / (p.size - np.minimum(np.arange(p.size), shown))
    return tails


def _check(
    part: _GateQuestion, p: float, adjusted: float, tail: float, alpha: float, tests: int, rule: RuleOfLoss
) -> GateCheck:
    table, changes = part.table, part.changes
    both = table.complete()
    baseline, candidate = both.values.mean(axis=0).tolist()
    change, least, most = turned(changes.mean, *changes.limits(tail), table.lower_is_better)
    differing = int(np.count_nonzero(np.abs(changes.sums) > ROUNDING))
    low, high = limits_within(least, most, table.difference_bounds) if differing else (math.nan, math.nan)
    tested = part.tested(rule)
    detectable = tested + _detectable(changes, part.min_effect - tested, alpha / tests)
    return GateCheck(
        measure=table.measure,
        label=part.label,
        baseline=baseline,
        candidate=candidate,
        change=change,
        low=float(low),
        high=float(high),
        p=float(p),
        adjusted=float(adjusted),
        min_effect=part.min_effect,
        queries=len(both),
        units=len(changes),
        differing=differing,
        left_out=part.left_out,
        level=float(1 - tail),
        lower_is_better=table.lower_is_better,
        detectable=math.inf if detectable > table.difference_bounds[1] else detectable,
        alpha=alpha,
        rule=rule,
    )


def _detectable(changes: Changes, min_effect: float, alpha: float) -> float:
    """The smallest true loss that is caught in 80 % of cases: it must be shown, and seen to exceed the effect."""
    return ShownEffects(-changes.spread, alpha, sides=1, least=min_effect).smallest()


def _self_test(parts: list[_GateQuestion], trials: int, alpha: float, seed: int, rule: RuleOfLoss) -> SelfTest:
    """Swap the labels of the systems at random in each unit, the same for all measures, and apply the whole rule."""
    names = sorted({name for part in parts for name in part.units}, key=str.encode)
    place = {name: number for number, name in enumerate(names)}
    columns = [np.array([place[name] for name in part.units], dtype=np.int64) for part in parts]
    chance = np.random.default_rng([seed, 1])
    step, alarms = max(1, AT_ONCE // len(names)), 0
    for start in range(0, trials, step):
        drawn = chance.integers(0, 2, (min(step, trials - start), len(names)))
        alarms += _alarms(parts, columns, np.where(drawn > 0, 1.0, -1.0), alpha, rule)
    return SelfTest(trials, alarms, alpha, seed)


def _alarms(
    parts: list[_GateQuestion], columns: list[IntArray], signs: FloatArray, alpha: float, rule: RuleOfLoss
) -> int:
    """In how many trials (rows of signs) any check fails."""
    p, loss = np.empty((len(signs), len(parts))), np.empty((len(signs), len(parts)))
    for number, (part, chosen) in enumerate(zip(parts, columns, strict=True)):
        changes = part.changes
        p[:, number] = changes.loss_p(signs[:, chosen], part.tested(rule))
        loss[:, number] = -(signs[:, chosen] @ changes.sums) / changes.sizes.sum() - part.min_effect
    return int(((holm(p) <= alpha) & (loss > ROUNDING)).any(axis=1).sum())
