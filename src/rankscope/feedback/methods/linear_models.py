"""Linear models: logistic regression, discriminants with shrunk covariance, biased discriminants, discriminant EM."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples, Session
from rankscope.feedback.examples.geometry import join_examples, means, pad_rows, rbf, small_batches
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.kernel_methods import sklearn_part
from rankscope.feedback.methods.method import TwoSided, refuse

# Logistic regression on the features as they are, the usual choice for frozen embeddings.


@dataclass(frozen=True)
class LogisticRegression(TwoSided):
    """w.x + b with an L2 penalty on w; `balanced` gives both sides the same total weight.

    Equal to scikit-learn's, but all sessions are solved at once in the span of their few examples. Poor below about
    five examples; the scale of the features matters.
    """

    C: float = 1.0
    balanced: bool = True
    name: ClassVar[str] = "logistic-regression"
    source: ClassVar[str] = "Cox 1958, The regression analysis of binary sequences"
    above: ClassVar[Mapping[str, float]] = {"C": 0}

    def planes(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """w and b of each session."""
        results = [self._planes(items, part) for part in small_batches(examples, items.features)]
        return np.concatenate([each[0] for each in results]), np.concatenate([each[1] for each in results])

    def _planes(self, items: Items, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """In the span of the examples, or in that of the features where these are fewer."""
        lists = join_examples(examples.positives, examples.negatives)
        item, there = pad_rows(lists, "item")
        label, _ = pad_rows(lists, "label")
        rows = items.matrix[item].astype(np.float64) * there[:, :, None]
        cost: FloatArray = np.where(there, self.C, 0.0)
        if self.balanced:  # the number of examples over twice the number on the same side
            positive, negative = examples.positives.lengths[:, None], examples.negatives.lengths[:, None]
            cost = cost * ((positive + negative) / (2 * np.where(label > 0, positive, negative)))
        if there.shape[1] > items.features:
            return logistic_fits(WeightsByFeature(rows), label, cost)
        p, b = logistic_fits(Span(rows @ np.swapaxes(rows, 1, 2)), label, cost)
        return (p[:, None, :] @ rows)[:, 0, :], b

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        w, b = self.planes(items, examples)
        values: FloatArray = w.astype(items.matrix.dtype) @ items.matrix.T
        values += b.astype(values.dtype)[:, None]
        return values


# Logistic regression of many small sessions at once, by Newton's method, in the span of examples or of features.

NEWTON_CLOSE = 1e-10  # largest change of a decision value in the last step
NEWTON_STEPS, NEWTON_HALVINGS = 200, 40
ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class WeightForm(ABC):
    """Which numbers stand for w, a vector p per session: `table` has what makes w.x of the examples of p."""

    table: FloatArray  # sessions x examples x numbers

    @property
    def width(self) -> int:
        return self.table.shape[2]

    def take(self, sessions: IntArray) -> Self:
        return type(self)(self.table[sessions])

    def products(self, p: FloatArray) -> FloatArray:
        return (self.table @ p[:, :, None])[:, :, 0]

    def rounding(self, p: FloatArray) -> FloatArray:
        """Some units in the last place of the largest term of w.x, times the number of terms.

        So far rounding alone may move w.x: far where examples with equal features bear both labels.
        """
        return ROUNDING * self.width * np.abs(self.table).max(axis=(1, 2)) * np.abs(p).max(axis=1)

    @abstractmethod
    def penalty(self, p: FloatArray) -> FloatArray:
        """|w|²/2."""

    @abstractmethod
    def quadratic(self, bend: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """p and b at the minimum of |w|²/2 + sum (bend_i f_i²/2 - target_i f_i)."""


class Span(WeightForm):
    """w = sum p_i x_i over the examples, K their products: p' K p. Rasmussen & Williams 2006, algorithm 3.1."""

    def penalty(self, p: FloatArray) -> FloatArray:
        """p' K p / 2."""
        return 0.5 * np.einsum("si,si->s", p, self.products(p))

    def quadratic(self, bend: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By the system I + R K R with R the root of the bend, which is never near singular."""
        root = np.sqrt(bend)[:, :, None]
        system = root * self.table * np.swapaxes(root, 1, 2) + np.eye(self.width)
        right = np.stack([target, bend], axis=2)
        both = right - root * np.linalg.solve(system, root * (self.table @ right))
        b = both[:, :, 0].sum(axis=1) / np.maximum(both[:, :, 1].sum(axis=1), 1e-300)
        return both[:, :, 0] - b[:, None] * both[:, :, 1], b


class WeightsByFeature(WeightForm):
    """w itself, for sessions with more examples than features, whose rows X the table has."""

    def penalty(self, p: FloatArray) -> FloatArray:
        return 0.5 * np.einsum("si,si->s", p, p)

    def quadratic(self, bend: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """By the system I + X' R² X."""
        across = np.swapaxes(self.table, 1, 2)
        system = (across * bend[:, None, :]) @ self.table + np.eye(self.width)
        both = np.linalg.solve(system, across @ np.stack([target, bend], axis=2))
        pulled = np.einsum("si,sik->sk", bend, self.table @ both)
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
    for _ in range(NEWTON_STEPS):
        p[moving], b[moving], change = _newton_step(
            form.take(moving), label[moving], cost[moving], p[moving], b[moving]
        )
        moving = moving[change > NEWTON_CLOSE]
        if not moving.size:
            return p, b
    refuse(np.isin(np.arange(len(label)), moving), "logistic regression did not settle; choose a smaller C")
    return p, b


def _newton_step(
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
    before = form.penalty(p) + _logistic_loss(label, cost, values)
    for _ in range(NEWTON_HALVINGS):
        after = form.penalty(p + size * p_step) + _logistic_loss(label, cost, values + size * f_step)
        worse = after > before + 1e-12 * np.abs(before)
        if not worse.any():
            break
        size = np.where(worse[:, None], size / 2, size)
    change = np.abs(np.where(cost > 0, f_step, 0.0) * size).max(axis=1) - form.rounding(p)
    return p + size * p_step, b + size[:, 0] * b_step, change


def _logistic_loss(label: FloatArray, cost: FloatArray, values: FloatArray) -> FloatArray:
    return (cost * np.logaddexp(0.0, -label * values)).sum(axis=1)


# Shrinkage LDA: the direction between the two means, in a space where the spread is round.


@dataclass(frozen=True)
class ShrinkageLDA(TwoSided):
    """w.(x - middle), w = S^-1 (mean P - mean N), S = (1 - a) S_w + a tr(S_w)/m I, a the shrinkage (0 < a <= 1).

    `covariance`: S_w of the whole collection (the default: few examples tell little about spread), or within the
    examples' two classes, over l. `shrinkage` None is Ledoit & Wolf's, of the collection.
    """

    shrinkage: float | None = 0.2
    covariance: Literal["collection", "examples"] = "collection"
    name: ClassVar[str] = "shrinkage-lda"
    source: ClassVar[str] = "Friedman 1989, Regularized discriminant analysis; Hariharan, Malik & Ramanan 2012"
    above: ClassVar[Mapping[str, float]] = {"shrinkage": 0}
    most: ClassVar[Mapping[str, float]] = {"shrinkage": 1}

    def directions(self, items: Items, examples: Examples) -> FloatArray:
        a = items.remember("ledoit-wolf", lambda: _ledoit_wolf(items)) if self.shrinkage is None else self.shrinkage
        apart = means(items, examples.positives) - means(items, examples.negatives)
        if self.covariance == "examples":
            return _within_classes(items, examples, apart, a)
        return apart @ inverse_covariance(items, a)

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """One product for all sessions; 0 half-way between the two means."""
        w = self.directions(items, examples)
        middle = (means(items, examples.positives) + means(items, examples.negatives)) / 2
        values: FloatArray = w.astype(items.matrix.dtype) @ items.matrix.T
        values -= np.einsum("ij,ij->i", w, middle).astype(values.dtype)[:, None]
        return values


def _ledoit_wolf(items: Items) -> float:
    result = float(sklearn_part("covariance").ledoit_wolf_shrinkage(items.matrix.astype(np.float64)))
    return max(result, 1e-6)


def inverse_covariance(items: Items, a: float) -> FloatArray:
    """S^-1 of the whole collection, made once; the identity, over a, where all items are alike."""

    def make() -> FloatArray:
        away = items.matrix.astype(np.float64) - items.mean
        spread = away.T @ away / len(items)
        size = np.trace(spread) / items.features
        shrunk = (1 - a) * spread + a * (size if size > 0 else 1.0) * np.eye(items.features)
        return np.linalg.inv(shrunk).astype(np.float64, copy=False)

    return items.remember(("lda", a), make)


def _within_classes(items: Items, examples: Examples, apart: FloatArray, a: float) -> FloatArray:
    """S^-1 apart with S_w of the examples: S = c I + (1 - a)/l Z'Z with few rows Z, inverted by Woodbury's identity."""
    lists = join_examples(examples.positives, examples.negatives)
    centre = np.where(
        lists["label"][:, None] > 0,
        means(items, examples.positives)[lists.row],
        means(items, examples.negatives)[lists.row],
    )
    place, there = pad_rows(lists.with_columns(place=np.arange(lists.size)), "place")
    rows = (items.matrix[lists["item"]] - centre)[place] * there[:, :, None]
    count = lists.lengths
    size = a * np.einsum("sij,sij->s", rows, rows) / count / items.features
    refuse(size <= 0, "the examples have no spread within their classes; choose covariance=collection")
    if a == 1:
        return apart / size[:, None]
    inner = rows @ np.swapaxes(rows, 1, 2) + (size * count / (1 - a))[:, None, None] * np.eye(rows.shape[1])
    pulled = np.linalg.solve(inner, rows @ apart[:, :, None])
    return (apart - (np.swapaxes(rows, 1, 2) @ pulled)[:, :, 0]) / size[:, None]


# Semi-supervised EM: items that nobody has judged help to find the two classes, as far as the model believes.


@dataclass(frozen=True)
class SemiSupervisedEM(TwoSided):
    """Log odds of two Gaussians of one spread S: w.(x - (m+ + m-)/2) + ln(p/(1 - p)), w = S^-1 (m+ - m-).

    Our reading. Beginning with the examples, `steps` times: every unjudged item gets the chance the model gives it,
    examples keep theirs (E); means and the share p are taken anew, all unjudged items together worth `trust` times the
    examples (M); w is the discriminant direction of these soft classes (D). S is the covariance of the collection,
    shrunk as shrinkage-lda's: what the spread between the classes adds to it changes the length of w only.
    """

    steps: int = 5
    trust: float = 1.0
    shrinkage: float = 0.2
    name: ClassVar[str] = "semi-supervised-em"
    source: ClassVar[str] = "Wu, Tian & Huang 2000, Discriminant-EM algorithm; Dong & Bhanu 2003"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"steps": 0, "trust": 0}
    above: ClassVar[Mapping[str, float]] = {"shrinkage": 0}
    most: ClassVar[Mapping[str, float]] = {"shrinkage": 1}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """All sessions step by step; what is not believed of the unjudged items is of the other class."""
        from scipy.special import expit

        inverse = inverse_covariance(items, self.shrinkage)
        good, bad = examples.positives, examples.negatives
        counts = np.stack([good.lengths, bad.lengths]).astype(np.float64)
        centres = np.stack([means(items, good), means(items, bad)])
        odds = log_odds(items, inverse, centres, counts)
        labelled = centres * counts[:, :, None]
        unjudged = np.maximum(len(items) - counts.sum(axis=0), 1.0)
        everything = items.mean * len(items) - labelled.sum(axis=0)
        worth = self.trust * counts.sum(axis=0) / unjudged
        for _ in range(self.steps):
            chance = expit(odds)
            chance[good.row, good["item"]] = chance[bad.row, bad["item"]] = 0.0
            believed: FloatArray = (chance.astype(items.matrix.dtype) @ items.matrix).astype(np.float64)
            size = chance.sum(axis=1)
            total = counts + worth * np.stack([size, unjudged - size])
            found = labelled + worth[:, None] * np.stack([believed, everything - believed])
            odds = log_odds(items, inverse, found / total[:, :, None], total)
        return odds


def log_odds(items: Items, inverse: FloatArray, centres: FloatArray, weights: FloatArray) -> FloatArray:
    """Of the first class against the second: sessions x items; `centres` are 2 x sessions x features."""
    direction = (centres[0] - centres[1]) @ inverse
    offset = np.log(weights[0] / weights[1]) - np.einsum("ij,ij->i", direction, centres.sum(axis=0)) / 2
    values: FloatArray = (direction.astype(items.matrix.dtype) @ items.matrix.T).astype(np.float64)
    return values + offset[:, None]


# Biased discriminant analysis: a metric in which the positives are close together and the negatives far from them.


@dataclass(frozen=True)
class BiasedDiscriminant(TwoSided):
    """-(x - m)' S_P^-1 S_N S_P^-1 (x - m), S_P and S_N the scatters of P and N about the mean m of P.

    Our reading. The transform is that of the eigenvectors V of S_P^-1 S_N, scaled so that V' S_P V = I, times the roots
    of their values, all kept. S_P is shrunk: (1 - mu) S_P + mu tr(S_P)/m I; so is S_N by `discount`. Where the
    positives have no spread, S_P is the identity. `kernel` rbf does the same with k(x_i, x) of each example as feature.
    """

    mu: float = 0.1
    discount: float = 0.0
    kernel: Literal["linear", "rbf"] = "linear"
    name: ClassVar[str] = "biased-discriminant"
    source: ClassVar[str] = "Zhou & Huang 2001, Small sample learning during multimedia retrieval using BiasMap"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"discount": 0}
    above: ClassVar[Mapping[str, float]] = {"mu": 0}
    most: ClassVar[Mapping[str, float]] = {"mu": 1, "discount": 1}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Minus the squared length of the transformed difference from the mean of the positives."""
        rows = self._features(items, session)
        centre = rows[session.positives].mean(axis=0, dtype=np.float64)
        near, far = (rows[each].astype(np.float64) - centre for each in (session.positives, session.negatives))
        scatter, identity = near.T @ near, np.eye(near.shape[1])
        size = np.trace(scatter) / near.shape[1]
        shrunk = (1 - self.mu) * scatter + self.mu * size * identity if size > 0 else identity
        inverse = np.linalg.inv(shrunk).astype(np.float64, copy=False)
        squared = (1 - self.discount) * squared_lengths(rows, centre, inverse @ far.T)
        if self.discount:
            squared += self.discount * np.square(far).sum() / rows.shape[1] * squared_lengths(rows, centre, inverse)
        return -squared

    def _features(self, items: Items, session: Session) -> FloatArray:
        """Items x features: as they are, or the kernel with each example."""
        if self.kernel == "linear":
            return items.matrix
        return np.ascontiguousarray(rbf(items, items.matrix[session.examples], items.gamma).T)


def squared_lengths(rows: FloatArray, centre: FloatArray, transform: FloatArray) -> FloatArray:
    """|T'(x - centre)|² of every row x.

    >>> squared_lengths(np.array([[3.0, 1.0], [1.0, 1.0]]), np.array([1.0, 1.0]), np.array([[2.0], [0.0]]))
    array([16.,  0.])
    """
    seen = rows @ transform.astype(rows.dtype)
    seen -= (centre @ transform).astype(rows.dtype)
    values: FloatArray = np.einsum("ij,ij->i", seen, seen)
    return values
