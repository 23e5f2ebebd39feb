"""Several metrics at once, each on its own features: `0.7*l1[0:64] + 0.3*cosine[64:320]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.space import Space
from rankscope.errors import SettingError
from rankscope.notation import Named, Written, short

PLUS = re.compile(r"(?<![eE*])\+")
PART = re.compile(r"\s*(?:([0-9.eE+-]+?)\s*\*\s*)?([A-Za-z_]\w*)\s*(?:\[\s*(\d*)\s*:\s*(\d*)\s*\])?\s*")


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
        return cls([_part(each, written.text) for each in PLUS.split(written.inner or "")])

    def __str__(self) -> str:
        return " + ".join(map(str, self.parts))


def _part(text: str, whole: str) -> WeightedMetric:
    found = PART.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        weight, metric, first, last = found.groups()
        return WeightedMetric(metric, float(weight or 1), int(first or 0), int(last) if last else None)
    except ValueError:
        usual = "A mixture reads: 0.7*l1[0:64] + 0.3*cosine[64:320]"
        raise SettingError(f"cannot read '{text.strip()}' in the metric '{whole}'. {usual}") from None


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
        """Under the same mixture."""
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
