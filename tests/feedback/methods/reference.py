"""One session at a time, as the formulas read: slow, plain, and written apart from the methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy import stats
from scipy.spatial.distance import cdist

from rankscope.core.arrays import FloatArray
from rankscope.feedback import Items, Session
from tests.feedback.methods.reference_of_reviews import FORMULAS_OF_REVIEWS

Formula: TypeAlias = Callable[[Items, Session], FloatArray]


def _unit(rows: FloatArray) -> FloatArray:
    return np.array([row / np.linalg.norm(row) if row.any() else row for row in np.atleast_2d(rows)])


def _query(items: Items, session: Session) -> FloatArray:
    return items.matrix[session.positives].mean(axis=0) if session.query is None else session.query


def query_point(items: Items, session: Session) -> FloatArray:
    return -(cdist(items.matrix, items.matrix[session.positives].mean(axis=0)[None]) ** 2)[:, 0]


def rocchio(items: Items, session: Session) -> FloatArray:
    moved, weights = _query(items, session) + 0.75 * items.matrix[session.positives].mean(axis=0), 1.75
    if session.negatives.size:
        moved, weights = moved - 0.15 * items.matrix[session.negatives].mean(axis=0), 1.6
    moved = moved / weights
    return -(cdist(items.matrix, moved[None]) ** 2)[:, 0]


def mars(items: Items, session: Session) -> FloatArray:
    rows = items.matrix[session.positives]
    centre, eps = rows.mean(axis=0), 0.01 * items.matrix.std()
    parts, weights = [], []
    for group in items.groups:
        weight = 1 / (rows[:, group].std(axis=0) + eps)
        parts.append(((items.matrix[:, group] - centre[group]) ** 2) @ (weight / weight.sum()))
        found = set(np.flatnonzero(parts[-1] <= np.sort(parts[-1])[19] + 1e-9 * parts[-1].max()).tolist())
        good = sum(grade for item, grade in zip(session.positives, session.grades, strict=True) if item in found)
        bad = sum(
            grade for item, grade in zip(session.negatives, session.negative_grades, strict=True) if item in found
        )
        weights.append(max(0.0, good + bad))
    if sum(weights) == 0:
        weights = [1.0] * len(weights)
    return -np.array([part * weight / sum(weights) for part, weight in zip(parts, weights, strict=True)]).sum(axis=0)


def _ellipsoid(items: Items, session: Session, group: slice) -> FloatArray:
    rows, everything = items.matrix[session.positives, group], items.matrix[:, group]
    goodness = session.grades / session.grades.sum()
    centre = goodness @ rows
    covariance = (rows - centre).T @ np.diag(goodness) @ (rows - centre) + 0.01 * np.diag(everything.var(axis=0))
    if len(rows) <= rows.shape[1]:
        covariance = np.diag(np.diag(covariance))
    shape = np.linalg.det(covariance) ** (1 / len(covariance)) * np.linalg.inv(covariance)
    return np.array([(row - centre) @ shape @ (row - centre) for row in everything])


def mindreader(items: Items, session: Session) -> FloatArray:
    return -_ellipsoid(items, session, slice(0, items.features))


def opt_rf(items: Items, session: Session) -> FloatArray:
    parts = [_ellipsoid(items, session, group) for group in items.groups]
    spread = [session.grades @ part[session.positives] for part in parts]
    if max(spread) == 0:
        return -len(parts) * np.sum(parts, axis=0)
    spread = [max(each, 1e-12 * max(spread)) for each in spread]
    return -np.sum(
        [part * sum(np.sqrt(f / own) for f in spread) for part, own in zip(parts, spread, strict=True)], axis=0
    )


def wu_zhang(items: Items, session: Session) -> FloatArray:
    rows, others = items.matrix[session.positives], items.matrix[session.negatives]
    scores = np.zeros(len(items))
    for feature in range(items.features):
        column = rows[:, feature]
        inside = [column.min() <= value <= column.max() for value in others[:, feature]]
        weight = (1 - np.mean(inside)) / (1e-4 + column.std())
        scores -= weight * (items.matrix[:, feature] - column.mean()) ** 2
    return scores


def nearest_neighbour(items: Items, session: Session) -> FloatArray:
    near = cdist(items.matrix, items.matrix[session.positives]).min(axis=1)
    far = cdist(items.matrix, items.matrix[session.negatives]).min(axis=1)
    return np.array([0.5 if n == p == 0 else n / (n + p) for p, n in zip(near, far, strict=True)])


def query_shifting(items: Items, session: Session) -> FloatArray:
    positive, negative = items.matrix[session.positives], items.matrix[session.negatives]
    centre, other = positive.mean(axis=0), negative.mean(axis=0)
    spread = [
        len(rows) * (((rows - rows.mean(axis=0)) ** 2).sum() / (len(rows) - 1) if len(rows) > 1 else 0.0)
        for rows in (positive, negative)
    ]
    apart = np.linalg.norm(centre - other)
    size = apart * np.sqrt(sum(spread) / (len(positive) + len(negative)))
    balance = 1 - (len(positive) - len(negative)) / max(len(positive), len(negative))
    moved = centre if apart == 0 else centre + size / apart**2 * balance * (centre - other)
    distance = cdist(items.matrix, moved[None])[:, 0]
    return (1 - np.exp(1 - distance / distance.max())) / (1 - math.e)


def stabilised(items: Items, session: Session) -> FloatArray:
    share = session.negatives.size / session.examples.size
    weight = share / (1 + share)
    return weight * query_shifting(items, session) + (1 - weight) * nearest_neighbour(items, session)


def _kernel(items: Items, one: FloatArray, other: FloatArray) -> FloatArray:
    gamma = 1 / (items.features * items.matrix.var())
    return np.exp(-gamma * cdist(one, other, "sqeuclidean"))


def parzen(items: Items, session: Session) -> FloatArray:
    positive, negative = (
        _kernel(items, items.matrix, items.matrix[each]).mean(axis=1) for each in (session.positives, session.negatives)
    )
    return positive - negative


def gaussian_process(items: Items, session: Session) -> FloatArray:
    rows = items.matrix[session.examples]
    inverse = np.linalg.inv(_kernel(items, rows, rows) + 0.1 * np.eye(len(rows)))
    return _kernel(items, items.matrix, rows) @ inverse @ session.labels


def svm(items: Items, session: Session) -> FloatArray:
    from sklearn.svm import SVC

    gamma = 1 / (items.features * items.matrix.var())
    model = SVC(C=10, gamma=gamma, tol=1e-5).fit(items.matrix[session.examples], session.labels)
    return np.asarray(model.decision_function(items.matrix))


def one_class_svm(items: Items, session: Session) -> FloatArray:
    from sklearn.svm import OneClassSVM

    model = OneClassSVM(nu=0.2, gamma="scale", tol=1e-6)
    model.gamma = 1 / (items.features * items.matrix.var())
    return np.asarray(model.fit(items.matrix[session.positives]).decision_function(items.matrix))


def logistic_regression(items: Items, session: Session) -> FloatArray:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1, class_weight="balanced", tol=1e-10, solver="newton-cholesky", max_iter=1000)
    return np.asarray(model.fit(items.matrix[session.examples], session.labels).decision_function(items.matrix))


def shrinkage_lda(items: Items, session: Session) -> FloatArray:
    centre, other = (items.matrix[each].mean(axis=0) for each in (session.positives, session.negatives))
    spread = np.cov(items.matrix.T, bias=True)
    shrunk = 0.8 * spread + 0.2 * np.trace(spread) / items.features * np.eye(items.features)
    return (items.matrix - (centre + other) / 2) @ np.linalg.solve(shrunk, centre - other)


def average_qe(items: Items, session: Session) -> FloatArray:
    total = _unit(items.matrix[session.positives]).sum(axis=0)
    if session.query is not None:
        total = total + _unit(session.query)[0]
    return _unit(items.matrix) @ _unit(total)[0]


def alpha_qe(items: Items, session: Session) -> FloatArray:
    query = _unit(_query(items, session))[0]
    total = query.copy()
    for row in _unit(items.matrix[session.positives]):
        total += max(0.0, row @ query) ** 3 * row
    return _unit(items.matrix) @ _unit(total)[0]


def prototype(items: Items, session: Session) -> FloatArray:
    mean = _unit(items.matrix[session.positives].mean(axis=0))[0]
    return _unit(items.matrix) @ _unit(0.5 * _unit(_query(items, session))[0] + 0.5 * mean)[0]


def diffusion(items: Items, session: Session) -> FloatArray:
    alike = _unit(items.matrix) @ _unit(items.matrix).T
    np.fill_diagonal(alike, -np.inf)
    near = np.zeros_like(alike, dtype=bool)
    np.put_along_axis(near, np.argsort(-alike, axis=1, kind="stable")[:, :20], True, axis=1)
    weights = np.where(near & near.T, np.maximum(alike, 0) ** 3, 0.0)
    degree = weights.sum(axis=1)
    root = np.sqrt(np.where(degree > 0, degree, 1))
    seeds = np.zeros(len(items))
    seeds[session.positives], seeds[session.negatives] = 1, -1
    solved = np.linalg.solve(np.eye(len(items)) - 0.9 * weights / root / root[:, None], seeds)
    return np.asarray(solved, dtype=np.float64)


def pichunter(items: Items, session: Session) -> FloatArray:
    distance = cdist(items.matrix, items.matrix[session.examples]) / items.typical_distance
    likelihood = np.exp(-distance) / np.exp(-distance).sum(axis=1, keepdims=True)
    posterior: FloatArray = np.prod(likelihood[:, : session.positives.size], axis=1)
    if session.query is not None:
        posterior = posterior * np.exp(-cdist(items.matrix, session.query[None])[:, 0] / items.typical_distance)
    return np.log(posterior / posterior.sum())


def aspects(items: Items, session: Session) -> FloatArray:
    scores = np.zeros(len(items))
    for has in items.aspects.T:
        for members, sign in ((session.positives, 1), (session.negatives, -1)):
            count, number, rate = int(has[members].sum()), members.size, has.mean()
            if number and stats.binom.sf(count - 1, number, rate) <= 0.05:
                share = count / number
                tail = 0.0 if share == 1 else (number - count) * np.log((1 - share) / (1 - rate))
                scores += sign * has * (count * np.log(share / rate) + tail)
    return scores


def rm3(items: Items, session: Session) -> FloatArray:
    counts = items.matrix
    words = sum(
        grade * counts[item] / counts[item].sum() for item, grade in zip(session.positives, session.grades, strict=True)
    )
    asked = _query(items, session)
    model = 0.5 * asked / asked.sum() + 0.5 * words / np.sum(words)
    prior = counts.sum(axis=0) / counts.sum()
    smooth = (counts + 1000 * prior) / (counts.sum(axis=1, keepdims=True) + 1000)
    return np.log(smooth) @ model


def centroid_difference(items: Items, session: Session) -> FloatArray:
    positive, negative = (
        np.mean([items.matrix[i] for i in each], axis=0) for each in (session.positives, session.negatives)
    )
    return np.array([row @ (positive - negative) for row in items.matrix])


FORMULAS: dict[str, Formula] = {
    "query-point": query_point,
    "rocchio": rocchio,
    "mars": mars,
    "mindreader": mindreader,
    "opt-rf": opt_rf,
    "wu-zhang": wu_zhang,
    "nearest-neighbour": nearest_neighbour,
    "bayesian-query-shifting": query_shifting,
    "stabilised-nearest-neighbour": stabilised,
    "parzen": parzen,
    "gaussian-process": gaussian_process,
    "svm": svm,
    "active-svm": svm,
    "retin": svm,
    "one-class-svm": one_class_svm,
    "logistic-regression": logistic_regression,
    "shrinkage-lda": shrinkage_lda,
    "average-qe": average_qe,
    "alpha-qe": alpha_qe,
    "prototype": prototype,
    "diffusion": diffusion,
    "pichunter": pichunter,
    "aspects": aspects,
    "active-aspects": aspects,
    "rm3": rm3,
    "centroid-difference": centroid_difference,
    "mean-version-space": svm,
    **FORMULAS_OF_REVIEWS,
}
