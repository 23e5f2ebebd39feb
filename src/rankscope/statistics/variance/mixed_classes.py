"""The mixed model with random classes: value ~ system + (1 | class) + (1 | class:system) + (1 | query), by REML.

With all systems on all queries the likelihood falls into two parts that share no variance: differences of systems, and
means over systems. Each part is a one-way layout of classes with a variance between and one within, and REML has one
unknown left: their ratio.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError
from rankscope.statistics.intervals.components import never_below_zero
from rankscope.statistics.table.cells import Design, clean
from rankscope.statistics.variance.mixed import Mixed, effects_of
from rankscope.wording import setting_usage

NO_FREEDOM = "every class has one query: variance between and within classes cannot be estimated separately"
STEADY = "the effect of a system does not vary more between classes than chance"


@dataclass(frozen=True, eq=False)
class _Layer:
    """Means of classes (rows) in some directions (columns), and the squares within classes."""

    means: FloatArray
    size: FloatArray
    squares: float
    freedom: int  # of the squares

    def spread(self, ratio: float) -> tuple[float, FloatArray]:
        """Variance within for a ratio of between to within, and the weight of each class."""
        weight = 1.0 / (ratio + 1.0 / self.size)
        centre = weight @ self.means / weight.sum()
        squares = self.squares + float(weight @ ((self.means - centre) ** 2).sum(axis=1))
        columns = self.means.shape[1]
        return squares / (self.freedom + columns * (len(self.means) - 1)), weight

    def deviance(self, ratio: float) -> float:
        """Minus twice the restricted log likelihood, but for a constant."""
        variance, weight = self.spread(ratio)
        columns = self.means.shape[1]
        freedom = self.freedom + columns * (len(self.means) - 1)
        return freedom * np.log(variance) + columns * float(np.log(weight.sum()) - np.log(weight).sum())

    def best(self) -> tuple[float, float, FloatArray]:
        """Variance between, variance within, weights."""
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(
            lambda log: self.deviance(float(np.exp(log))), bounds=(-18, 12), method="bounded", options={"xatol": 1e-10}
        )
        ratio = float(np.exp(found.x))
        if self.deviance(0.0) <= self.deviance(ratio):
            ratio = 0.0
        variance, weight = self.spread(ratio)
        return ratio * variance, variance, weight


def with_random_classes(design: Design, level: float) -> Mixed:
    """Effects of systems over all classes there might be; degrees of freedom are those of the classes, (k-1)(N_C-1).

    One class is no sample of classes: a `SettingError`.
    """
    classes = len(design.labels)
    if design.labels == ("",) or classes < 2:
        given = setting_usage("classes", "CLASSES.csv")
        raise SettingError(f"random classes need two classes at least: give {given} (columns query, class)")
    if len(design.table) == classes:
        raise SettingError(f"{NO_FREEDOM}; leave random classes out")
    values, group, count = design.values, design.group, design.values.shape[1]
    turned = values @ _directions(count)
    size = design.size.astype(np.float64)
    class_means = np.stack([turned[group == each].mean(axis=0) for each in range(classes)])
    rest = (turned - class_means[group]) ** 2
    nu = len(values) - classes
    within = clean(float(rest[:, 1:].sum()), values)
    if within == 0:
        raise SettingError("the difference of two systems is the same for every query of a class: there is no error")
    differences = _Layer(class_means[:, 1:], size, within, (count - 1) * nu)
    interaction, residual, weight = differences.best()
    between, query = _means_part(class_means[:, :1], size, clean(float(rest[:, 0].sum()), values), nu)
    means = weight @ design.class_means / weight.sum()
    freedom = (count - 1) * (classes - 1)
    effects = effects_of(design, "", means, len(values), 2 * residual / float(weight.sum()), freedom, level)
    parts, words = never_below_zero({"queries": (query - residual) / count, "classes": (between - interaction) / count})
    return Mixed(
        measure=design.table.measure,
        effects=(),
        overall=tuple(effects),
        residual_variance=residual,
        query_variance=parts["queries"],
        queries=len(values),
        level=level,
        interaction_variance=interaction,
        class_variance=parts["classes"],
        note=design.note(f"{classes} classes as a sample", "" if interaction else STEADY, words),
    )


def _means_part(means: FloatArray, size: FloatArray, squares: float, nu: int) -> tuple[float, float]:
    """Variance of class means and of queries in the direction of the mean over systems."""
    if squares == 0:
        return float(means.var(ddof=1)), 0.0
    between, within, _ = _Layer(means, size, squares, nu).best()
    return between, within


def _directions(count: int) -> FloatArray:
    """Orthonormal columns: the mean over systems first, then differences of systems."""
    start = np.column_stack([np.ones(count), np.eye(count)[:, : count - 1]])
    return np.linalg.qr(start)[0]
