"""Weights and options chosen on other queries than those they are used for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import setting_usage
from rankscope.inputs.qrels import Qrels
from rankscope.measures.direction import turn
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.fusion.candidates import Candidates, FusionChoice, Training, fused_run
from rankscope.measures.fusion.method import FusionMethod
from rankscope.measures.notation import parse_measure

MOST_WEIGHTS: Final = 500  # combinations of weights that are tried
FINEST: Final = 10  # parts into which the whole weight is divided at most


class Trial(NamedTuple):
    """A method with its options, and weights of the systems."""

    method: FusionMethod
    weights: FloatArray

    @property
    def own_weights(self) -> tuple[float, ...]:
        """The weights that count: none for a method that weighs all systems alike."""
        return tuple(self.weights.tolist()) if self.method.weighted else ()


def trials_of(method: FusionMethod, systems: int, weights: Sequence[float] | None, tune: bool) -> list[Trial]:
    """What is tried: the method as it is given, or all its options and weights."""
    usual = method.weights_of(weights, systems)
    if not tune:
        return [Trial(method, usual)]
    names = list(method.trials)
    methods = [replace(method, **dict(zip(names, each, strict=True))) for each in product(*method.trials.values())]
    free = method.weighted and weights is None
    several = weight_grid(systems) if free else usual[None, :]
    if len(methods) * len(several) == 1:
        raise SettingError(f"{method.name} has nothing to be tuned: leave {setting_usage('tune')} out")
    return [Trial(each, row) for each in methods for row in several]


def weight_grid(systems: int) -> FloatArray:
    """All divisions of 1 among systems in equal parts, tenths if these are not too many.

    >>> weight_grid(2).shape, weight_grid(3).shape, weight_grid(8).shape, weight_grid(2)[:3].tolist()
    ((11, 2), (66, 3), (330, 8), [[0.0, 1.0], [0.1, 0.9], [0.2, 0.8]])
    """
    parts = FINEST
    while parts > 1 and comb(parts + systems - 1, systems - 1) > MOST_WEIGHTS:
        parts -= 1
    return np.array(list(_divisions(parts, systems)), dtype=np.float64) / parts


def fuse_as_given(lists: Candidates, trial: Trial) -> tuple[FloatArray, list[FusionChoice]]:
    """Fused scores by what somebody has chosen."""
    choice = FusionChoice(str(trial.method), trial.own_weights, tuple(lists.queries))
    return trial.method.fuse(lists, trial.weights), [choice]


def fuse_across(
    judged: JudgedCandidates, trials: Sequence[Trial], folds: int, seed: int
) -> tuple[FloatArray, list[FusionChoice]]:
    """Fused scores, each query's by what was best, or learnt, on the queries of other folds; and what that was."""
    lists = judged.lists
    fold = fold_of(len(lists.queries), folds, seed)
    fixed = None if trials[0].method.learns else _tried(judged, trials)
    scores, choices = np.empty(len(lists.query)), []
    for each in range(int(fold.max()) + 1):
        mine = fold == each
        tried = fixed
        if tried is None:
            training = judged.training(~mine)
            tried = _tried(judged, [each._replace(method=each.method.learn(training)) for each in trials])
        best, value = _best(tried, ~mine, judged.lower_is_better)
        rows = mine[lists.query]
        scores[rows] = tried[best].scores[rows]
        trial = trials[best]
        names = tuple(query for query, own in zip(lists.queries, mine.tolist(), strict=True) if own)
        known = int((~np.isnan(tried[best].values[~mine])).sum())
        choices.append(FusionChoice(str(trial.method), trial.own_weights, names, chosen_on=known, value=value))
    return scores, choices


def fold_of(count: int, folds: int, seed: int) -> IntArray:
    """The fold of each query, by chance and of even sizes; judgements have no say in it.

    >>> np.bincount(fold_of(7, 3, seed=0)).tolist()
    [3, 2, 2]
    """
    if count < 2:
        raise SettingError("one query alone cannot be tuned on others: give weights or options")
    fold = np.arange(count) % min(folds, count)
    return np.random.default_rng(seed).permutation(fold)


class _Tried(NamedTuple):
    """What came of a trial: fused scores, and the values of the queries."""

    scores: FloatArray
    values: FloatArray


def _tried(judged: JudgedCandidates, trials: Sequence[Trial]) -> list[_Tried]:
    """Trials as they are; of those that learn nothing this is the same in every fold."""
    fused = (each.method.fuse(judged.lists, each.weights) for each in trials)
    return [_Tried(scores, judged.values(scores)) for scores in fused]


def _best(tried: Sequence[_Tried], allowed: BoolArray, lower_is_better: bool) -> tuple[int, float]:
    """The trial of the best mean on allowed queries, of equal ones the first; and that mean."""
    values = np.array([each.values[allowed] for each in tried])
    known = ~np.isnan(values).all(axis=0)
    if not known.any():
        raise SettingError("nothing can be chosen: of the other queries none is judged")
    means = values[:, known].mean(axis=1)
    best = int(np.argmax(means * turn(lower_is_better)))
    return best, float(means[best])


def _divisions(parts: int, places: int) -> Iterator[tuple[int, ...]]:
    """All ways to divide so many parts among places."""
    if places == 1:
        yield (parts,)
        return
    for first in range(parts + 1):
        for rest in _divisions(parts - first, places - 1):
            yield first, *rest


# Candidates next to judgements: what methods learn from and are tuned by.


@dataclass(frozen=True, eq=False)
class JudgedCandidates:
    """Lists, their judgements, and the grade from which on an item is relevant."""

    lists: Candidates
    qrels: Qrels
    measure: str = "AP"
    rel: float = 1.0

    @property
    def lower_is_better(self) -> bool:
        """Whether a small value of the measure is a good one."""
        return parse_measure(self.measure, self.rel).lower_is_better

    def training(self, allowed: BoolArray) -> Training:
        """What may be learnt from queries that are allowed and have a relevant item."""
        import polars as pl

        relevant = self.qrels.table.filter(pl.col("grade") >= self.rel).select("query", "item")
        rows = pl.DataFrame(
            {"query": self.lists.queries.gather(self.lists.query), "item": self.lists.ids.gather(self.lists.item)}
        )
        marked = relevant.with_columns(hit=pl.lit(value=True))
        hits = rows.join(marked, on=["query", "item"], how="left", maintain_order="left")
        counts = dict(relevant.group_by("query").len().iter_rows())
        wanted = np.array([counts.get(query, 0) for query in self.lists.queries], dtype=np.int64)
        return Training(self.lists, hits["hit"].fill_null(value=False).to_numpy(), wanted, allowed & (wanted > 0))

    def values(self, scores: FloatArray) -> FloatArray:
        """The measure of every query under these fused scores; NaN where it has none."""
        found = evaluate(self.qrels, fused_run(self.lists, scores, "fused"), [self.measure], rel=self.rel).systems[0]
        by_query: dict[str, Any] = dict(zip(found.ranks.queries, found.columns[0].values.tolist(), strict=True))
        return np.array([by_query.get(query, np.nan) for query in self.lists.queries])
