"""The consistency test: with the answer among the features, does a method find it? (Huiskes & Lew 2008, section 5.3)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import InputError
from rankscope.feedback.examples.examples import Examples, checked_target
from rankscope.feedback.examples.items import Items, Scaling
from rankscope.feedback.methods.method import Method, rank_sessions
from rankscope.feedback.normalization.efficiency import (
    LEVELS,
    Efficiency,
    Over,
    chance_curve,
    generality_of,
    mean_curve,
    places,
)
from rankscope.measures import AP
from rankscope.ranks.relevant_ranks import RelevantRanks

GAINS = (0.25, 1.0, 4.0, 16.0)


def with_indicators(items: Items, properties: ArrayLike, gain: float | None = None) -> Items:
    """The items with one more feature for each property, 0 or 1; with a gain, 0 or gain times the mean feature sd.

    Properties are one column, or items x properties: the indicator of the target, or of the elementary properties it is
    composed of. What is appended is not scaled. Where features are in groups it is one more group; where all are one it
    joins them, for a method that weighs groups should get no hint. It is an aspect too where aspects were given.
    >>> with_indicators(Items.of([[0.0], [4.0]]), [True, False], gain=0.5).matrix
    array([[0., 1.],
           [4., 0.]])
    """
    columns = np.asarray(properties, dtype=np.float64)
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim != 2 or len(columns) != len(items) or not np.isin(columns, (0.0, 1.0)).all():
        raise InputError.of("properties", [f"{len(items)} items need {len(items)} rows of 0 or 1, got {columns.shape}"])
    height = 1.0 if gain is None else gain * float(items.sd.mean())
    matrix = np.hstack([items.matrix, (height * columns).astype(items.matrix.dtype)])
    more = columns.shape[1]
    aspects = None if items.given_aspects is None else np.hstack([items.given_aspects, columns > 0])
    scaling = Scaling("none", np.zeros(matrix.shape[1]), np.ones(matrix.shape[1]))
    alone = slice(items.features, items.features + more)
    groups = (slice(0, alone.stop),) if len(items.groups) == 1 else (*items.groups, alone)
    return Items(matrix=matrix, scaling=scaling, groups=groups, log=items.log, given_aspects=aspects)


def with_wanted_indicators(examples: Examples, height: ArrayLike) -> Examples:
    """The same sessions in the extended space: a query has the indicators of what is wanted; the rest is as it was."""
    if examples.queries is None:
        return examples
    wanted = np.broadcast_to(np.atleast_1d(np.asarray(height, np.float64)), (len(examples), np.size(height)))
    return replace(examples, queries=np.hstack([examples.queries, wanted]))


def ideal_curve(over: Over, at: ArrayLike) -> FloatArray:
    """The total recall ideal system: p(r) = 1; p = 1 up to scope c, then c/s; r = s/c up to scope c, then 1.

    >>> ideal_curve("recall-scope", [0.25, 1, 2]), ideal_curve("precision-scope", [0.25, 1, 2])
    (array([0.25, 1.  , 1.  ]), array([1. , 1. , 0.5]))
    """
    given = np.asarray(at, dtype=np.float64)
    if over == "recall":
        return np.ones(given.size)
    return np.minimum(1.0, 1.0 / given if over == "precision-scope" else given)


@dataclass(frozen=True, eq=False)
class Consistency:
    """One method in the same sessions without the indicator, and with it at one gain (None: as 0 and 1)."""

    method: str
    topic: str
    gain: float | None
    plain: RelevantRanks
    extended: RelevantRanks

    @property
    def average_precision(self) -> tuple[float, float]:
        """Mean AP without and with the indicator."""
        return _mean_ap(self.plain), _mean_ap(self.extended)

    def efficiency(self, over: Over = "recall", levels: int = LEVELS) -> Efficiency:
        """The curve with the indicator divided by that of the ideal system: over recall, its plain precision."""
        at = places(over, levels)
        ranks = self.extended.take(np.flatnonzero(self.extended.answered))
        both = generality_of(ranks)
        return Efficiency(
            over=over,
            at=at,
            reached=mean_curve(ranks, over, at),
            baseline=ideal_curve(over, at),
            chance=chance_curve(ranks, over, at),
            method=self.method,
            topic=self.topic,
            winner="ideal",
            feasible=True,
            runs=len(ranks),
            failed=len(self.extended) - len(ranks),
            generality=(both, both),
        )


def consistency(
    methods: Sequence[Method],
    items: Items,
    target: ArrayLike,
    examples: Examples,
    *,
    properties: ArrayLike | None = None,
    gains: Sequence[float | None] = (None, *GAINS),
    topic: str = "topic",
) -> list[Consistency]:
    """Every method in the sessions given, without the indicator and with it at every gain; examples are not scored.

    `properties` are the elementary properties (items x properties) where the target is composed of several; the
    indicator of the target unless given.
    """
    relevant = checked_target(target)
    told = relevant if properties is None else np.asarray(properties)
    counted = ~examples.judged(len(items))
    plain = [rank_sessions(each, items, examples, relevant, counted, topic=topic) for each in methods]
    result = []
    for gain in gains:
        more = with_indicators(items, told, gain)
        indicators = more.matrix[:, items.features :]
        wanted = indicators[relevant].mean(axis=0) if relevant.any() else np.zeros(indicators.shape[1])
        sessions = with_wanted_indicators(examples, wanted)
        for method, before in zip(methods, plain, strict=True):
            after = rank_sessions(method, more, sessions, relevant, counted, topic=topic)
            result.append(Consistency(method=str(method), topic=topic, gain=gain, plain=before, extended=after))
    return result


def _mean_ap(ranks: RelevantRanks) -> float:
    values = AP().of(ranks)[ranks.answered]
    return float(values.mean()) if values.size else float("nan")
