"""A feedback loop as one would write it in an afternoon: a session at a time, one product and one sort a round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray

Ranker = Callable[[FloatArray, FloatArray, FloatArray, IntArray, IntArray], FloatArray]  # items, squares, q, P, N


def query_point(x: FloatArray, squares: FloatArray, q: FloatArray, p: IntArray, n: IntArray) -> FloatArray:
    return 2 * (x @ x[p].mean(axis=0)) - squares


def rocchio(x: FloatArray, squares: FloatArray, q: FloatArray, p: IntArray, n: IntArray) -> FloatArray:
    moved = q + 0.75 * x[p].mean(axis=0) - (0.15 * x[n].mean(axis=0) if n.size else 0.0)
    return 2 * (x @ moved) / (1.6 if n.size else 1.75) - squares


def nearest_neighbour(x: FloatArray, squares: FloatArray, q: FloatArray, p: IntArray, n: IntArray) -> FloatArray:
    if not n.size:
        return query_point(x, squares, q, p, n)
    near, far = (
        np.sqrt(np.maximum((squares[:, None] + squares[each] - 2 * (x @ x[each].T)).min(axis=1), 0.0))
        for each in (p, n)
    )
    return far / (near + far)


def logistic_regression(x: FloatArray, squares: FloatArray, q: FloatArray, p: IntArray, n: IntArray) -> FloatArray:
    if not n.size:
        return query_point(x, squares, q, p, n)
    from sklearn.linear_model import LogisticRegression

    labels = np.r_[np.ones(p.size), np.zeros(n.size)]
    model = LogisticRegression(C=1.0, class_weight="balanced", max_iter=1000, tol=1e-8)
    return np.asarray(model.fit(x[np.r_[p, n]], labels).decision_function(x))


METHODS: dict[str, Ranker] = {
    "query-point": query_point,
    "rocchio": rocchio,
    "nearest-neighbour": nearest_neighbour,
    "logistic-regression": logistic_regression,
}


def average_precision(order: IntArray, target: BoolArray) -> float:
    hit = target[order]
    if not hit.any():
        return float("nan")
    return float((np.cumsum(hit)[hit] / (np.flatnonzero(hit) + 1)).mean())


def session(
    x: FloatArray,
    squares: FloatArray,
    target: BoolArray,
    query: int,
    ranker: Ranker,
    scope: int = 20,
    rounds: int = 5,
) -> list[float]:
    """Residual AP of every round; the first ranking is by nearness to the query, which is a positive example."""
    seen = np.zeros(len(x), np.bool_)
    seen[query] = True
    shown: list[int] = []
    result = []
    for number in range(rounds + 1):
        marked = np.array(shown, dtype=np.int64)
        positive = np.sort(np.r_[query, marked[target[marked]]])
        negative = np.sort(marked[~target[marked]])
        if number:
            scores = ranker(x, squares, x[query], positive, negative)
        else:
            scores = query_point(x, squares, x[query], np.array([query]), negative)
        order = np.argsort(-scores, kind="stable")
        order = order[~seen[order]]
        result.append(average_precision(order, target))
        shown += order[:scope].tolist()
        seen[order[:scope]] = True
    return result
