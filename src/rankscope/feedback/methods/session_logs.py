"""Methods that learn from a log of earlier sessions: semantic space, grouping, log-based SVM, kernel updating."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples, Session
from rankscope.feedback.examples.geometry import item_sums, nearness_to_positives, rbf, summed_marks
from rankscope.feedback.examples.items import SIMILARITIES_AT_ONCE, EarlierSessions, Items, unit
from rankscope.feedback.examples.scores import best
from rankscope.feedback.methods.kernel_methods import SVM, sklearn_part, support_vectors
from rankscope.feedback.methods.method import Method
from rankscope.ranks.ragged import Ragged


@dataclass(frozen=True)
class LogAndContent(Method):
    """mix times what the log tells, as a share of the largest, plus (1 - mix) times nearness to the mean of P.

    A subclass writes `told`. Nearness is 1 / (1 + d² / t²), t the typical distance of two items. Without a log, or
    where it tells nothing about the examples, nearness alone ranks.
    """

    mix: float = field(default=0.5, kw_only=True)
    needs: ClassVar[tuple[str, ...]] = ("log",)
    pointwise: ClassVar[bool] = False
    least: ClassVar[Mapping[str, float]] = {"mix": 0}
    most: ClassVar[Mapping[str, float]] = {"mix": 1}

    @abstractmethod
    def told(self, items: Items, log: EarlierSessions, examples: Examples) -> FloatArray:
        """Sessions x items: what the log tells, 0 where it tells nothing."""

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        told = np.zeros((len(examples), len(items)))
        for sessions, log in logs_of(items, examples):
            if len(log):
                told[sessions] = self.told(items, log, examples.take(sessions))
        largest = np.abs(told).max(axis=1, keepdims=True)
        told /= np.where(largest > 0, largest, 1.0)
        return self.mix * told + (1 - self.mix) * nearness_to_positives(items, examples)


def logs_of(items: Items, examples: Examples) -> Iterator[tuple[IntArray, EarlierSessions]]:
    """Sessions, and what each may see of the log: all, or the rows named for it."""
    if examples.log_rows is None:
        yield np.arange(len(examples)), items.earlier
        return
    for number, session in enumerate(examples):
        yield np.array([number]), items.earlier.visible(session.log_rows)


def means_of(table: FloatArray, lists: Ragged) -> FloatArray:
    """The mean of the rows of a table that are each session's items; zeros where it has none.

    >>> means_of(np.array([[1.0], [3.0]]), Ragged.of([[0, 1], []], "item")).tolist()
    [[2.0], [0.0]]
    """
    return item_sums(table, lists) / np.maximum(lists.lengths, 1)[:, None]


# Semantic space: the main directions of what earlier users marked together, and where unmarked items stand in it.

LEAST_SINGULAR = 1e-9  # a singular value below so much of the largest is rounding


@dataclass(frozen=True)
class SemanticSpace(LogAndContent):
    """The log part is z.(mean z of P - beta mean z of N), z an item's place in the semantic space, of length 1.

    Our reading. The space has the first `dims` singular directions of the log, balanced so that the irrelevant items of
    a session weigh no more than the relevant. An item that no session tells about gets the mean place of the `k` items
    nearest to it by cosine among those that are known. `mix` is the share of the log part.
    """

    dims: int = 20
    beta: float = 0.5
    k: int = 5
    name: ClassVar[str] = "semantic-space"
    source: ClassVar[str] = "He, Ma, King, Li & Zhang 2002, Learning and inferring a semantic space"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"dims": 1, "beta": 0, "k": 1}

    def told(self, items: Items, log: EarlierSessions, examples: Examples) -> FloatArray:
        """Products with the difference of the means."""
        places = log.remember(("space", self.dims, self.k), lambda: inferred_places(items, log, self.dims, self.k))
        wanted = means_of(places, examples.positives) - self.beta * means_of(places, examples.negatives)
        return wanted @ places.T


def inferred_places(items: Items, log: EarlierSessions, dims: int, k: int) -> FloatArray:
    """Items x dimensions, of length 1 or 0: by the log where that tells about an item, else by its neighbours."""
    places = unit(log_places(log, dims))
    known = log.known
    rest = np.setdiff1d(np.arange(len(items)), known)
    if not known.size or not rest.size:
        return places
    step = max(1, SIMILARITIES_AT_ONCE // known.size)
    for start in range(0, rest.size, step):
        some = rest[start : start + step]
        alike = items.unit[some] @ items.unit[known].T
        near = best(alike.astype(np.float64, copy=False), min(k, known.size))
        places[some] = places[known[near]].mean(axis=1)
    return unit(places)


def log_places(log: EarlierSessions, dims: int) -> FloatArray:
    """Items x dimensions: the right singular vectors of the log times the singular values.

    >>> np.abs(log_places(EarlierSessions(np.array([[1, 1, 0], [0, 0, 1]])), 2)).round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    marks = log.balanced
    squared, left = np.linalg.eigh((marks @ marks.T).toarray())
    kept = [
        place
        for place in np.argsort(-squared)[:dims]
        if squared[place] > LEAST_SINGULAR * max(squared.max(), LEAST_SINGULAR)
    ]
    return np.asarray(marks.T @ left[:, kept], dtype=np.float64)


# Semantic network: earlier sessions are keywords, linked to the items that were relevant in them.


@dataclass(frozen=True)
class SemanticNetwork(LogAndContent):
    """The log part is the sum over an item's keywords of max(0, share in P - beta share in N) ln(n/n_k).

    Our reading. Every earlier session is a keyword of the items that were relevant in it, n_k of all n; what it is
    called is not known, and is not needed. `mix` is the share of the log part, the rest is nearness to the positives:
    keywords and features are integrated in one score.
    """

    beta: float = 1.0
    name: ClassVar[str] = "semantic-network"
    source: ClassVar[str] = "Zhang, Zheng, Li & Su 2003, Relevance feedback and learning in content-based image search"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"beta": 0}

    def told(self, items: Items, log: EarlierSessions, examples: Examples) -> FloatArray:
        from scipy.sparse import csr_array

        words = log.remember("keywords", lambda: csr_array((log.marks > 0).T.astype(np.float64)))
        many = np.asarray(words.sum(axis=0)).ravel()
        rare = np.log(len(items) / np.maximum(many, 1.0))
        share, other = (summed_marks(words, each) for each in (examples.positives, examples.negatives))
        worth = np.maximum(share - self.beta * other, 0.0) * rare
        return np.asarray(words @ worth.T).T


# Long-term grouping: earlier sessions that agree are one group, and a group that fits the examples ranks its items.


@dataclass(frozen=True)
class LongTermGrouping(LogAndContent):
    """The log part is the sum over groups of fit times membership, fit = max(0, mean over P - mean over N).

    Our reading. Sessions are joined, nearest first by the mean of their cosines, while that is above `agree`. The
    membership of an item is the mean of its marks in the sessions of the group, balanced so that the irrelevant items
    of a session weigh no more than the relevant. `mix` is the share of the log part.
    """

    agree: float = 0.1
    name: ClassVar[str] = "long-term-grouping"
    source: ClassVar[str] = "Yoshizawa & Schweitzer 2004, Long-term learning of semantic grouping"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"agree": 0}
    most: ClassVar[Mapping[str, float]] = {"agree": 1}

    def told(self, items: Items, log: EarlierSessions, examples: Examples) -> FloatArray:
        members = log.remember(("groups", self.agree), lambda: memberships(log, self.agree))
        fit = means_of(members, examples.positives) - means_of(members, examples.negatives)
        return np.maximum(fit, 0.0) @ members.T


def memberships(log: EarlierSessions, agree: float) -> FloatArray:
    """Items x groups: the mean of an item's balanced marks in the sessions of each group."""
    from scipy.sparse import csr_array

    group = session_groups(log, agree)
    size = np.bincount(group)
    share = csr_array((1.0 / size[group], (group, np.arange(group.size))), shape=(size.size, group.size))
    return np.ascontiguousarray((share @ log.balanced).toarray().T)


def session_groups(log: EarlierSessions, agree: float) -> IntArray:
    """The number of each session's group, from 0, by mean linkage of the cosines between sessions.

    >>> log = EarlierSessions(np.array([[1, 1, 0, -1], [1, 0, 1, -1], [-1, 0, 0, 1]]))
    >>> session_groups(log, 0.1)
    array([0, 0, 1])
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(log) < 2:
        return np.zeros(len(log), np.int64)
    apart = 1.0 - log.agreement
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), "average")
    labels = fcluster(tree, 1.0 - agree, "distance")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


# Log-based SVM: items that earlier users judged together with the examples help to train.


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

    score_many = Method.score_many  # session by session: each trains on items of its own

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Fit on the examples and on the unjudged items with the largest and the least soft labels of each sign."""
        soft = soft_labels(items, session)
        order = np.argsort(-soft, kind="stable")
        order = order[~np.isin(order, session.examples)]
        liked = order[soft[order] > 0][: self.extra]
        disliked = order[soft[order] < 0][::-1][: self.extra]
        more = np.concatenate([liked, disliked])
        chosen = np.concatenate([session.examples, more])
        labels = np.concatenate([session.labels, np.sign(soft[more])])
        weights = np.concatenate([np.ones(session.labels.size), self.trust * np.abs(soft[more])])
        result, intercept = support_vectors(items.matrix[chosen], labels, self.C, self.width(items), weights)
        return result @ rbf(items, items.matrix[chosen], self.width(items)) + intercept


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


# Kernel updating: an SVM whose kernel has learnt from earlier sessions which items belong together.


@dataclass(frozen=True)
class KernelUpdating(SVM):
    """The decision value f(x) of an SVM with the kernel (1 - rho) k(x, y) + rho r(x, y), r the cosine of log marks.

    Our reading. r is between the columns of two items in the log, balanced so that the irrelevant items of a session
    weigh no more than the relevant; 0 for an item that no session tells about. The sum of two kernels is a kernel.
    Without a log it is the plain SVM.
    """

    rho: float = 0.5
    name: ClassVar[str] = "kernel-updating"
    source: ClassVar[str] = "Gosselin & Cord 2004, Semantic kernel updating for content-based image retrieval"
    dagger: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("log",)
    pointwise: ClassVar[bool] = False
    least: ClassVar[Mapping[str, float]] = {"rho": 0}
    most: ClassVar[Mapping[str, float]] = {"rho": 1}

    score_many = Method.score_many  # session by session: each has a kernel of its own

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Fit on the kernel among the examples, then expand over all items."""
        kernel = self.updated(items, session)
        machine = sklearn_part("svm").SVC(C=self.C, kernel="precomputed", tol=1e-5)
        machine.fit(kernel[:, session.examples], session.labels)
        values: FloatArray = machine.dual_coef_[0] @ kernel[machine.support_] + machine.intercept_[0]
        return values

    def updated(self, items: Items, session: Session) -> FloatArray:
        """Examples x items: the kernel after all sessions of the log."""
        content = rbf(items, items.matrix[session.examples], self.width(items)).astype(np.float64)
        content[np.arange(session.examples.size), session.examples] = 1.0
        log = items.earlier.visible(session.log_rows)
        if not len(log) or not self.rho:
            return content
        columns = log.columns
        together = (columns[:, session.examples].T @ columns).toarray()
        return (1 - self.rho) * content + self.rho * together
