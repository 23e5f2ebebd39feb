"""Methods that reviews of feedback name, one session at a time, as their formulas read: slow, plain, written apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, pairwise, product

import numpy as np
from scipy import ndimage, stats
from scipy.linalg import eig, eigh
from scipy.spatial.distance import cdist

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback import Items, Session
from rankscope.feedback.methods.manifolds import trained_map


def _nearness(items: Items, session: Session, scores: FloatArray) -> FloatArray:
    centre = items.matrix[session.positives].mean(axis=0)
    near = 1 / (1 + (cdist(items.matrix, centre[None])[:, 0] / items.typical_distance) ** 2)
    return scores + 1e-3 * (np.abs(scores).max() or 1.0) * near


def biased_discriminant(items: Items, session: Session) -> FloatArray:
    good, bad = items.matrix[session.positives], items.matrix[session.negatives]
    centre = good.mean(axis=0)
    near = sum((np.outer(row - centre, row - centre) for row in good), np.zeros((items.features,) * 2))
    far = sum((np.outer(row - centre, row - centre) for row in bad), np.zeros((items.features,) * 2))
    near = 0.9 * near + 0.1 * np.trace(near) / items.features * np.eye(items.features)
    if not near.any():
        near = np.eye(items.features)
    values, vectors = eigh(far, near)
    seen = (items.matrix - centre) @ (vectors * np.sqrt(np.maximum(values, 0)))
    return -np.square(seen).sum(axis=1)


def ciocca_schettini(items: Items, session: Session) -> FloatArray:
    good, bad = items.matrix[session.positives], items.matrix[session.negatives]
    chance = np.random.default_rng(0)
    pairs = [items.matrix[chance.integers(0, len(items), 10_000)] for _ in range(2)]
    moved = np.array([_trimmed_mean(column) for column in good.T])
    parts, weights = [], []
    for group in items.groups:
        random = np.linalg.norm((pairs[0] - pairs[1])[:, group], axis=1)
        usual = random.mean() + 3 * random.std()
        weight = 1 / 0.01
        if len(good) >= 3:
            within = [np.linalg.norm((one - other)[group]) / usual for one, other in combinations(good, 2)]
            weight = 1 / (0.01 + np.mean(within))
        if len(bad) and len(good) + len(bad) >= 3:
            between = [np.linalg.norm((one - other)[group]) / usual for one, other in product(good, bad)]
            weight = max(0.0, weight - 0.8 / (0.01 + np.mean(between)))
        weights.append(float(weight))
        parts.append(np.linalg.norm((items.matrix - moved)[:, group], axis=1) / usual)
    if not any(weights):
        weights = [1.0] * len(weights)
    return -np.sum([weight * part for weight, part in zip(weights, parts, strict=True)], axis=0)


def _trimmed_mean(values: FloatArray) -> float:
    return float(np.mean([each for each in values if abs(each - values.mean()) <= 3 * values.std() + 1e-12]))


def multi_class(items: Items, session: Session) -> FloatArray:
    classes = [("good", grade) for grade in session.grades] + [("bad", grade) for grade in session.negative_grades]
    sd = items.matrix.std(axis=0)
    told = []
    for feature in range(items.features):
        values = items.matrix[session.examples, feature] / sd[feature]
        apart: dict[object, list[float]] = {}
        for value, own in zip(values, classes, strict=True):
            near = np.exp(-0.5 * ((values - value) / 0.5) ** 2)
            mine = np.array([each == own for each in classes])
            share = (near[mine].sum() + 1e-3 * mine.mean()) / (near.sum() + 1e-3)
            apart.setdefault(own, []).append(1 / share - 1)
        told.append(1 / (1 + np.mean([np.mean(each) for each in apart.values()])))
    weights = np.exp(5 * np.array(told)) / np.exp(5 * np.array(told)).sum() / sd**2
    centre = np.average(items.matrix[session.positives], axis=0, weights=session.grades)
    return -np.array([weights @ (row - centre) ** 2 for row in items.matrix])


def semantic_manifold(items: Items, session: Session) -> FloatArray:
    """By graphs with an edge for each relation, and a solver for matrices that need not be symmetric."""
    rows, count = items.matrix, len(items)
    positive, negative, near = (np.zeros((count, count)) for _ in range(3))
    pairs = len(session.positives) ** 2
    for one, other in product(session.positives, session.positives):
        positive[one, other] += 1 / pairs
        positive[other, one] += 1 / pairs
    for one, other in product(session.positives, session.negatives):
        negative[one, other] = negative[other, one] = 1 / (len(session.positives) * len(session.negatives))
    alike = (rows / np.linalg.norm(rows, axis=1)[:, None]) @ (rows / np.linalg.norm(rows, axis=1)[:, None]).T
    np.fill_diagonal(alike, -np.inf)
    for item in range(count):
        for other in np.argsort(-alike[item], kind="stable")[:10]:
            near[item, other] += 1 / (10 * count)
            near[other, item] += 1 / (10 * count)
    good, bad, local = (rows.T @ (np.diag(each.sum(axis=1)) - each) @ rows for each in (positive, negative, near))
    local = local + 0.01 * np.trace(local) / items.features * np.eye(items.features)
    values, vectors = eig(np.linalg.solve(local, bad - good))
    order = np.argsort(-values.real)[:10]
    chosen = [each for each in order if values.real[each] > 1e-12 * np.abs(values.real).max()] or [order[0]]
    centre, scores = rows[session.positives].mean(axis=0), np.zeros(count)
    for each in chosen:
        direction = vectors.real[:, each]
        scores -= ((rows - centre) @ direction) ** 2 / (direction @ local @ direction)
    return scores


def semi_supervised_em(items: Items, session: Session) -> FloatArray:
    spread = np.cov(items.matrix.T, bias=True)
    shrunk = 0.8 * spread + 0.2 * np.trace(spread) / items.features * np.eye(items.features)
    judged = set(session.examples.tolist())
    open_items = [item for item in range(len(items)) if item not in judged]
    worth = len(judged) / len(open_items)
    weights: list[dict[int, float]] = [
        dict.fromkeys(session.positives.tolist(), 1.0),
        dict.fromkeys(session.negatives.tolist(), 1.0),
    ]
    odds = np.zeros(len(items))
    for _ in range(6):
        logs = []
        for side in weights:
            total = sum(side.values())
            mean = np.sum([weight * items.matrix[item] for item, weight in side.items()], axis=0) / total
            logs.append(np.log(total) + stats.multivariate_normal(mean, shrunk).logpdf(items.matrix))
        odds = logs[0] - logs[1]
        chance = 1 / (1 + np.exp(-odds))
        for item in open_items:
            weights[0][item], weights[1][item] = worth * chance[item], worth * (1 - chance[item])
    return odds


def decision_tree(items: Items, session: Session) -> FloatArray:
    rows, good, scores = items.matrix[session.examples], session.labels > 0, np.empty(len(items))
    _ask(items, rows, good, list(range(len(items))), scores)
    return _nearness(items, session, scores)


def _ask(items: Items, rows: FloatArray, good: BoolArray, asked: list[int], scores: FloatArray) -> None:
    """Send some items down the tree, each question found by trying all."""
    found: tuple[float, float, int, float] | None = None
    for feature in range(items.features):
        values = np.unique(rows[:, feature])
        for low, high in pairwise(values):
            left = rows[:, feature] <= low
            if min(left.sum(), (~left).sum()) < 2:
                continue
            after = left.mean() * _bits(good[left]) + (~left).mean() * _bits(good[~left])
            gain = round(_bits(good) - after, 12)
            key = (gain, (high - low) / items.sd[feature])
            if gain > 0 and (found is None or key > found[:2]):
                found = (*key, feature, (low + high) / 2)
    if found is None:
        scores[asked] = good.mean()
        return
    _, _, feature, threshold = found
    side = rows[:, feature] <= threshold
    _ask(items, rows[side], good[side], [each for each in asked if items.matrix[each, feature] <= threshold], scores)
    _ask(items, rows[~side], good[~side], [each for each in asked if items.matrix[each, feature] > threshold], scores)


def _bits(good: BoolArray) -> float:
    return -sum(share * math.log2(share) for share in (good.mean(), 1 - good.mean()) if share > 0)


def picsom(items: Items, session: Session) -> FloatArray:
    scores, side = np.zeros(len(items)), 4
    for group in items.groups:
        rows = items.matrix[:, group]
        unit = cdist(rows, trained_map(rows, side)).argmin(axis=1)
        marks = np.zeros((side, side))
        for members, sign in ((session.positives, 1), (session.negatives, -1)):
            for item in members:
                marks[unit[item] // side, unit[item] % side] += sign / len(members)
        spread = ndimage.convolve(marks, np.outer([0.5, 1, 0.5], [0.5, 1, 0.5]), mode="constant")
        scores += spread.ravel()[unit]
    return _nearness(items, session, scores)


def viper(items: Items, session: Session) -> FloatArray:
    words = []
    for row in items.matrix:
        low, high = items.matrix.min(axis=0), items.matrix.max(axis=0)
        words.append({(j, min(7, int(8 * (row[j] - low[j]) / (high[j] - low[j])))) for j in range(items.features)})
    scores = []
    for own in words:
        total = 0.0
        for word in own:
            rate = sum(word in each for each in words) / len(words)
            good = np.mean([word in words[item] for item in session.positives])
            bad = np.mean([word in words[item] for item in session.negatives]) if session.negatives.size else 0.0
            total += float(0.65 * good - 0.35 * bad) * np.log(1 / rate) ** 2
        scores.append(total)
    return np.array(scores)


def _balanced(items: Items) -> FloatArray:
    """The log with the irrelevant items of a session worth no more than the relevant ones."""
    assert items.log is not None
    rows = []
    for marks in items.log:
        liked, rejected = (marks == 1).sum(), (marks == -1).sum()
        rows.append([1.0 if mark == 1 else -min(1.0, liked / rejected) if mark == -1 else 0.0 for mark in marks])
    return np.array(rows)


def _with_content(items: Items, session: Session, told: FloatArray) -> FloatArray:
    centre = items.matrix[session.positives].mean(axis=0)
    near = 1 / (1 + (cdist(items.matrix, centre[None])[:, 0] / items.typical_distance) ** 2)
    return 0.5 * told / (np.abs(told).max() or 1.0) + 0.5 * near


def _mean(rows: FloatArray, members: IntArray) -> FloatArray:
    return np.mean(rows[members], axis=0) if members.size else np.zeros(rows.shape[1])


def semantic_space(items: Items, session: Session) -> FloatArray:
    marks = _balanced(items)
    _, values, right = np.linalg.svd(marks, full_matrices=False)
    kept = values > 1e-4 * values.max()
    places = _unit(right[kept].T * values[kept])
    known = np.flatnonzero(marks.any(axis=0))
    rows = _unit(items.matrix)
    for item in set(range(len(items))) - set(known.tolist()):
        near = known[np.argsort(-(rows[known] @ rows[item]), kind="stable")[:5]]
        places[item] = places[near].mean(axis=0)
    places = _unit(places)
    told = places @ (_mean(places, session.positives) - 0.5 * _mean(places, session.negatives))
    return _with_content(items, session, told)


def _unit(rows: FloatArray) -> FloatArray:
    return np.array([row / np.linalg.norm(row) if np.linalg.norm(row) > 1e-12 else 0 * row for row in rows])


def semantic_network(items: Items, session: Session) -> FloatArray:
    assert items.log is not None
    told = np.zeros(len(items))
    for marks in items.log:
        has = marks == 1
        bad = has[session.negatives].mean() if session.negatives.size else 0.0
        told += has * max(0.0, has[session.positives].mean() - bad) * np.log(len(items) / max(1, has.sum()))
    return _with_content(items, session, told)


def long_term_grouping(items: Items, session: Session) -> FloatArray:
    """Groups are joined one pair at a time, every mean taken anew."""
    marks = _balanced(items)
    length = np.linalg.norm(marks, axis=1)
    cosine = marks @ marks.T / np.outer(length, length)
    groups = [[row] for row in range(len(marks))]
    while len(groups) > 1:
        pairs = list(combinations(range(len(groups)), 2))
        means = [np.mean([cosine[i, j] for i, j in product(groups[one], groups[other])]) for one, other in pairs]
        if max(means) < 0.1:
            break
        one, other = pairs[int(np.argmax(means))]
        groups[one] += groups.pop(other)
    told = np.zeros(len(items))
    for group in groups:
        member = marks[group].mean(axis=0)
        bad = member[session.negatives].mean() if session.negatives.size else 0.0
        told += max(0.0, member[session.positives].mean() - bad) * member
    return _with_content(items, session, told)


def kernel_updating(items: Items, session: Session) -> FloatArray:
    """By the whole kernel matrix of the collection."""
    from sklearn.svm import SVC

    gamma = 1 / (items.features * items.matrix.var())
    columns = _unit(_balanced(items).T)
    kernel = 0.5 * np.exp(-gamma * cdist(items.matrix, items.matrix, "sqeuclidean")) + 0.5 * columns @ columns.T
    chosen = session.examples
    model = SVC(C=10, kernel="precomputed", tol=1e-5).fit(kernel[np.ix_(chosen, chosen)], session.labels)
    return np.asarray(model.decision_function(kernel[:, chosen]))


FORMULAS_OF_REVIEWS: dict[str, Callable[[Items, Session], FloatArray]] = {
    "biased-discriminant": biased_discriminant,
    "ciocca-schettini": ciocca_schettini,
    "multi-class": multi_class,
    "semantic-manifold": semantic_manifold,
    "semi-supervised-em": semi_supervised_em,
    "decision-tree": decision_tree,
    "picsom": picsom,
    "viper": viper,
    "semantic-space": semantic_space,
    "semantic-network": semantic_network,
    "long-term-grouping": long_term_grouping,
    "kernel-updating": kernel_updating,
}
