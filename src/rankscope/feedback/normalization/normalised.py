"""What a study's methods reach of the possible: efficiency, feasibility, consistency, and how long a user waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import CONTROLS
from rankscope.feedback.methods.method import Method
from rankscope.feedback.normalization.baselines import Baseline, baseline
from rankscope.feedback.normalization.consistency import Consistency, consistency
from rankscope.feedback.normalization.efficiency import Efficiency, efficiency
from rankscope.feedback.normalization.example_sets import ExampleSets, topic_seed
from rankscope.feedback.normalization.matched import matched_ranks
from rankscope.feedback.study.response import Response, response
from rankscope.feedback.study.study import Plan
from rankscope.running.cores import one_core_each
from rankscope.statistics.table.score_table import ScoreTable

TOPICS = 10  # at most: each costs some classifiers with all labels
EXAMPLES = 8  # of both kinds
REPEATS = 3  # example sets of each fold
CONSISTENT = 3  # topics of the consistency test, at most
PERMUTATIONS = 1999
TIMED = 22
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Normalised:
    """Per topic a baseline; per topic and method an efficiency; consistency on a few topics; one response a method."""

    methods: tuple[str, ...]
    baselines: tuple[Baseline, ...]
    efficiencies: tuple[Efficiency, ...]
    consistencies: tuple[Consistency, ...]
    responses: tuple[Response, ...]
    examples: int
    topics: int  # of the study; those beyond `TOPICS` have no baseline

    @property
    def feasible(self) -> tuple[str, ...]:
        """Topics that can be learnt from the features."""
        return tuple(each.topic for each in self.baselines if each.feasibility.feasible)

    def mae_table(self, corrected: bool = False) -> ScoreTable:
        """Feasible topics x methods: mean efficiency; topics are the blocks of every test."""
        of = {(each.topic, each.method_name): each for each in map(_NamedMethod, self.efficiencies)}
        values = [[_mae(of.get((topic, name)), corrected) for name in self.methods] for topic in self.feasible]
        table = np.array(values, dtype=np.float64).reshape(len(self.feasible), len(self.methods))
        return ScoreTable("corrected MAE" if corrected else "MAE", self.methods, self.feasible, table)

    def mean_curves(self) -> list[Efficiency]:
        """For each method the mean over feasible topics of its efficiency at each recall level."""
        results = []
        for name in self.methods:
            own = [
                each for each in map(_NamedMethod, self.efficiencies) if each.method_name == name and each.made.feasible
            ]
            values = np.array([each.made.values for each in own])
            if values.size:
                ones = np.ones(values.shape[1])
                results.append(Efficiency.of(values.mean(axis=0), ones, method=name, topic="all", at=own[0].made.at))
        return results


@dataclass(frozen=True, eq=False)
class _NamedMethod:
    """An efficiency under the plain name of its method, without the size of example sets."""

    made: Efficiency

    @property
    def method_name(self) -> str:
        return self.made.method.rpartition(", ")[0]

    @property
    def topic(self) -> str:
        return self.made.topic


def _mae(found: _NamedMethod | None, corrected: bool) -> float:
    if found is None:
        return float("nan")
    return found.made.corrected_mae if corrected else found.made.mae


def normalised(plan: Plan, progress: Progress | None = None) -> Normalised:
    """Baselines of classifiers with all labels but those tested, and every method beside them from a few examples."""
    items, topics = plan.setting.items, plan.setting.topics
    methods = [each for each in plan.methods if each.name not in CONTROLS]
    chosen = list(range(min(TOPICS, len(topics))))
    found: list[Baseline] = []
    efficiencies: list[Efficiency] = []
    tests: list[Consistency] = []
    with one_core_each():
        for place, row in enumerate(chosen):
            target, label = topics.targets[row], topics.labels[row]
            best = baseline(items, target, topic=label, permutations=PERMUTATIONS, seed=plan.seed)
            found.append(best)
            efficiencies += _efficiencies(methods, items, target, best, plan.seed)
            if place < CONSISTENT:
                tests += _consistencies(methods, items, target, label, plan.seed)
            if progress is not None:
                progress((place + 1) / len(chosen))
        times = [_response(each, items, topics.targets[0], plan) for each in methods]
    return Normalised(
        methods=tuple(map(str, methods)),
        baselines=tuple(found),
        efficiencies=tuple(efficiencies),
        consistencies=tuple(tests),
        responses=tuple(times),
        examples=EXAMPLES,
        topics=len(topics),
    )


def _efficiencies(
    methods: Sequence[Method], items: Items, target: BoolArray, best: Baseline, seed: int
) -> list[Efficiency]:
    """Examples from the training part of each fold, scores on its test part; none where there are no folds."""
    if best.folds is None:
        return []
    learnt = ~best.folds.tested
    size = int(min((learnt & target).sum(axis=1).min(), (learnt & ~target).sum(axis=1).min(), EXAMPLES))
    own = topic_seed(best.topic, seed)
    results = []
    for method in methods:
        (ranks,) = matched_ranks(method, items, target, best.folds, [size], repeats=REPEATS, seed=own, topic=best.topic)
        if ranks.answered.any():
            results.append(efficiency(ranks, best))
    return results


def _consistencies(
    methods: Sequence[Method], items: Items, target: BoolArray, label: str, seed: int
) -> list[Consistency]:
    size = min(10, int(target.sum()) - 1, int((~target).sum()) - 1)
    if size < 1:
        return []
    sets = ExampleSets.drawn(target, 5, (size, size), seed=topic_seed(label, seed))
    return consistency(methods, items, target, sets.of_size(size, size), gains=(None, 4.0), topic=label)


def _response(method: Method, items: Items, target: BoolArray, plan: Plan) -> Response:
    """With as many examples as the last round has, half of each kind."""
    marks = plan.setting.protocol.scope * plan.setting.protocol.rounds // 2
    size = max(1, min(marks, int(target.sum()) - 1, int((~target).sum()) - 1))
    sets = ExampleSets.drawn(target, TIMED, (size, size), seed=plan.seed)
    return response(method, items, sets.of_size(size, size))
