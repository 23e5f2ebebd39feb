"""Kernel methods: support vector machines of two classes, of one and between, Parzen windows, Gaussian processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar, Literal

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import MissingExtra
from rankscope.feedback.examples.examples import Examples, Session
from rankscope.feedback.examples.geometry import expansion, gram, join_examples, pad_rows, rbf, small_batches
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scores import Scored
from rankscope.feedback.methods.method import CannotScore, Method, TwoSided
from rankscope.ranks.ragged import Ragged


def sklearn_part(name: str) -> Any:
    """A module of scikit-learn, or a message that says how to install it."""
    try:
        return import_module(f"sklearn.{name}")
    except ModuleNotFoundError:
        raise MissingExtra("scikit-learn", "feedback") from None


@dataclass(frozen=True)
class KernelMethod(Method):
    """Score = sum over the examples of coefficient * exp(-gamma |x_i - x|²) + intercept.

    A subclass finds the coefficients, of one session or of all. `gamma` None is 1 / (features * variance).
    """

    gamma: float | None = field(default=None, kw_only=True)
    above: ClassVar[Mapping[str, float]] = {"gamma": 0}

    def width(self, items: Items) -> float:
        """The gamma used for these items."""
        return items.gamma if self.gamma is None else self.gamma

    def trained_on(self, items: Items, examples: Examples) -> Ragged:
        """The items of each session that carry a coefficient, with their labels."""
        return join_examples(examples.positives, examples.negatives)

    def fit(self, items: Items, session: Session) -> tuple[FloatArray, float]:
        """Coefficients of one session's examples (positives, then negatives) and the intercept."""
        raise NotImplementedError

    def fit_many(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """Coefficients of all sessions one behind the other, and one intercept per session."""
        fitted = [self.fit(items, session) for session in examples]
        flat = np.concatenate([np.empty(0), *(each[0] for each in fitted)])
        return flat, np.array([each[1] for each in fitted])

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Fit each session, then one expansion for all."""
        coefficients, intercepts = self.fit_many(items, examples)
        values = expansion(items, self.trained_on(items, examples), coefficients, self.width(items))
        values += intercepts.astype(values.dtype)[:, None]
        return values


# Two-class support vector machine: the margin between positives and negatives.


@dataclass(frozen=True)
class SVM(KernelMethod, TwoSided):
    """The decision value f(x), the most positive first."""

    C: float = 10.0
    name: ClassVar[str] = "svm"
    source: ClassVar[str] = "Tong & Chang 2001, Support vector machine active learning for image retrieval"
    above: ClassVar[Mapping[str, float]] = {"C": 0}

    def fit(self, items: Items, session: Session) -> tuple[FloatArray, float]:
        return support_vectors(items.matrix[session.examples], session.labels, self.C, self.width(items))


def support_vectors(
    points: FloatArray, labels: FloatArray, cost: float, gamma: float, weights: FloatArray | None = None
) -> tuple[FloatArray, float]:
    """Coefficient of each point (0 for those that support nothing) and the intercept."""
    machine = sklearn_part("svm").SVC(C=cost, kernel="precomputed", tol=1e-5)
    model = machine.fit(gram(points, gamma), labels, sample_weight=weights)
    coefficients = np.zeros(len(points))
    coefficients[model.support_] = model.dual_coef_[0]
    return coefficients, float(model.intercept_[0])


# One-class SVM: the region that holds most of the positives.


@dataclass(frozen=True)
class OneClassSVM(KernelMethod):
    """sum a_i k(x_i, x) - rho on the positives alone, the a_i adding up to nu * nP. Flat far from the positives."""

    nu: float = 0.2
    name: ClassVar[str] = "one-class-svm"
    source: ClassVar[str] = "Chen, Zhou & Huang 2001, One-class SVM for learning in image retrieval"
    above: ClassVar[Mapping[str, float]] = {"nu": 0}
    most: ClassVar[Mapping[str, float]] = {"nu": 1}

    def trained_on(self, items: Items, examples: Examples) -> Ragged:
        return examples.positives

    def fit(self, items: Items, session: Session) -> tuple[FloatArray, float]:
        kernel = gram(items.matrix[session.positives], self.width(items))
        model = sklearn_part("svm").OneClassSVM(nu=self.nu, kernel="precomputed", tol=1e-6).fit(kernel)
        coefficients = np.zeros(session.positives.size)
        coefficients[model.support_] = model.dual_coef_[0]
        return coefficients, float(model.intercept_[0])


# Biased SVM: between the one-class machine (b = 1) and the two-class machine (b towards 0).

CAP_SLACK = 1e-9


@dataclass(frozen=True)
class BiasedSVM(KernelMethod, TwoSided):
    """sum a_i y_i k(x_i, x), the a_i least in sum a_i a_j y_i y_j K_ij under sum a = 1, sum a y = b, a_i <= 1/(nu l).

    Our reading. The linear term sum a_i y_i K_ii of the dual is b for this kernel, where K_ii = 1, and so left out. A
    session fails where nu is above 2 nP / (l (1 + b)) or 2 nN / (l (1 - b)): no a satisfies it.
    """

    b: float = 0.5
    nu: float = 0.05
    name: ClassVar[str] = "biased-svm"
    source: ClassVar[str] = "Hoi, Chan, Huang, Lyu & King 2004, Biased support vector machine for relevance feedback"
    dagger: ClassVar[bool] = True
    above: ClassVar[Mapping[str, float]] = {"b": 0, "nu": 0}
    most: ClassVar[Mapping[str, float]] = {"b": 1, "nu": 1}

    def fit(self, items: Items, session: Session) -> tuple[FloatArray, float]:
        """Each side's coefficients add up to their own total: (1 + b) / 2 and (1 - b) / 2."""
        labels = session.labels
        cap = 1.0 / (self.nu * labels.size)
        totals = ((1 + self.b) / 2, (1 - self.b) / 2)
        for number, total, side in zip((session.positives.size, session.negatives.size), totals, "PN", strict=True):
            if total > number * cap * (1 + CAP_SLACK):
                most = f"at most {number / (total * labels.size):.4g}"
                raise CannotScore(
                    f"nu {self.nu:g} is infeasible, {number} of {labels.size} examples are in {side}: {most}"
                )
        kernel = gram(items.matrix[session.examples], self.width(items)) * labels * labels[:, None]
        return least_quadratic(kernel, labels, totals, cap) * labels, 0.0


# A small quadratic programme: two sides, each with shares of a given total, none above a cap.

LEAST_GAIN = 1e-10
MOST_EXCHANGES = 100_000


def least_quadratic(matrix: FloatArray, side: FloatArray, totals: tuple[float, float], cap: float) -> FloatArray:
    """The a, 0 <= a <= cap, with the least a' matrix a; side +1 adds up to totals[0], side -1 to totals[1].

    Pairs of one side exchange weight, the pair that gains most per unit first, until none gains (Keerthi et al. 2001).
    >>> least_quadratic(np.diag([1.0, 3.0, 1.0]), np.array([1, 1, -1]), (0.8, 0.2), 1.0)
    array([0.6, 0.2, 0.2])
    """
    shares = np.zeros(side.size)
    for sign, total in zip((1, -1), totals, strict=True):
        shares[side == sign] = total / max(int(np.count_nonzero(side == sign)), 1)
    slope = matrix @ shares
    for _ in range(MOST_EXCHANGES):
        gain, giver, taker = max(_best_pair(slope, shares, np.flatnonzero(side == sign), cap) for sign in (1, -1))
        if gain <= LEAST_GAIN:
            break
        bend = matrix[giver, giver] + matrix[taker, taker] - 2 * matrix[giver, taker]
        step = min(shares[giver], cap - shares[taker], gain / max(bend, 1e-12))
        shares[giver] -= step
        shares[taker] += step
        slope += step * (matrix[:, taker] - matrix[:, giver])
    return shares


def _best_pair(slope: FloatArray, shares: FloatArray, members: IntArray, cap: float) -> tuple[float, int, int]:
    """Who of one side should give, who should take, and what that gains per unit."""
    able, open_ = members[shares[members] > 0], members[shares[members] < cap]
    if not able.size or not open_.size:
        return 0.0, 0, 0
    giver, taker = able[np.argmax(slope[able])], open_[np.argmin(slope[open_])]
    return float(slope[giver] - slope[taker]), int(giver), int(taker)


@dataclass(frozen=True)
class Parzen(KernelMethod, TwoSided):
    """mean_P k(x, .) - mean_N k(x, .): a difference of two densities."""

    name: ClassVar[str] = "parzen"
    source: ClassVar[str] = "Meilhac & Nastar 1999, Relevance feedback and category search in image databases"

    def fit_many(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """1 / nP for each positive, -1 / nN for each negative."""
        lists = self.trained_on(items, examples)
        positive, negative = (each.lengths[lists.row] for each in (examples.positives, examples.negatives))
        count = np.where(lists["label"] > 0, positive, negative)
        return lists["label"] / count, np.zeros(len(examples))


# Gaussian process: regression on labels of +1 and -1, with a variance that tells where it knows little.


@dataclass(frozen=True)
class GaussianProcess(KernelMethod, TwoSided):
    """Mean k' (K + noise I)^-1 y. `display`: the best items, or those of the largest variance."""

    noise: float = 0.1
    display: Literal["best", "variance"] = "best"
    name: ClassVar[str] = "gaussian-process"
    source: ClassVar[str] = "Kapoor, Grauman, Urtasun & Darrell 2007, Active learning with Gaussian processes"
    active: ClassVar[bool] = True
    above: ClassVar[Mapping[str, float]] = {"noise": 0}

    def fit_many(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """(K + noise I)^-1 y of all sessions; short sessions are filled up with rows of the identity."""
        results = []
        for part in small_batches(examples, items.features):
            lists = self.trained_on(items, part)
            item, there = pad_rows(lists, "item")
            label, _ = pad_rows(lists, "label")
            kernel = gram(items.matrix[item], self.width(items)) * (there[:, :, None] & there[:, None, :])
            places = np.arange(there.shape[1])
            kernel[:, places, places] = np.where(there, 1 + self.noise, 1.0)
            results.append(np.linalg.solve(kernel, label[:, :, None])[:, :, 0][there])
        return np.concatenate(results), np.zeros(len(examples))

    def variance(self, items: Items, session: Session) -> FloatArray:
        """1 - k' (K + noise I)^-1 k for every item; the noise itself is not added."""
        points = items.matrix[session.examples]
        kernel = gram(points, self.width(items)) + self.noise * np.eye(len(points))
        with_all = rbf(items, points, self.width(items)).astype(np.float64)
        return 1.0 - np.einsum("ij,ij->j", with_all, np.linalg.solve(kernel, with_all))

    def urgency(self, items: Items, examples: Examples, scored: Scored) -> FloatArray:
        """The best items come first, or those the process knows least about."""
        if self.display == "best":
            return scored.values
        return np.stack([self.variance(items, each) for each in examples])
