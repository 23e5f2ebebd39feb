"""Random example sets that grow, by the matched protocol of folds, and as users give them who err."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.feedback.examples.examples import Examples, Folds, checked_target
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method, name_with_size, rank_sessions
from rankscope.feedback.study.experiment import Marker
from rankscope.feedback.users.users import Sessions, uniform
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
