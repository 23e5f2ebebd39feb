"""The metrics by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.catalogue import Catalogue, fold
from rankscope.engines.nearest import differences, products, tanimoto
from rankscope.engines.nearest.mixture import MixedSpace, Mixture, WeightedMetric
from rankscope.engines.nearest.own_metric import Distances, OwnMetric
from rankscope.engines.nearest.space import Space
from rankscope.engines.nearest.values import Values
from rankscope.errors import SettingError
from rankscope.notation import parse_written

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


METRICS: Catalogue[type[Any]] = Catalogue("metric", ALL)


def parse_metric(text: str) -> str | Mixture:
    """A metric as people write it: the name of one, or a mixture of several.

    >>> parse_metric("L2"), str(parse_metric("0.7*l1[0:64] + cosine[64:]"))
    ('l2', '0.7*l1[0:64] + 1*cosine[64:]')
    """
    written = parse_written(text, "metric", "l2, or 0.7*l1[0:64] + 0.3*cosine[64:320]", grammars=(Mixture,))
    if fold(written.name) == Mixture.name:
        return Mixture.from_written(written)
    if written.inner is not None or written.scope:
        raise SettingError(f"'{text}': a metric has no options")
    return str(METRICS.find(written.name).name)


def metric_named(metric: Metric) -> Metric:
    """A metric that exists, as it is called here, with text that is a mixture read as one; raises `SettingError`."""
    if isinstance(metric, str):
        metric = parse_metric(metric)
    if isinstance(metric, Mixture):
        return Mixture([replace(part, metric=METRICS.find(part.metric).name) for part in metric.parts])
    if not isinstance(metric, str) and not callable(metric):
        raise SettingError(f"a metric is a name, a Mixture or a function, got {metric!r}")
    return metric


def name_of(metric: Metric) -> str:
    """How a result says which metric it was; a function says its own name."""
    if isinstance(metric, str | Mixture):
        return str(metric)
    return f"function {getattr(metric, '__name__', type(metric).__name__)}"


def space_of(metric: Metric, matrix: NDArray[Any], values: Sequence[Values] = ()) -> Space:
    """Items under a metric; `values` are the `values_of` the whole collection where these are some of its items.

    >>> import numpy as np
    >>> space_of("0.5*l1[0:1] + 2*l2[1:]", np.array([[0, 0], [4, 3]])).reference(np.array([0]), np.array([1]))
    array([-8.])
    """
    metric = metric_named(metric)
    if isinstance(metric, str):
        space: Space = METRICS.find(metric)(matrix, *values)
        return space
    if isinstance(metric, Mixture):
        columns = [_columns(part, matrix.shape[1]) for part in metric.parts]
        several = zip(metric.parts, columns, values or (None,) * len(columns), strict=True)
        spaces = [METRICS.find(part.metric)(matrix[:, chosen], known) for part, chosen, known in several]
        return MixedSpace(matrix, [part.weight for part in metric.parts], columns, spaces)
    return OwnMetric(matrix, metric)


def shown_scores(metric: Metric) -> Callable[[FloatArray], FloatArray]:
    """What makes scores by a metric those that people know.

    >>> import numpy as np
    >>> shown_scores("l2")(np.array([-25.0]))
    array([-5.])
    """
    metric = metric_named(metric)
    shown: Callable[[FloatArray], FloatArray] = METRICS.find(metric).shown if isinstance(metric, str) else Space.shown
    return shown


def values_of(metric: Metric, matrix: NDArray[Any]) -> tuple[Values, ...]:
    """What a metric must know of the features of a whole collection: of each part of a mixture its own.

    >>> import numpy as np
    >>> values_of("chi2[0:1] + l2[1:]", np.array([[1, -3], [2, 4]]))[0]
    Values(least=1.0, most=2.0, whole=True)
    """
    metric = metric_named(metric)
    parts = metric.parts if isinstance(metric, Mixture) else [WeightedMetric(name_of(metric))]
    return tuple(Values.of(matrix[:, _columns(part, matrix.shape[1])]) for part in parts)


def _columns(part: WeightedMetric, width: int) -> slice:
    last = width if part.last is None else part.last
    if not part.first < last <= width:
        raise SettingError(f"'{part}' asks for features {part.first} to {last}; there are {width}")
    return slice(part.first, last)
