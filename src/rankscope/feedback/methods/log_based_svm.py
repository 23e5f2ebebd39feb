"""Log-based SVM: items that earlier users judged together with the examples help to train."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import rbf
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.svm import SVM, support_vectors


@dataclass(frozen=True)
class LogBasedSVM(SVM):
    """An SVM on the examples and on the unjudged items the log ties most to them, those with less weight.

    Our reading. The tie of two items is R(i, j) = sum over log sessions of RM_i RM_j, both rejected not counted; an
    item's soft label is its sum over the positives minus that over the negatives, as a share of the largest. Up to
    `extra` items join on each side with cost C * `trust` * |soft label|. The log must come from other topics and users:
    `log_rows` says which of its rows a session may see. Without a log it is the plain SVM.
    """

    extra: int = 10
    trust: float = 0.5
    name: ClassVar[str] = "log-based-svm"
    source: ClassVar[str] = "Hoi & Lyu 2004, A novel log-based relevance feedback technique"
    dagger: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("log",)
    least: ClassVar[Mapping[str, float]] = {"extra": 0}
    above: ClassVar[Mapping[str, float]] = {"trust": 0}
    most: ClassVar[Mapping[str, float]] = {"trust": 1}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Session by session: each trains on items of its own."""
        return np.stack([self.score_one(items, session) for session in examples])

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Fit on the examples and their company."""
        soft = soft_labels(items, session)
        more = self._company(soft, session)
        chosen = np.concatenate([session.examples, more])
        labels = np.concatenate([session.labels, np.sign(soft[more])])
        weights = np.concatenate([np.ones(session.labels.size), self.trust * np.abs(soft[more])])
        result, intercept = support_vectors(items.matrix[chosen], labels, self.C, self.width(items), weights)
        return result @ rbf(items, items.matrix[chosen], self.width(items)) + intercept

    def _company(self, soft: FloatArray, session: Session) -> IntArray:
        """The unjudged items with the largest and the least soft labels, at most `extra` of each sign."""
        order = np.argsort(-soft, kind="stable")
        order = order[~np.isin(order, session.examples)]
        liked = order[soft[order] > 0][: self.extra]
        disliked = order[soft[order] < 0][::-1][: self.extra]
        return np.concatenate([liked, disliked])


def soft_labels(items: Items, session: Session) -> FloatArray:
    """Between -1 and 1 for each item: how the log ties it to the positives, minus to the negatives; 0 without a log."""
    if items.log is None:
        return np.zeros(len(items))
    log = items.log if session.log_rows is None else items.log[session.log_rows]
    total = relation(log, session.positives).sum(axis=0) - relation(log, session.negatives).sum(axis=0)
    return total / max(float(np.abs(total).max()), 1.0)


def relation(log: NDArray[Any], items: IntArray) -> FloatArray:
    """R(i, j) of some items with all: products of the marks in each log session, none where both are -1.

    >>> relation(np.array([[1, 1, -1, 0], [0, 1, 1, -1], [-1, -1, 0, 1]]), np.array([1]))
    array([[ 1.,  2.,  0., -2.]])
    """
    telling = log[(log[:, items] != 0).any(axis=1)]  # the other sessions say nothing of these items
    marks, rejected = telling.astype(np.float64), (telling < 0).astype(np.float64)
    return marks[:, items].T @ marks - rejected[:, items].T @ rejected
