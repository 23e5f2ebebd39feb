"""scikit-learn: measures as functions of (y_true, y_score) and as scorers for cross-validation, query by query.

Equal scores are averaged over all their orders unless `ties` says otherwise, as `ndcg_score` does.
`average_precision_score` takes equal scores as one step of its curve, which is another number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.errors import InputError, SettingError
from rankscope.measures.evaluation.evaluate import evaluate
from rankscope.measures.notation import parse_measure

RESPONSES = ("decision_function", "predict_proba", "predict")


@dataclass(frozen=True)
class RankingScore:
    """A measure as a function of (y_true, y_score), for `sklearn.metrics.make_scorer` and by itself.

    Two dimensions are queries x items, as of `ndcg_score`; one dimension is one query, or several with `groups`, the
    query of each row, as learners to rank take it. Settings are those of `rankscope.evaluate`.
    >>> round(RankingScore("nDCG@10")([[1, 0, 2]], [[0.9, 0.8, 0.1]]), 4)
    0.7602
    >>> RankingScore("AP")([1, 0, 0, 1], [0.9, 0.8, 0.9, 0.1], groups=[1, 1, 2, 2])
    0.75
    """

    measure: str
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parse_measure(self.measure)

    @property
    def __name__(self) -> str:
        return self.measure

    def __call__(self, y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None = None) -> float:
        query, grade, score = _rows(y_true, y_score, groups)
        item = np.arange(query.size)
        settings = {"ties": "expected", **self.settings}
        return evaluate((query, item, grade), (query, item, score), [self.measure], **settings)[self.measure]


def score_function(measure: str, **settings: Any) -> RankingScore:
    """A measure as scikit-learn has its own: `make_scorer(score_function("nDCG@10"), response_method="predict")`.

    >>> score_function("RR")([[0, 1]], [[0.9, 0.1]])
    0.5
    """
    return RankingScore(measure, settings)


@dataclass(frozen=True)
class RankingScorer:
    """A scorer (estimator, X, y); `groups` says which query each row of X belongs to."""

    score: RankingScore
    groups: Any = None

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:  # noqa: N803  (as scikit-learn names them)
        """The mean over the queries of X."""
        return self.score(y, _response(estimator, X), groups=_groups_of(X, self.groups))


def make_scorer(measure: str, *, groups: Any = None, **settings: Any) -> RankingScorer:
    """A scorer (estimator, X, y) for `cross_val_score` and the searches of scikit-learn.

    `groups` says which query each row belongs to: the name or number of a column of X, or a function of X; without it
    all rows are one query. Divide by queries too (`GroupKFold`), so that no query is in two parts. An estimator is
    asked for its decision function, its probability of the last class, or its prediction, the first that it has.
    """
    return RankingScorer(RankingScore(measure, settings), groups)


def _response(estimator: Any, X: Any) -> Any:  # noqa: N803
    for name in RESPONSES:
        if hasattr(estimator, name):
            answer = np.asarray(getattr(estimator, name)(X))
            return answer[:, -1] if answer.ndim == 2 else answer
    raise SettingError(f"a {type(estimator).__name__} has none of {', '.join(RESPONSES)}: fit a model that predicts")


def _groups_of(X: Any, groups: Any) -> Any:  # noqa: N803
    if groups is None or callable(groups):
        return groups(X) if groups is not None else None
    try:
        return X[groups] if isinstance(groups, str) else np.asarray(X)[:, groups]
    except (KeyError, IndexError, TypeError, ValueError):
        raise SettingError(f"groups={groups!r}: X has no such column") from None


def _rows(y_true: ArrayLike, y_score: ArrayLike, groups: ArrayLike | None) -> tuple[Any, Any, Any]:
    """Query, grade and score of each row."""
    grade, score = np.asarray(y_true), np.asarray(y_score)
    if grade.shape != score.shape or grade.ndim not in (1, 2):
        what = f"y_true and y_score must have one shape, of one or two dimensions, got {grade.shape} and {score.shape}"
        raise InputError.of("scores", [what])
    if grade.ndim == 2:
        if groups is not None:
            raise InputError.of("scores", ["of two dimensions each row is a query, so groups are not needed"])
        return np.arange(len(grade)).repeat(grade.shape[1]), grade.ravel(), score.ravel()
    query = np.zeros(grade.size, dtype=np.int64) if groups is None else np.asarray(groups)
    if query.shape != grade.shape:
        raise InputError.of("scores", [f"groups must have one query for each of {grade.size} rows, got {query.shape}"])
    return query, grade, score
