"""What a study's methods reach of the possible: efficiency, feasibility, consistency, and how long a user waits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray
from rankscope.core.threads import one_core_each
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import CONTROLS
from rankscope.feedback.methods.method import Method
from rankscope.feedback.normalization.baselines import Baseline, BaselineRules
from rankscope.feedback.normalization.consistency import Consistency, consistency
from rankscope.feedback.normalization.efficiency import Efficiency
from rankscope.feedback.normalization.example_sets import ExampleSets, marked_examples, topic_seed
from rankscope.feedback.normalization.generalisation import (
    EXAMPLES,
    REPEATS,
    Generalisation,
    Progress,
    Told,
    efficiencies_of,
    generalise,
    most_efficiency,
)
from rankscope.feedback.normalization.stored_baselines import BaselineStore
from rankscope.feedback.study.experiment import ByUser
from rankscope.feedback.study.response_times import TIMED, WARM_UP, Response, response
from rankscope.feedback.study.study import StudyPlan
from rankscope.feedback.users.users import Consistent

TOPICS = 10  # at most: each costs some classifiers with all labels
CONSISTENT = 3  # topics of the consistency test, at most


@dataclass(frozen=True, eq=False)
class Normalised:
    """Per topic a baseline; per topic and method an efficiency; consistency on a few topics; one response a method.

    Methods learn from examples as the `users` of the study mark them. Where these are not always right, `right` are the
    efficiencies from examples that are, which is what is stored (`learnt`) and what other studies can be held against.
    """

    methods: tuple[str, ...]
    baselines: tuple[Baseline, ...]
    efficiencies: tuple[Efficiency, ...]
    consistencies: tuple[Consistency, ...]
    responses: tuple[Response, ...]
    examples: int
    topics: int  # of the study; those beyond `TOPICS` have no baseline
    learnt: Generalisation | None = None  # where baselines and efficiencies come from, and what was stored before
    users: str = "consistent"  # who marked the examples
    right: tuple[Efficiency, ...] = ()  # empty where the users are right

    @property
    def units(self) -> Mapping[str, str]:
        """The sampling unit of each topic, where topics share labels."""
        return {} if self.learnt is None else self.learnt.units

    @property
    def feasible(self) -> tuple[str, ...]:
        """Topics that can be learnt from the features."""
        return tuple(each.topic for each in self.baselines if each.feasibility.feasible)

    def mae_table(self, corrected: bool = False, right: bool = False) -> ScoreTable:
        """Feasible topics x methods: mean efficiency; topics are the blocks of every test.

        With `right` from examples that are all marked rightly, where users err.
        """
        results = self.right if right else self.efficiencies
        found = {(each.topic, _plain_name(each)): each.corrected_mae if corrected else each.mae for each in results}
        values = [[found.get((topic, name), np.nan) for name in self.methods] for topic in self.feasible]
        table = np.array(values, dtype=np.float64).reshape(len(self.feasible), len(self.methods))
        name, ends = ("MAE", (0.0, most_efficiency(results)))
        if corrected:
            name, ends = ("corrected MAE", (-math.inf, math.inf))
        units = tuple(self.units.get(name, name) for name in self.feasible) if self.units else None
        return ScoreTable(name, self.methods, self.feasible, table, classes=units, bounds=ends)

    def mean_curves(self) -> list[Efficiency]:
        """For each method the mean over feasible topics of its efficiency at each recall level."""
        results = []
        for name in self.methods:
            own = [each for each in self.efficiencies if _plain_name(each) == name and each.feasible]
            values = np.array([each.values for each in own])
            if values.size:
                ones = np.ones(values.shape[1])
                results.append(Efficiency.of(values.mean(axis=0), ones, method=name, topic="all", at=own[0].at))
        return results


def _plain_name(one: Efficiency) -> str:
    """The name of its method, without the size of example sets."""
    return one.method.rpartition(", ")[0]


def normalised(plan: StudyPlan, progress: Progress | None = None, earlier: BaselineStore | None = None) -> Normalised:
    """Baselines of classifiers with all labels but those tested, and every method next to them from a few examples.

    The examples are marked by the users of the study; a judge, who may be a person, is not asked again, and examples
    are right. Baselines stored by an `earlier` study are used again, and its results are divided by those of now.
    """
    items, topics = plan.setting.items, plan.setting.topics
    methods = [each for each in plan.methods if each.name not in CONTROLS]
    chosen = topics.take(range(min(TOPICS, len(topics))))
    learnt = generalise(
        items, chosen, methods, BaselineRules(seed=plan.seed), examples=EXAMPLES, earlier=earlier, progress=progress
    )
    marker = plan.setting.marker
    users = None  # where they are right, or cannot be asked again
    if isinstance(marker, ByUser) and not (isinstance(marker.user, Consistent) and topics.judged is None):
        users = replace(marker, protocol=replace(marker.protocol, k_pos=None, k_neg=None))  # asked for every item
    tests: list[Consistency] = []
    marked: list[Efficiency] = []
    with one_core_each():
        for row, best in enumerate(learnt.baselines):
            told = None if users is None else _told(users, row)
            target = chosen.targets[row]
            if told is not None:
                for each in methods:
                    marked += efficiencies_of(each, items, target, best, EXAMPLES, REPEATS, plan.seed, told)
            if row < CONSISTENT:
                tests += _consistencies(methods, items, target, best.topic, plan.seed, told)
        # with as many examples as the last round has, half of each kind
        marks, first = plan.setting.protocol.scope * plan.setting.protocol.rounds // 2, topics.targets[0]
        size = max(1, min(marks, int(first.sum()) - 1, int((~first).sum()) - 1))
        timed = ExampleSets.drawn(first, TIMED + WARM_UP, (size, size), seed=plan.seed).of_size(size, size)
        times = [response(each, items, timed) for each in methods]
    return Normalised(
        methods=tuple(map(str, methods)),
        baselines=learnt.baselines,
        efficiencies=learnt.results if users is None else tuple(marked),
        consistencies=tuple(tests),
        responses=tuple(times),
        examples=EXAMPLES,
        topics=len(topics),
        learnt=learnt,
        users="consistent" if users is None else str(users.user),
        right=() if users is None else learnt.results,
    )


def _told(users: ByUser, topic: int) -> Told:
    """What becomes of examples of a topic; the same examples, for another method, are not marked again."""
    known: dict[tuple[bytes, ...], Examples] = {}

    def told(examples: Examples) -> Examples:
        key = tuple(side["item"].tobytes() for side in (examples.positives, examples.negatives))
        if key not in known:
            known[key] = marked_examples(examples, users, topic)
        return known[key]

    return told


def _consistencies(
    methods: Sequence[Method], items: Items, target: BoolArray, label: str, seed: int, told: Told | None
) -> list[Consistency]:
    size = min(10, int(target.sum()) - 1, int((~target).sum()) - 1)
    if size < 1:
        return []
    sets = ExampleSets.drawn(target, 5, (size, size), seed=topic_seed(label, seed)).of_size(size, size)
    given = sets if told is None else told(sets)
    return consistency(methods, items, target, given, gains=(None, 4.0), topic=label)
