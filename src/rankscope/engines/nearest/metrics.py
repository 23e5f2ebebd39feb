"""The metrics by name, mixtures of several, and metrics that are Python functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.catalogue import Catalogue, fold
from rankscope.core.errors import SettingError
from rankscope.core.notation import Named, Written, parse_written, short
from rankscope.engines.nearest import differences, products
from rankscope.engines.nearest.space import Space, Values

# Several metrics at once, each on its own features: `0.7*l1[0:64] + 0.3*cosine[64:320]`.

MIXTURE_PLUS = re.compile(r"(?<![eE*])\+")
MIXTURE_PART = re.compile(r"\s*(?:([0-9.eE+-]+?)\s*\*\s*)?([A-Za-z_]\w*)\s*(?:\[\s*(\d*)\s*:\s*(\d*)\s*\])?\s*")


@dataclass(frozen=True)
class WeightedMetric:
    """A weight, a metric by its name, and the features it looks at: from `first` up to but without `last`."""

    metric: str
    weight: float = 1.0
    first: int = 0
    last: int | None = None

    def __str__(self) -> str:
        return f"{short(self.weight)}*{self.metric}[{self.first}:{'' if self.last is None else self.last}]"


@dataclass(frozen=True)
class Mixture(Named):
    """A weighted sum of the scores of several metrics, as each shows them: -distance, cosine, product, intersection.

    No part is scaled: weights are in the units of the distances. l1, l2 and chi2 grow with the features; cosine lies in
    -1 to 1, tanimoto in -1 to 0 for histograms, js in -.8326 to 0, hamming in -(number of features) to 0.
    >>> str(Mixture([WeightedMetric("l1", 0.7, 0, 64), WeightedMetric("cosine", 0.3, 64)]))
    '0.7*l1[0:64] + 0.3*cosine[64:]'
    """

    name: ClassVar[str] = "mixture"
    parts: tuple[WeightedMetric, ...]

    def __init__(self, parts: Sequence[WeightedMetric]) -> None:
        object.__setattr__(self, "parts", tuple(parts))
        for part in self.parts:
            if not (np.isfinite(part.weight) and part.weight > 0):
                raise SettingError(f"the weight of a metric must be above 0, got {part.weight:g} in '{part}'")

    @classmethod
    def claims(cls, text: str) -> bool:
        """Whether a metric is rather a mixture: it has a weight, a sum or features in it."""
        return not text.strip().lower().startswith(f"{cls.name}(") and any(sign in text for sign in "*[+")

    @classmethod
    def from_written(cls, written: Written) -> Mixture:
        """From weight*metric[first:last], joined by +; weight 1 and all features where they are not given."""
        parts = []
        for text in MIXTURE_PLUS.split(written.inner or ""):
            found = MIXTURE_PART.fullmatch(text)
            try:
                if found is None:
                    raise ValueError
                weight, metric, first, last = found.groups()
                parts.append(WeightedMetric(metric, float(weight or 1), int(first or 0), int(last) if last else None))
            except ValueError:
                usual = "A mixture reads: 0.7*l1[0:64] + 0.3*cosine[64:320]"
                raise SettingError(f"cannot read '{text.strip()}' in the metric '{written.text}'. {usual}") from None
        return cls(parts)

    def __str__(self) -> str:
        return " + ".join(map(str, self.parts))


class MixedSpace(Space):
    """Items under a mixture: shown scores times weights, added in the order of the parts."""

    name = "mixture"
    exact = symmetric = True

    def __init__(
        self, matrix: NDArray[Any], weights: Sequence[float], columns: Sequence[slice], spaces: Sequence[Space]
    ) -> None:
        self.rows, self.weights, self.columns, self.spaces = matrix, weights, columns, spaces

    def asking(self, rows: NDArray[Any]) -> Self:
        """Each part with its own features of the other rows."""
        result = copy(self)
        result.spaces = [space.asking(part) for space, part in zip(self.spaces, self._cut(rows), strict=True)]
        return result

    def with_rows(self, rows: NDArray[Any]) -> Self:
        spaces = [space.with_rows(part) for space, part in zip(self.spaces, self._cut(rows), strict=True)]
        return type(self)(rows, self.weights, self.columns, spaces)

    def _cut(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        return [rows[:, columns] for columns in self.columns]

    def _added(self, scores: Sequence[FloatArray]) -> FloatArray:
        total = np.zeros(scores[0].shape)
        for weight, space, each in zip(self.weights, self.spaces, scores, strict=True):
            total += weight * space.shown(each)
        return total

    def reference(self, queries: IntArray, items: IntArray) -> FloatArray:
        """The mixture of the references."""
        return self._added([space.reference(queries, items) for space in self.spaces])

    def reference_table(self, queries: IntArray, items: IntArray) -> FloatArray:
        """The same for every query with every item."""
        return self._added([space.reference_table(queries, items) for space in self.spaces])

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> FloatArray:
        """The references: parts that only screen would leave a root of their doubt where they are near."""
        return self.reference_table(queries, np.arange(items.start, items.stop))


# A metric given as a Python function.

Distances = Callable[[NDArray[Any], NDArray[Any]], Any]
AT_ONCE = 4096  # always the same rows together: what a function makes of them may depend on it


class OwnMetric(Space):
    """Distances from a function of the query's row and a table of rows, nearest first.

    It is called with the same 4,096 rows at a time regardless of the size of the blocks; its values are the references.
    >>> space = OwnMetric(np.array([[0.0], [3.0]]), lambda row, rows: np.abs(rows - row).max(axis=1))
    >>> space.scores(np.array([0]), slice(0, 2))
    array([[ 0., -3.]])
    """

    name = "own"
    exact = True
    shared = False  # nobody promised that the function may be called by several threads

    def __init__(self, matrix: NDArray[Any], function: Distances) -> None:
        self.rows, self.function = matrix, function

    def with_rows(self, rows: NDArray[Any]) -> Self:
        return type(self)(rows, self.function)

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> FloatArray:
        """One call for each query and each 4,096 items."""
        first = items.start // AT_ONCE * AT_ONCE
        starts = range(first, items.stop, AT_ONCE)
        table = [
            np.concatenate([self._called(query, self.rows[start : start + AT_ONCE]) for start in starts])
            for query in queries.tolist()
        ]
        return 0.0 - np.stack(table)[:, items.start - first : items.stop - first]

    def _called(self, query: int, rows: NDArray[Any]) -> FloatArray:
        found = np.asarray(self.function(self.asked.rows[query], rows), dtype=np.float64)
        if found.shape != (len(rows),):
            raise SettingError(f"a metric must return {len(rows)} distances, one for each row; got shape {found.shape}")
        if not np.isfinite(found).all():
            raise SettingError(f"a metric must return finite distances, got {found[~np.isfinite(found)][0]}")
        return found

    def reference(self, queries: IntArray, items: IntArray) -> FloatArray:
        kinds, place = np.unique(queries, return_inverse=True)
        return self.reference_table(kinds, np.arange(len(self)))[place, items]

    def reference_table(self, queries: IntArray, items: IntArray) -> FloatArray:
        return self.scores(queries, slice(0, len(self)))[:, items]


# The metrics by name.

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
    products.Tanimoto,
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


def metric_name(metric: Metric) -> str:
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
    parts = metric.parts if isinstance(metric, Mixture) else [WeightedMetric(metric_name(metric))]
    return tuple(Values.of(matrix[:, _columns(part, matrix.shape[1])]) for part in parts)


def _columns(part: WeightedMetric, width: int) -> slice:
    last = width if part.last is None else part.last
    if not part.first < last <= width:
        raise SettingError(f"'{part}' asks for features {part.first} to {last}; there are {width}")
    return slice(part.first, last)
