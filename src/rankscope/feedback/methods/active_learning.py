"""Methods that choose what to show next: active SVM, mean version space, RETIN, PicHunter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples, Session
from rankscope.feedback.examples.geometry import distances, gram
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scores import Scored, best
from rankscope.feedback.methods.kernel_methods import SVM, sklearn_part
from rankscope.feedback.methods.method import BlockState, Part, TwoSided

# Active SVM: rank by the margin, but ask about the items the machine is least sure of.


@dataclass(frozen=True)
class ActiveSVM(SVM):
    """Scores as the SVM's; shows the unjudged items with the least |f|. Do not measure quality on that display."""

    name: ClassVar[str] = "active-svm"
    source: ClassVar[str] = "Tong & Chang 2001, Support vector machine active learning for image retrieval"
    active: ClassVar[bool] = True

    def urgency(self, items: Items, examples: Examples, scored: Scored) -> FloatArray:
        """The items nearest to the border come first."""
        return -np.abs(scored.values)


# Mean version space: rank by the SVM, and ask about the items after which fewest machines are left, on average.


@dataclass(frozen=True)
class MeanVersionSpace(SVM):
    """Scores as the SVM's; shows the items with the least p m+ + (1 - p) m-, p = 1/(1 + e^-f).

    Our reading. m+ and m- are the margins 1/|w| of the machine trained again with the item as a positive or a negative:
    they stand for how large the version space would be. Only the `candidates` items nearest to the border (as many as
    are to be shown, at least) are tried. Do not measure quality on that display.
    """

    candidates: int = 30
    name: ClassVar[str] = "mean-version-space"
    source: ClassVar[str] = "He, Tong, Li, Zhang & Zhang 2004, Mean version space: a new active learning method"
    dagger: ClassVar[bool] = True
    active: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"candidates": 1}

    def query(self, items: Items, examples: Examples, scored: Scored, k: int) -> IntArray:
        """The candidates by their mean margin, the least first."""
        near = best(-np.abs(scored.values), max(k, self.candidates), examples.judged(len(items)))
        shown = np.full((len(examples), k), -1, np.int64)
        for row, session in enumerate(examples):
            tried = near[row][near[row] >= 0]
            size = self.mean_margins(items, session, tried, scored.values[row, tried])
            chosen = tried[np.argsort(size, kind="stable")][:k]
            shown[row, : chosen.size] = chosen
        return shown

    def mean_margins(self, items: Items, session: Session, tried: IntArray, values: FloatArray) -> FloatArray:
        """The expected margin after each of the items is judged; all alike where there is no example of either side."""
        if not (session.positives.size and session.negatives.size):
            return np.zeros(tried.size)
        points = items.matrix[np.concatenate([session.examples, tried])]
        kernel, count = gram(points, self.width(items)), session.examples.size
        sizes = np.empty((2, tried.size))
        for place in range(tried.size):
            own = np.append(np.arange(count), count + place)
            for row, side in enumerate((1.0, -1.0)):
                sizes[row, place] = margin(kernel[np.ix_(own, own)], np.append(session.labels, side), self.C)
        chance = 1.0 / (1.0 + np.exp(-np.clip(values, -500, 500)))
        return chance * sizes[0] + (1 - chance) * sizes[1]


def margin(kernel: FloatArray, labels: FloatArray, cost: float) -> float:
    """1/|w| of the machine with this kernel between its examples.

    >>> round(margin(np.eye(2), np.array([1.0, -1.0]), 10.0), 4)
    0.7071
    """
    machine = sklearn_part("svm").SVC(C=cost, kernel="precomputed", tol=1e-3).fit(kernel, labels)
    weights = machine.dual_coef_[0]
    length = float(np.sqrt(weights @ kernel[np.ix_(machine.support_, machine.support_)] @ weights))
    return 1.0 / max(length, 1e-150)


# RETIN: an SVM that asks around a rank which follows the balance of good and bad answers.


@dataclass(frozen=True)
class Retin(SVM):
    """Scores as the SVM's; shows items around rank s, each unlike those already chosen for the display.

    Our reading. s starts at `first_rank` and moves by h (hits - misses) after each round, so that good and bad answers
    stay balanced. The next item is the one with the least |f - f(s)| + its largest kernel value with the display.
    """

    h: float = 2.0
    first_rank: int = 20
    name: ClassVar[str] = "retin"
    source: ClassVar[str] = "Gosselin & Cord 2004, RETIN AL: an active learning strategy for image category retrieval"
    dagger: ClassVar[bool] = True
    active: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"first_rank": 1}

    def next_rank(self, rank: IntArray, hits: IntArray, misses: IntArray) -> IntArray:
        """s of the next round, not above the top of the list; give it to the examples as `around`."""
        return np.maximum(1, np.rint(rank + self.h * (hits - misses))).astype(np.int64)

    def block_state(self, items: Items, sessions: int, growing: bool) -> BlockState:
        """It keeps the rank of each session."""
        return RanksAsked(self, items, sessions)

    def query(self, items: Items, examples: Examples, scored: Scored, k: int) -> IntArray:
        """Closest to the score at rank s, and unlike the rest of the display."""
        ranks = np.full(len(examples), self.first_rank) if examples.around is None else examples.around
        ranks = np.clip(ranks, 1, len(items))
        rows = np.arange(len(examples))
        at = best(scored.values, int(ranks.max(initial=1)))[rows, ranks - 1]
        far = np.abs(scored.values - scored.values[rows, at][:, None])
        seen = examples.judged(len(items))
        chosen = np.full((len(examples), k), -1, np.int64)
        for row in rows.tolist():
            display = UnlikeDisplay(items, far[row], seen[row], self.width(items)).choose(k)
            chosen[row, : len(display)] = display
        return chosen


class RanksAsked(BlockState):
    """The rank about which each session of a block asks next."""

    def __init__(self, method: Retin, items: Items, sessions: int) -> None:
        super().__init__(method, items)
        self.retin, self.rank = method, np.full(sessions, method.first_rank)

    def complete_examples(self, examples: Examples) -> Examples:
        return replace(examples, around=self.rank)

    def note_marks(self, hits: IntArray, misses: IntArray) -> None:
        """Follow the balance of good and bad answers."""
        self.rank = self.retin.next_rank(self.rank, hits, misses)


# A display of items near a wanted score that are unlike each other, without comparing all items with all of them.

FIRST_LOOK = 256  # items that are compared with the display at first


class UnlikeDisplay:
    """Items chosen one by one, by the least sum of how far an item's score is and how like it is to the chosen ones.

    How like: its largest kernel value with one of them. Of equal sums the first item is chosen. A kernel value is never
    negative, so an item whose score is farther than the least sum cannot be next: items are compared from the nearest
    score on, and twice as many where those do not suffice.
    """

    def __init__(self, items: Items, far: FloatArray, seen: BoolArray, gamma: float) -> None:
        self.items, self.gamma = items, gamma
        unseen = np.flatnonzero(~seen)
        self.order: IntArray = unseen[np.argsort(far[unseen], kind="stable")]
        self.far = far[self.order]
        self.rows: NDArray[Any] = items.moved[:0]  # the features of those that are compared
        self.alike: FloatArray = np.zeros(0)  # how like they are to the chosen ones; infinite for these themselves
        self.chosen: list[int] = []

    def choose(self, count: int) -> list[int]:
        """So many items, or all that are left."""
        while len(self.chosen) < min(count, self.order.size):
            place = self._next_place()
            self.chosen.append(int(self.order[place]))
            new = self._kernel(self.rows, self.order[: len(self.rows)], self.chosen[-1:])
            np.maximum(self.alike, new, out=self.alike)
            self.alike[place] = np.inf
        return self.chosen

    def _next_place(self) -> int:
        """Where in the order the next item is, when enough are compared to know it."""
        while True:
            compared = self.alike.size
            total = self.far[:compared] + self.alike
            least = total.min(initial=np.inf)
            if compared == self.order.size or least < self.far[compared]:
                break
            numbers = self.order[compared : max(FIRST_LOOK, 2 * compared)]
            more = self.items.moved[numbers]
            self.rows = np.concatenate([self.rows, more])
            self.alike = np.concatenate([self.alike, self._kernel(more, numbers, self.chosen)])
        if not np.isfinite(least):  # nothing is known of the scores
            return int(np.argmax(np.isfinite(self.alike)))
        equal = np.flatnonzero(total == least)
        return int(equal[np.argmin(self.order[equal])])

    def _kernel(self, rows: NDArray[Any], numbers: IntArray, points: list[int]) -> FloatArray:
        """The largest kernel value of each row with some of the chosen; 0 where there are none."""
        squares = self.items.squares
        squared = squares[numbers][:, None] + squares[points] - 2 * (rows @ self.items.moved[points].T)
        return np.exp(-self.gamma * np.maximum(squared, 0)).max(axis=1, initial=0.0).astype(np.float64)


# PicHunter: the probability that each item is the one looked for, given what was picked from each display.

ONE_DISPLAY = "no displays: the examples stand for one display"
DISPLAYS_TRIED = 16  # random displays among which the most telling one is chosen


@dataclass(frozen=True)
class PicHunter(TwoSided):
    """Log posterior: prior times, for each pick, exp(-d(pick, item) / sigma) over its sum for the whole display.

    Made for one target. `sigma` None is the typical distance of two items. The prior is exp(-d(query, item) / sigma),
    uniform without a query: where a whole display is picked, the picks alone do not say which way the target lies.
    Examples that were on no display count as one more, of which the positives were picked; if all of them are
    positive, as further queries. `display`: the most probable items, or of 16 displays drawn from the posterior the one
    after which the least entropy is expected.
    """

    sigma: float | None = None
    display: Literal["probable", "entropy"] = "probable"
    name: ClassVar[str] = "pichunter"
    source: ClassVar[str] = "Cox et al. 2000, The Bayesian image retrieval system, PicHunter"
    needs: ClassVar[tuple[str, ...]] = ("displays",)
    active: ClassVar[bool] = True
    above: ClassVar[Mapping[str, float]] = {"sigma": 0}

    def parts(self, items: Items, examples: Examples) -> Iterator[Part]:
        """Sessions with displays need no examples; the usual rules hold for the others."""
        shown = np.zeros(len(examples), np.bool_) if examples.displays is None else examples.displays.lengths > 0
        if shown.any():
            yield np.flatnonzero(shown), examples.take(np.flatnonzero(shown)), ""
        rest = np.flatnonzero(~shown)
        if rest.size:
            for rows, part, flag in super().parts(items, examples.take(rest)):
                yield rest[rows], part, flag or ONE_DISPLAY

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """The logarithm of the posterior, so that nothing underflows."""
        shown = np.concatenate([np.empty(0, np.int64), *(each for each, _ in session.displays)])
        picks, rejects = (np.setdiff1d(each, shown) for each in (session.positives, session.negatives))
        if session.query is not None:  # which the user did not pick
            picks = picks[(items.matrix[picks] != session.query).any(axis=1)]
        asked = items.matrix[picks if not rejects.size else picks[:0]]
        asked = asked if session.query is None else np.vstack([session.query[None], asked])
        posterior = self.nearness(items, asked).sum(axis=0)
        brought = np.concatenate([picks, rejects])
        one_more = ((brought, np.arange(brought.size) < picks.size),) if rejects.size else ()
        for display, picked in (*one_more, *session.displays):
            if picked.any():
                posterior += self._told(items, display, picked)
        return posterior - _log_sum(posterior)

    def nearness(self, items: Items, points: FloatArray) -> FloatArray:
        """-d(point, item) / sigma: points x items."""
        sigma = items.typical_distance if self.sigma is None else self.sigma
        return distances(items, points).astype(np.float64) / -sigma

    def _told(self, items: Items, shown: IntArray, picked: BoolArray) -> FloatArray:
        """Log probability of all the picks from a display; a session asks for the same ones in every later round."""
        key = (self.name, self.sigma, shown.tobytes(), picked.tobytes())
        return items.recent.get(key, lambda: self.choice_chances(items, shown)[picked].sum(axis=0))

    def choice_chances(self, items: Items, shown: IntArray) -> FloatArray:
        """Log probability of each pick from a display, for every item as the target: shown x items."""
        nearness = self.nearness(items, items.matrix[shown])
        return nearness - _log_sum(nearness)

    def query(self, items: Items, examples: Examples, scored: Scored, k: int) -> IntArray:
        """The most probable unjudged items, or a display that tells much."""
        if self.display == "probable":
            return super().query(items, examples, scored, k)
        each = zip(scored.values, examples.judged(len(items)), examples.seeds.tolist(), strict=True)
        return np.stack([self._telling(items, posterior, seen, seed, k) for posterior, seen, seed in each])

    def _telling(self, items: Items, log_posterior: FloatArray, seen: BoolArray, seed: int, k: int) -> IntArray:
        """Of some displays drawn from the posterior (Gumbel's way) the one that leaves the least entropy."""
        chance = np.random.default_rng(seed)
        drawn = best(
            log_posterior + chance.gumbel(size=(DISPLAYS_TRIED, len(items))), k, np.tile(seen, (DISPLAYS_TRIED, 1))
        )
        if (drawn < 0).any():
            return drawn[0]
        return min(drawn, key=lambda shown: self.expected_entropy(items, log_posterior, shown))

    def expected_entropy(self, items: Items, log_posterior: FloatArray, shown: IntArray) -> float:
        """Mean entropy in bits after one pick from the display, over the picks and over the targets."""
        joint = log_posterior + self.choice_chances(items, shown)
        pick = _log_sum(joint.T)
        return float(np.exp(pick) @ [entropy(each) for each in joint - pick[:, None]])


def entropy(log_posterior: FloatArray) -> float:
    """Entropy in bits of a distribution given by its logarithms.

    >>> entropy(np.log([0.5, 0.25, 0.25]))
    1.5
    """
    return float(-(np.exp(log_posterior) * log_posterior).sum() / np.log(2))


def _log_sum(logs: FloatArray) -> FloatArray:
    """log of the sum of exponentials over the first axis."""
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).sum(axis=0))
