"""MLflow and Weights & Biases: flat dictionaries that both log as they are, with intervals.

mlflow.log_metrics(to_metrics(scores))
wandb.log(to_metrics(scores))
"""

from __future__ import annotations

import numpy as np

from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.sampling_units import unit_classes
from rankscope.measures.evaluation.scores import Metric, Scores, metrics_by_column


def to_metrics(scores: Scores, level: float | None = 0.95) -> dict[str, float]:
    """Each mean with its number of queries and its interval: `AP`, `AP_queries`, `AP_low`, `AP_high`.

    Names hold letters, digits and underscores: `nDCG_gain_exp_at_10`; of several systems `bm25/AP`. What is undefined
    is left out. Only a mean over all queries has an interval, that of every report; `level=None` leaves them out.
    >>> from rankscope.measures.evaluation.evaluate import evaluate
    >>> scores = evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"], "q2": ["x", "b"]}, ["RR", "num_q"])
    >>> {name: round(value, 3) for name, value in to_metrics(scores).items()}
    {'RR': 0.75, 'RR_queries': 2.0, 'RR_low': 0.108, 'RR_high': 0.993, 'num_q': 2.0, 'num_q_queries': 2.0}
    """
    found: dict[str, float] = {}
    for system, metrics in metrics_by_column(scores):
        limits = {} if level is None else _limits(metrics, unit_classes(system.ranks), level, scores)
        for each in metrics:
            found |= each.plain
            if each.key in limits:
                low, high = limits[each.key]
                found |= {f"{each.key}_low": low, f"{each.key}_high": high}
    return found


def _limits(
    metrics: list[Metric], classes: tuple[str, ...] | None, level: float, scores: Scores
) -> dict[str, tuple[float, float]]:
    """Both ends of the interval of each mean over queries; one query has none."""
    means = [each for each in metrics if each.column.measure.summary == "mean" and scores.settings.mean == "macro"]
    if not means:
        return {}
    values = np.stack([np.where(each.column.counted, each.column.values, np.nan) for each in means], axis=1)
    bounds = np.array([each.column.measure.bounds() for each in means]).T
    intervals = mean_intervals(values, classes, level=level, seed=scores.settings.seed, bounds=tuple(bounds))
    ends = zip(means, intervals.low.tolist(), intervals.high.tolist(), strict=True)
    return {each.key: (low, high) for each, low, high in ends if np.isfinite((low, high)).all()}
