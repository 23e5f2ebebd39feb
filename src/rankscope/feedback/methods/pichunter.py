"""PicHunter: the probability that each item is the one looked for, given what was picked from each display."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import distances
from rankscope.feedback.examples.scored import Scored, best
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import Part, TwoSided

ONE_DISPLAY = "no displays: the examples stand for one display"
TRIES = 16  # random displays among which the most telling one is chosen


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
        picks, rejects = _on_no_display(items, session)
        asked = items.matrix[picks if not rejects.size else picks[:0]]
        asked = asked if session.query is None else np.vstack([session.query[None], asked])
        posterior = self.nearness(items, asked).sum(axis=0)
        brought = np.concatenate([picks, rejects])
        one_more = ((brought, np.arange(brought.size) < picks.size),) if rejects.size else ()
        for shown, picked in (*one_more, *session.displays):
            if picked.any():
                posterior += self._told(items, shown, picked)
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
        drawn = best(log_posterior + chance.gumbel(size=(TRIES, len(items))), k, np.tile(seen, (TRIES, 1)))
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


def _on_no_display(items: Items, session: Session) -> tuple[IntArray, IntArray]:
    """Positive and negative examples that the user brought along; the query is none of them."""
    shown = np.concatenate([np.empty(0, np.int64), *(each for each, _ in session.displays)])
    picks = np.setdiff1d(session.positives, shown)
    if session.query is not None:
        picks = picks[(items.matrix[picks] != session.query).any(axis=1)]
    return picks, np.setdiff1d(session.negatives, shown)


def _log_sum(logs: FloatArray) -> FloatArray:
    """log of the sum of exponentials over the first axis."""
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).sum(axis=0))
