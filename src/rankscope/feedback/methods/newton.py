"""Logistic regression of many small sessions at once, by Newton's method, in the span of their examples or of features.

Minimised is |w|²/2 + sum cost_i ln(1 + e^(-y_i f_i)), f = w.x + b; the intercept b is not penalised. An example of cost
0 only fills up its row. Steps are halved until the objective falls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.methods.method import refuse

CLOSE = 1e-10  # largest change of a decision value in the last step
MOST_STEPS, MOST_HALVINGS = 200, 40
ROUNDING = 1e-15


class WeightForm(Protocol):
    """Which numbers stand for w: a vector p per session."""

    @property
    def width(self) -> int:
        """How many numbers that are."""

    def take(self, sessions: IntArray) -> WeightForm:
        """Some of the sessions."""

    def products(self, p: FloatArray) -> FloatArray:
        """w.x of the examples."""

    def rounding(self, p: FloatArray) -> FloatArray:
        """How far rounding alone may move w.x: large where examples with equal features bear both labels."""

    def penalty(self, p: FloatArray) -> FloatArray:
        """|w|²/2."""

    def quadratic(self, bend: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """p and b at the minimum of |w|²/2 + sum (bend_i f_i²/2 - target_i f_i)."""


@dataclass(frozen=True, eq=False)
class Span:
    """w = sum p_i x_i over the examples; `kernel` has their products. Rasmussen & Williams 2006, algorithm 3.1."""

    kernel: FloatArray

    @property
    def width(self) -> int:
        """One number per example."""
        return self.kernel.shape[1]

    def take(self, sessions: IntArray) -> Span:
        """Some of the sessions."""
        return Span(self.kernel[sessions])

    def products(self, p: FloatArray) -> FloatArray:
        """K p."""
        return (self.kernel @ p[:, :, None])[:, :, 0]

    def rounding(self, p: FloatArray) -> FloatArray:
        """Some units in the last place of the largest term of K p, times the number of terms."""
        return ROUNDING * self.width * np.abs(self.kernel).max(axis=(1, 2)) * np.abs(p).max(axis=1)

    def penalty(self, p: FloatArray) -> FloatArray:
        """p' K p / 2."""
        return 0.5 * np.einsum("si,si->s", p, self.products(p))

    def quadratic(self, bend: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By the system I + R K R with R the root of the bend, which is never near singular."""
        root = np.sqrt(bend)[:, :, None]
        system = root * self.kernel * np.swapaxes(root, 1, 2) + np.eye(self.width)
        right = np.stack([target, bend], axis=2)
        both = right - root * np.linalg.solve(system, root * (self.kernel @ right))
        b = both[:, :, 0].sum(axis=1) / np.maximum(both[:, :, 1].sum(axis=1), 1e-300)
        return both[:, :, 0] - b[:, None] * both[:, :, 1], b


@dataclass(frozen=True, eq=False)
class WeightsByFeature:
    """w itself, for sessions with more examples than features; `rows` are the examples."""

    rows: FloatArray

    @property
    def width(self) -> int:
        """One number per feature."""
        return self.rows.shape[2]

    def take(self, sessions: IntArray) -> WeightsByFeature:
        """Some of the sessions."""
        return WeightsByFeature(self.rows[sessions])

    def products(self, p: FloatArray) -> FloatArray:
        """X w."""
        return (self.rows @ p[:, :, None])[:, :, 0]

    def rounding(self, p: FloatArray) -> FloatArray:
        """Some units in the last place of the largest term of X w, times the number of terms."""
        return ROUNDING * self.width * np.abs(self.rows).max(axis=(1, 2)) * np.abs(p).max(axis=1)

    def penalty(self, p: FloatArray) -> FloatArray:
        """w'w / 2."""
        return 0.5 * np.einsum("si,si->s", p, p)

    def quadratic(self, bend: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By the system I + X' R² X."""
        across = np.swapaxes(self.rows, 1, 2)
        system = (across * bend[:, None, :]) @ self.rows + np.eye(self.width)
        both = np.linalg.solve(system, across @ np.stack([target, bend], axis=2))
        pulled = np.einsum("si,sik->sk", bend, self.rows @ both)
        b = (target.sum(axis=1) - pulled[:, 0]) / np.maximum(bend.sum(axis=1) - pulled[:, 1], 1e-300)
        return both[:, :, 0] - b[:, None] * both[:, :, 1], b


def logistic_fits(form: WeightForm, label: FloatArray, cost: FloatArray) -> tuple[FloatArray, FloatArray]:
    """p and b of each session; those that have settled are not worked on any more.

    >>> made = logistic_fits(WeightsByFeature(np.array([[[1.0], [-1.0]]])), np.array([[1.0, -1.0]]), np.ones((1, 2)))
    >>> [each.round(4) + 0.0 for each in made]
    [array([[0.6748]]), array([0.])]
    """
    p, b = np.zeros((len(label), form.width)), np.zeros(len(label))
    moving = np.arange(len(label))
    for _ in range(MOST_STEPS):
        p[moving], b[moving], change = _step(form.take(moving), label[moving], cost[moving], p[moving], b[moving])
        moving = moving[change > CLOSE]
        if not moving.size:
            return p, b
    refuse(np.isin(np.arange(len(label)), moving), "logistic regression did not settle; choose a smaller C")
    return p, b


def _step(
    form: WeightForm, label: FloatArray, cost: FloatArray, p: FloatArray, b: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """One step, and how far it moved the decision values, beyond what rounding does."""
    values = form.products(p) + b[:, None]
    wrong = 1.0 / (1.0 + np.exp(np.clip(label * values, -500, 500)))
    bend = cost * wrong * (1.0 - wrong)
    new_p, new_b = form.quadratic(bend, bend * values + cost * label * wrong)
    p_step, b_step = new_p - p, new_b - b
    f_step = form.products(p_step) + b_step[:, None]
    size = np.ones((len(b), 1))
    before = form.penalty(p) + _loss(label, cost, values)
    for _ in range(MOST_HALVINGS):
        after = form.penalty(p + size * p_step) + _loss(label, cost, values + size * f_step)
        worse = after > before + 1e-12 * np.abs(before)
        if not worse.any():
            break
        size = np.where(worse[:, None], size / 2, size)
    change = np.abs(np.where(cost > 0, f_step, 0.0) * size).max(axis=1) - form.rounding(p)
    return p + size * p_step, b + size[:, 0] * b_step, change


def _loss(label: FloatArray, cost: FloatArray, values: FloatArray) -> FloatArray:
    return (cost * np.logaddexp(0.0, -label * values)).sum(axis=1)
