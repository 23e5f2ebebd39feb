"""How much of what can be learnt the methods have learnt, topic by topic, and what those of a study reach of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from rankscope.analysis.statistics.bootstrap import Intervals
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.threads import one_core_each
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scores import mean_or_nan
from rankscope.feedback.methods import CONTROLS
from rankscope.feedback.methods.method import Method
from rankscope.feedback.normalization.baselines import (
    Baseline,
    BaselineRules,
    baselines_of,
    stored_under,
)
from rankscope.feedback.normalization.consistency import Consistency, consistency
from rankscope.feedback.normalization.efficiency import Efficiency, efficiency, interval_over_draws, recalibrated
from rankscope.feedback.normalization.example_sets import (
    SIZES,
    Convergence,
    ExampleSets,
    convergence,
    erring_examples,
    marked_examples,
    matched_ranks,
    topic_seed,
)
from rankscope.feedback.normalization.stored_baselines import BaselineStore
from rankscope.feedback.study.experiment import ByUser
from rankscope.feedback.study.response_times import TIMED, WARM_UP, Response, response
from rankscope.feedback.study.study import StudyPlan
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.user_score import ErrorRates
from rankscope.feedback.users.users import Consistent

EXAMPLES = 8  # of both kinds
REPEATS = 3  # example sets of each fold
DRAWS = 10  # of error rates
Progress = Callable[[float], None]
Told = Callable[[Examples], Examples]  # what becomes of examples on their way from the user to the method


@dataclass(frozen=True, eq=False)
class Generalisation:
    """Baselines of all topics, what every method reached of them, and what was stored of earlier studies.

    `earlier` are stored results of other methods, divided by the baselines of now; `replaced` are the stored baselines
    that a better one has taken the place of. `erring` are the results from examples of a user with `errors`, once for
    each draw of error rates.
    """

    rules: BaselineRules
    methods: tuple[str, ...]
    baselines: tuple[Baseline, ...]
    results: tuple[Efficiency, ...]
    examples: int
    earlier: tuple[Efficiency, ...] = ()
    replaced: tuple[Baseline, ...] = ()
    errors: ErrorRates | None = None
    erring: tuple[tuple[Efficiency, ...], ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)  # of topics that share a label with another: which unit

    @property
    def store(self) -> BaselineStore:
        """What the next study may begin with."""
        return BaselineStore(self.baselines, (*self.results, *self.earlier))

    @property
    def intervals_told(self) -> str:
        """Which intervals the means have; methods that failed on some topics may have others."""
        names = dict.fromkeys(each.method for each in self.results)
        made = [self._interval([each for each in self.results if each.method == name]) for name in names]
        return " ".join(dict.fromkeys(each.told for each in made))

    def mean_rows(self) -> list[dict[str, object]]:
        """One row for each method, those of earlier studies last: the mean over feasible topics."""
        rows = []
        for where, results in (("", self.results), ("stored", self.earlier)):
            for name in dict.fromkeys(each.method for each in results):
                own = [each for each in results if each.method == name]
                rows.append({"method": name, **self._mean_row(own), **self._with_errors(name), "from": where})
        return [{name: value for name, value in row.items() if name != "from" or self.earlier} for row in rows]

    def _with_errors(self, method: str) -> dict[str, object]:
        """MAE from examples of the user who errs, its interval with the errors carried into it."""
        if not self.erring:
            return {}
        own = [[each for each in draw if each.method == method] for draw in self.erring]
        topics, values = _feasible_values(own)
        made = interval_over_draws(values, most=most_efficiency(own[0]), units=self._units(topics))
        return {"with errors": made.mean, "low with errors": made.low, "high with errors": made.high}

    def _mean_row(self, results: Sequence[Efficiency]) -> dict[str, object]:
        """MAE and its chance-corrected form over feasible topics, the deviation 1 - MAE, and how many topics."""
        feasible = [each for each in results if each.feasible]
        mae = mean_or_nan([each.mae for each in feasible])
        over = self._interval(results)
        return {
            "MAE": mae,
            "low": float(over.low[0]),
            "high": float(over.high[0]),
            "deviation": 1.0 - mae,
            "corrected for chance": mean_or_nan([each.corrected_mae for each in feasible]),
            "topics": len(feasible),
        }

    def _interval(self, results: Sequence[Efficiency]) -> Intervals:
        """Of the mean over the feasible topics of one method."""
        topics, values = _feasible_values([results])
        made = mean_intervals(values.T, self._units(topics), bounds=(0.0, most_efficiency(results)))
        return replace(made, unit="groups of topics" if self.units else "topics")

    def _units(self, topics: Sequence[str]) -> list[str] | None:
        """The sampling unit of each topic; None where each is one of its own."""
        return [self.units.get(name, name) for name in topics] if self.units else None


def generalise(
    items: Items,
    topics: Topics,
    methods: Sequence[Method],
    rules: BaselineRules | None = None,
    *,
    examples: int = EXAMPLES,
    repeats: int = REPEATS,
    earlier: BaselineStore | None = None,
    errors: ErrorRates | None = None,
    draws: int = DRAWS,
    progress: Progress | None = None,
) -> Generalisation:
    """Efficiency of every method from example sets of one size, by the matched protocol.

    A topic whose training parts cannot supply so many examples gets fewer, and says so by its name. `errors` are those
    of the user who gives the examples: everything is done again for each of so many draws of rates.
    """
    how, store = rules or BaselineRules(), earlier or BaselineStore()
    known = stored_under(store.baselines)
    found: list[Baseline] = []
    results: list[Efficiency] = []
    users: list[Told] = []
    if errors is not None:
        each_rates = [errors.draw(np.random.default_rng([how.seed, draw])) for draw in range(draws)]
        users = [partial(erring_examples, rates=own, purpose=f"errors {draw}") for draw, own in enumerate(each_rates)]
    erring: list[list[Efficiency]] = [[] for _ in users]
    with one_core_each():
        for row, label in enumerate(topics.labels):
            own = baselines_of(items, topics.targets[row], label, methods, how, known)
            found += own.values()
            for method in methods:
                best = own[how.family_of(str(method))]
                for told, into in zip((None, *users), (results, *erring), strict=True):
                    into += efficiencies_of(method, items, topics.targets[row], best, examples, repeats, how.seed, told)
            if progress is not None:
                progress((row + 1) / len(topics))
    now = stored_under(found)
    # Stored results that were not computed again, against the baselines of now; those of other topics as they are.
    again = {(each.topic, each.method) for each in results}
    kept = [each for each in store.results if (each.topic, each.method) not in again]
    pairs = [(each, now.get((each.topic, how.family_of(each.method)))) for each in kept]
    return Generalisation(
        rules=how,
        methods=tuple(map(str, methods)),
        baselines=tuple(found),
        results=tuple(results),
        examples=examples,
        earlier=tuple(each if best is None or each.thinned else recalibrated(each, best) for each, best in pairs),
        replaced=tuple(each for key, each in known.items() if key in now and now[key].winner != each.winner),
        errors=errors,
        erring=tuple(map(tuple, erring)),
        units=dict(zip(topics.labels, topics.units, strict=True)) if topics.shared else {},
    )


def efficiencies_of(
    method: Method,
    items: Items,
    target: BoolArray,
    best: Baseline,
    examples: int,
    repeats: int,
    seed: int,
    told: Told | None = None,
) -> list[Efficiency]:
    """The efficiency of a method on one topic; none where there are no folds, or where it always fails."""
    if best.folds is None:
        return []
    learnt = ~best.folds.tested
    size = int(min((learnt & target).sum(axis=1).min(), (learnt & ~target).sum(axis=1).min(), examples))
    own = topic_seed(best.topic, seed)
    (ranks,) = matched_ranks(
        method, items, target, best.folds, [size], repeats=repeats, seed=own, topic=best.topic, told=told
    )
    return [efficiency(ranks, best)] if ranks.answered.any() else []


def converge(
    items: Items,
    topics: Topics,
    methods: Sequence[Method],
    rules: BaselineRules | None = None,
    *,
    sizes: Sequence[int] = SIZES,
    repeats: int = 10,
    earlier: BaselineStore | None = None,
    progress: Progress | None = None,
) -> tuple[Convergence, ...]:
    """Efficiency against the number of examples, of every method on every topic that has a baseline."""
    how = rules or BaselineRules()
    known = stored_under((earlier or BaselineStore()).baselines)
    found: list[Convergence] = []
    with one_core_each():
        for row, label in enumerate(topics.labels):
            target = topics.targets[row]
            own = baselines_of(items, target, label, methods, how, known)
            pairs = [(method, own[how.family_of(str(method))]) for method in methods]
            found += [
                convergence(method, items, target, best, sizes, repeats=repeats, seed=how.seed)
                for method, best in pairs
                if best.folds is not None
            ]
            if progress is not None:
                progress((row + 1) / len(topics))
    if not found:
        raise SettingError("no topic has two relevant items or more: there are no folds to learn and test in")
    return tuple(found)


def most_efficiency(results: Iterable[Efficiency]) -> float:
    """What a method can reach at most on one of the feasible topics; infinite where there is none."""
    return max((each.most for each in results if each.feasible), default=np.inf)


def _feasible_values(draws: Sequence[Sequence[Efficiency]]) -> tuple[list[str], FloatArray]:
    """The feasible topics that every draw has, and draws x topics: their MAE."""
    tables = [{each.topic: each.mae for each in own if each.feasible and not np.isnan(each.mae)} for own in draws]
    topics = [name for name in tables[0] if all(name in table for table in tables)]
    values = [[table[name] for name in topics] for table in tables]
    return topics, np.array(values, dtype=np.float64).reshape(len(tables), len(topics))


# What a study's methods reach of the possible: efficiency, feasibility, consistency, and how long a user waits.

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
