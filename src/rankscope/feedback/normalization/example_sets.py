"""Example sets drawn from a topic: matched to folds, marked by users, and how quality grows with their size."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import Curve, Mean, mean_over, unit_means, units_of
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.feedback.examples.examples import Examples, Folds, checked_target
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method, name_with_size, rank_sessions
from rankscope.feedback.normalization.baselines import Baseline
from rankscope.feedback.normalization.efficiency import LEVELS, Efficiency, efficiency
from rankscope.feedback.study.experiment import Marker
from rankscope.feedback.users.users import Sessions, uniform
from rankscope.measures import AP, Measure
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks

# Random example sets that grow: each larger set holds the smaller ones, so that growth curves are paired.

SIZES = (1, 2, 4, 8, 16)
Sizes: TypeAlias = Sequence[int | tuple[int, int]]  # as many of both, or so many positives and so many negatives


@dataclass(frozen=True, eq=False)
class ExampleSets:
    """Sessions x largest size: positives and negatives in the order in which they are added.

    >>> sets = ExampleSets.drawn([True] * 3 + [False] * 5, repeats=2, largest=(2, 2))
    >>> one, two = sets.of_size(1, 1)[0], sets.of_size(2, 2)[0]
    >>> set(one.examples) < set(two.examples)
    True
    """

    positives: IntArray
    negatives: IntArray
    target: IntArray  # the relevant items, for methods that are controls
    seed: int = 0

    @classmethod
    def drawn(
        cls, target: ArrayLike, repeats: int, largest: tuple[int, int], *, pool: BoolArray | None = None, seed: int = 0
    ) -> ExampleSets:
        """Sets of one topic, `repeats` for each row of `pool` (rows x items: what may be drawn), or from all items.

        More repeats leave the first ones as they were.
        """
        relevant = checked_target(target)
        if repeats < 1 or min(largest) < 0 or largest[0] < 1:
            raise SettingError(f"at least one set with one positive is needed, got {repeats} sets of {largest}")
        allowed = np.ones((1, relevant.size), np.bool_) if pool is None else np.atleast_2d(pool)
        chance = np.random.default_rng(seed)
        rounds = [chance.random(allowed.shape) for _ in range(repeats)]
        keys = np.stack(rounds, axis=1).reshape(-1, relevant.size)  # the sets of each row of the pool stand together
        open_to = np.repeat(allowed, repeats, axis=0)
        return cls(
            _smallest_keys(keys, open_to & relevant, largest[0], "relevant items"),
            _smallest_keys(keys, open_to & ~relevant, largest[1], "items that are not relevant"),
            np.flatnonzero(relevant),
            seed,
        )

    def __len__(self) -> int:
        return len(self.positives)

    def of_size(self, positives: int, negatives: int) -> Examples:
        """The first so many examples of each session."""
        if not (0 < positives <= self.positives.shape[1] and 0 <= negatives <= self.negatives.shape[1]):
            drawn = (self.positives.shape[1], self.negatives.shape[1])
            raise SettingError(f"sets of {positives} and {negatives} were not drawn: the largest have {drawn}")
        wanted, unwanted = list(self.positives[:, :positives]), list(self.negatives[:, :negatives])
        return Examples.of(wanted, unwanted, seeds=self.seed, truth=[self.target] * len(self))

    def chosen(self, items: int, positives: int | None = None, negatives: int | None = None) -> BoolArray:
        """Sessions x items: the examples of the first so many, all unless told."""
        result = np.zeros((len(self), items), np.bool_)
        for drawn, size in ((self.positives, positives), (self.negatives, negatives)):
            np.put_along_axis(result, drawn[:, :size], True, axis=1)
        return result


def pairs(sizes: Sizes) -> tuple[tuple[int, int], ...]:
    """Sizes as pairs of positives and negatives, in growing order.

    >>> pairs([4, 1, (8, 2)])
    ((1, 1), (4, 4), (8, 2))
    """
    both = sorted({(each[0], each[1]) if isinstance(each, tuple) else (int(each), int(each)) for each in sizes})
    if not both or min(each[0] for each in both) < 1 or min(each[1] for each in both) < 0:
        raise SettingError(f"sizes of example sets are at least one positive, and no less than 0 negatives: {sizes}")
    return tuple(both)


def largest_of(both: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The most positives and the most negatives of some sizes."""
    return max(each[0] for each in both), max(each[1] for each in both)


def topic_seed(topic: str, seed: int) -> int:
    """A seed of its own for each topic, whatever other topics there are."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{topic}".encode(), digest_size=4).digest(), "big")


def _smallest_keys(keys: FloatArray, allowed: BoolArray, size: int, what: str) -> IntArray:
    """The items of the `size` smallest keys of each row among those allowed."""
    least = int(allowed.sum(axis=1).min())
    if least < size:
        raise SettingError(f"an example set of {size} {what} cannot be drawn: there are {least}")
    order = np.argsort(np.where(allowed, keys, np.inf), axis=1, kind="stable")
    return order[:, :size].astype(np.int64)


# The matched protocol: examples come from the training part of each fold, scores from its test part.


def matched_ranks(
    method: Method,
    items: Items,
    target: BoolArray,
    folds: Folds,
    sizes: Sizes,
    *,
    repeats: int = 10,
    seed: int = 0,
    topic: str = "",
    told: Callable[[Examples], Examples] | None = None,
) -> tuple[RelevantRanks, ...]:
    """For each size the rankings of test items, `repeats` sets for each fold; sets are nested in size.

    Method and baseline are thus scored on the same items, at the same generality. All methods get the same sets. Sizes
    no training part can supply are a `SettingError`. `told` is what becomes of examples on their way to the method,
    where users err.
    """
    both = pairs(sizes)
    sets = ExampleSets.drawn(target, repeats, largest_of(both), pool=~folds.tested, seed=seed)
    fold = np.repeat(np.arange(folds.count), repeats)
    names = [f"fold {each + 1}" for each in fold.tolist()]
    counted = folds.tested[fold]
    return tuple(
        rank_sessions(
            method,
            items,
            sets.of_size(*size) if told is None else told(sets.of_size(*size)),
            target,
            counted,
            topic=topic,
            classes=names,
            system=name_with_size(method, size),
        )
        for size in both
    )


def fully_trained(method: Method, items: Items, target: BoolArray, folds: Folds, topic: str = "") -> RelevantRanks:
    """The rankings of test items when all of the training part are examples: where growing example sets lead."""
    names = [f"fold {each + 1}" for each in range(folds.count)]
    return rank_sessions(method, items, folds.training(target), target, folds.tested, topic=topic, classes=names)


def possible_sizes(sizes: Sequence[int], target: BoolArray, folds: Folds) -> tuple[int, ...]:
    """The sizes every training part can supply, of positives and of negatives alike.

    >>> possible_sizes([1, 2, 4], np.array([True, True, False, False]), Folds.of([0, 1, 0, 1]))
    (1,)
    """
    learnt = ~folds.tested
    most = int(min((learnt & target).sum(axis=1).min(), (learnt & ~target).sum(axis=1).min()))
    possible = tuple(each for each in sizes if each <= most)
    if not possible:
        raise SettingError(f"every training part can supply {most} examples of each kind, but sizes are {tuple(sizes)}")
    return possible


def erring_examples(examples: Examples, rates: Mapping[str, float], purpose: str = "errors") -> Examples:
    """The same items, of which a user rejects or picks some by error, or says nothing.

    `rates`: `miss` of the positives and `alarm` of the negatives change sides, of those of which something is said;
    `silent_relevant` and `silent_irrelevant` are left out. An item errs in the same way whatever method learns from it.
    >>> given = Examples.of([[0, 1, 2]], [[5, 6]])
    >>> told = erring_examples(given, {"miss": 1.0, "alarm": 0.0})
    >>> told.positives.lists("item"), told.negatives.lists("item")
    ([[]], [[0, 1, 2, 5, 6]])
    """
    own, other = examples.positives, examples.negatives
    row, item = np.concatenate([own.row, other.row]), np.concatenate([own["item"], other["item"]])
    relevant = np.arange(row.size) < own.row.size
    grade = np.concatenate([own["grade"], other["grade"]])
    seed, silent = examples.seeds[row], _rate(relevant, rates, "silent_relevant", "silent_irrelevant")
    wrong = uniform(seed, item, f"{purpose} side") < _rate(relevant, rates, "miss", "alarm")
    said = uniform(seed, item, f"{purpose} silence") >= silent
    positive = relevant ^ wrong
    worth = np.where(wrong, np.where(positive, 1.0, -1.0), grade)
    sides = [_one_side(row, item, worth, said & each, len(examples)) for each in (positive, ~positive)]
    return replace(examples, positives=sides[0], negatives=sides[1])


def marked_examples(examples: Examples, marker: Marker, topic: int) -> Examples:
    """The same items as the users of a study mark them who look for a topic (its row): each set is shown once.

    What they pick is positive, with the worth they see in it; of what they say nothing no method learns.
    """
    count = len(examples)
    sides = (examples.positives, examples.negatives)
    places = np.concatenate([sides[0].position - 1, sides[1].position - 1 + sides[0].lengths[sides[1].row]])
    row, item = (np.concatenate(both) for both in zip(*((each.row, each["item"]) for each in sides), strict=True))
    shown = np.full((count, int(places.max(initial=-1)) + 1), -1, np.int64)
    shown[row, places] = item
    marked = marker.marked(Sessions.of_topic(topic, examples.seeds), shown)
    found = [np.nonzero(marked.said == sign) for sign in (1, -1)]
    positives, negatives = (
        _one_side(own[0], shown[own], marked.grades[own], np.ones(own[0].size, np.bool_), count) for own in found
    )
    return replace(examples, positives=positives, negatives=negatives)


def _rate(relevant: np.ndarray, rates: Mapping[str, float], first: str, second: str) -> FloatArray:
    return np.where(relevant, rates.get(first, 0.0), rates.get(second, 0.0))


def _one_side(row: IntArray, item: IntArray, worth: FloatArray, chosen: np.ndarray, sessions: int) -> Ragged:
    place = np.flatnonzero(chosen)
    place = place[np.lexsort((item[place], row[place]))]
    return Ragged.from_rows(row[place], sessions, item=item[place], grade=worth[place])


# How quality, and efficiency, grow with the number of examples, and where they end.


@dataclass(frozen=True, eq=False)
class ExampleGrowth:
    """Rankings of every method at every size, the same sessions everywhere: one query per topic and set.

    Each of `ranks` is as good as any other `RelevantRanks`: every measure, curve and test takes it. Classes are topics.
    """

    sizes: tuple[tuple[int, int], ...]
    ranks: Mapping[str, tuple[RelevantRanks, ...]]  # by method, one for each size
    repeats: int
    seed: int

    def mean(self, method: str, measure: Measure | None = None) -> Mean:
        """The mean over topics of the mean over sets, at each size; a session that failed is left out."""
        return mean_over(*self._sessions(method, measure))

    def topic_means(self, method: str, measure: Measure | None = None) -> FloatArray:
        """Topics x sizes: the mean over the sets of each topic."""
        return unit_means(*self._sessions(method, measure))

    def _sessions(self, method: str, measure: Measure | None) -> tuple[FloatArray, IntArray]:
        """Sessions x sizes, NaN where one failed, and the topic of each."""
        how = AP() if measure is None else measure
        columns = [np.where(each.answered, how.of(each), np.nan) for each in self.ranks[method]]
        return np.stack(columns, axis=1), units_of(self.ranks[method][0], "per_class")

    def curve(self, method: str, measure: Measure | None = None) -> Curve:
        """A measure against the number of positives."""
        mean, name = self.mean(method, measure), str(AP() if measure is None else measure)
        size = np.array([each[0] for each in self.sizes], dtype=np.float64)
        negatives = np.array([each[1] for each in self.sizes])
        return Curve(
            x=size,
            y=mean.value,
            name=method,
            x_name="positives",
            y_name=name,
            error=mean.error,
            queries=mean.queries,
            more={"negatives": negatives},
        )

    @property
    def failed(self) -> dict[str, int]:
        """How many sessions of each method have no ranking, over all sizes."""
        return {name: sum(int((~each.answered).sum()) for each in result) for name, result in self.ranks.items()}


def growth(
    items: Items,
    topics: Mapping[str, ArrayLike],
    methods: Sequence[Method],
    sizes: Sizes = SIZES,
    *,
    repeats: int = 10,
    common: bool = False,
    seed: int = 0,
) -> ExampleGrowth:
    """Draw `repeats` growing example sets for each topic, rank by each method, and score what is left to find.

    The examples are taken out of the list, which reduces c and d. With `common` the largest set is taken
    out at every size: then all sizes are scored on the same items. A topic needs more relevant items than that.
    """
    both = pairs(sizes)
    targets = {name: checked_target(topics[name]) for name in sorted(topics, key=str.encode)}
    if not targets or not methods:
        raise SettingError("example-set testing needs at least one topic and one method")
    if len({str(each) for each in methods}) < len(methods):
        raise SettingError("each method with its settings may be there once")
    needed = largest_of(both)[0]
    small = [name for name, target in targets.items() if target.sum() <= needed]
    if small:
        raise SettingError(
            f"topics with {needed} relevant items or fewer have nothing left to find: {', '.join(small)}. Leave them "
            "out, or draw smaller sets."
        )
    parts: dict[str, list[list[RelevantRanks]]] = {str(each): [[] for _ in both] for each in methods}
    for topic, target in targets.items():
        sets = ExampleSets.drawn(target, repeats, largest_of(both), seed=topic_seed(topic, seed))
        for method in methods:
            for place, size in enumerate(both):
                counted = ~sets.chosen(len(items), *(largest_of(both) if common else size))
                examples, name = sets.of_size(*size), name_with_size(method, size)
                result = rank_sessions(method, items, examples, target, counted, topic=topic, system=name)
                parts[str(method)][place].append(result)
    ranks = {name: tuple(RelevantRanks.join(each) for each in result) for name, result in parts.items()}
    return ExampleGrowth(both, ranks, repeats, seed)


@dataclass(frozen=True, eq=False)
class Convergence:
    """Efficiencies of one method on one topic: one for each size of example sets, and with all of the training part.

    Under approach I the MAE should rise to about 1; a plateau below 1 under II or III is the bias of the method.
    """

    topic: str
    method: str
    approach: str
    sizes: tuple[int, ...]
    efficiencies: tuple[Efficiency, ...]
    full: Efficiency  # with all training examples
    most: int  # positives of the smallest training part

    @property
    def mae(self) -> FloatArray:
        """Mean efficiency at each size."""
        return np.array([each.mae for each in self.efficiencies])

    @property
    def corrected_mae(self) -> FloatArray:
        """Mean chance-corrected efficiency at each size."""
        return np.array([each.corrected_mae for each in self.efficiencies])

    def rows(self) -> list[dict[str, object]]:
        """One row per size; the last, without a size, is of the whole training part."""
        sizes: tuple[int | None, ...] = (*self.sizes, None)
        return [
            {
                "topic": self.topic,
                "method": self.method,
                "examples": size,
                "MAE": each.mae,
                "corrected": each.corrected_mae,
                "runs": each.runs,
                "flags": "; ".join(each.flags),
            }
            for size, each in zip(sizes, (*self.efficiencies, self.full), strict=True)
        ]


def convergence(
    method: Method,
    items: Items,
    target: ArrayLike,
    baseline: Baseline,
    sizes: Sequence[int] = SIZES,
    *,
    repeats: int = 10,
    levels: int = LEVELS,
    seed: int = 0,
) -> Convergence:
    """MAE against the number of positives, with as many negatives, by the matched protocol.

    Sizes that a training part cannot supply are left out. A topic without folds has no efficiency: `SettingError`.
    """
    relevant = checked_target(target)
    if baseline.folds is None:
        raise SettingError(f"topic '{baseline.topic}' has no baseline: {'; '.join(baseline.feasibility.reasons)}")
    baseline.check(items, relevant)
    shown = possible_sizes(sorted(set(sizes)), relevant, baseline.folds)
    runs = matched_ranks(
        method,
        items,
        relevant,
        baseline.folds,
        shown,
        repeats=repeats,
        seed=topic_seed(baseline.topic, seed),
        topic=baseline.topic,
    )
    all_of_it = fully_trained(method, items, relevant, baseline.folds, baseline.topic)
    results = tuple(efficiency(each, baseline, levels=levels) for each in runs)
    full = efficiency(all_of_it, baseline, levels=levels)
    most = int((~baseline.folds.tested & relevant).sum(axis=1).min())
    return Convergence(
        topic=baseline.topic,
        method=str(method),
        approach=baseline.approach,
        sizes=shown,
        efficiencies=results,
        full=full,
        most=most,
    )


def mean_convergence(results: Iterable[Convergence], corrected: bool = False) -> Curve:
    """The mean over feasible topics of one method at the sizes all of them have, with its error over topics."""
    given = list(results)
    sizes, values = topic_convergence(given, corrected)
    mean = mean_over(values, np.arange(len(values)))
    return Curve(
        x=np.array(sizes, dtype=np.float64),
        y=mean.value,
        name=given[0].method,
        x_name="positives",
        y_name="corrected MAE" if corrected else "MAE",
        error=mean.error,
        queries=mean.queries,
    )


def topic_convergence(results: Sequence[Convergence], corrected: bool = False) -> tuple[list[int], FloatArray]:
    """The sizes that all feasible topics have, and the efficiency of one method there: topics x sizes."""
    feasible = [each for each in results if each.full.feasible]
    if len({each.method for each in feasible}) != 1:
        raise SettingError("a mean over topics needs at least one feasible topic, and one method")
    sizes = sorted(set.intersection(*(set(each.sizes) for each in feasible)))
    rows = [
        [(each.corrected_mae if corrected else each.mae)[each.sizes.index(size)] for size in sizes] for each in feasible
    ]
    return sizes, np.array(rows)
