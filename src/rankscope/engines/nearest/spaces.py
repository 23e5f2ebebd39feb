"""The metrics by name."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from rankscope.catalogue import did_you_mean
from rankscope.engines.nearest import differences, products, tanimoto
from rankscope.engines.nearest.mixture import MixedSpace, Mixture, Part
from rankscope.engines.nearest.own_metric import Distances, OwnMetric
from rankscope.engines.nearest.space import Space
from rankscope.errors import SettingError

Metric = str | Mixture | Distances

ALL: tuple[type[Any], ...] = (  # a new metric adds its name here
    products.Cosine,
    products.InnerProduct,
    products.L2,
    differences.L1,
    differences.ChiSquared,
    differences.Intersection,
    differences.Jeffrey,
    differences.JensenShannon,
    differences.D1,
    tanimoto.Tanimoto,
    differences.Hamming,
    differences.HammingBits,
)


def by_name(name: str) -> type[Any]:
    """A metric by its name.

    >>> by_name("l2").name
    'l2'
    """
    known = {each.name: each for each in ALL}
    if name not in known:
        raise SettingError(f"no metric '{name}'{did_you_mean(name, known)} There are: {', '.join(known)}")
    return known[name]


def checked(metric: Metric) -> Metric:
    """A metric that exists, with text that is a mixture read as one; raises `SettingError`."""
    if isinstance(metric, str) and Mixture.is_one(metric):
        metric = Mixture.parse(metric)
    if isinstance(metric, Mixture):
        for part in metric.parts:
            by_name(part.metric)
    elif isinstance(metric, str):
        by_name(metric)
    elif not callable(metric):
        raise SettingError(f"a metric is a name, a Mixture or a function, got {metric!r}")
    return metric


def name_of(metric: Metric) -> str:
    """How a result says which metric it was; a function says its own name."""
    if isinstance(metric, str | Mixture):
        return str(metric)
    return f"function {getattr(metric, '__name__', type(metric).__name__)}"


def space_of(metric: Metric, matrix: NDArray[Any]) -> Space:
    """Items under a metric.

    >>> import numpy as np
    >>> space_of("0.5*l1[0:1] + 2*l2[1:]", np.array([[0, 0], [4, 3]])).reference(np.array([0]), np.array([1]))
    array([-8.])
    """
    metric = checked(metric)
    if isinstance(metric, str):
        space: Space = by_name(metric)(matrix)
        return space
    if isinstance(metric, Mixture):
        spaces = [by_name(part.metric)(_columns(matrix, part)) for part in metric.parts]
        return MixedSpace(matrix, [part.weight for part in metric.parts], spaces)
    return OwnMetric(matrix, metric)


def _columns(matrix: NDArray[Any], part: Part) -> NDArray[Any]:
    width = matrix.shape[1]
    last = width if part.last is None else part.last
    if not part.first < last <= width:
        raise SettingError(f"'{part}' asks for features {part.first} to {last}; there are {width}")
    return matrix[:, part.first : last]
