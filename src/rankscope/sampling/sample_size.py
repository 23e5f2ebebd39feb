"""How many items must be judged at random to know how many are relevant."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankscope.calling import public
from rankscope.displayed import Tabular
from rankscope.errors import SettingError
from rankscope.sampling.shares import LARGEST, normal_quantile
from rankscope.validation import COUNT, SHARE, Number, Rule, WholeNumber, check

RULES: dict[str, Rule] = {
    "collection": WholeNumber(least=1, most=LARGEST),
    "relevant": COUNT,
    "error": Number(above=0, finite=False),
    "level": SHARE,
}


@dataclass(frozen=True, repr=False)
class SampleSize(Tabular):
    """Items to judge for a relative error of the number of relevant items, and how many of them will be relevant."""

    collection: int
    relevant: int
    error: float
    level: float
    judged: int
    expected_hits: float

    def rows(self) -> list[dict[str, object]]:
        """One row."""
        return [
            {
                "relevant": self.relevant,
                "relative error": self.error,
                "level": self.level,
                "judge": self.judged,
                "of": self.collection,
                "expected hits": self.expected_hits,
            }
        ]


@public
def needed_sample(collection: int, relevant: int, error: float, level: float = 0.95) -> SampleSize:
    """n0 = z^2 (1 - g) / (error^2 g), and n0 / (1 + (n0 - 1) / d) in a collection of d, rounded up.

    Rare classes need nearly all of the collection: the expected hits next to it say why.
    >>> needed_sample(20000, 308, 0.5).judged, needed_sample(20000, 8, 0.2).judged
    (937, 18462)
    """
    collection, relevant, error, level = check(locals(), **RULES).values()
    if relevant > collection:
        raise SettingError(f"relevant <= collection is needed, got {relevant} and {collection}")
    share = relevant / collection
    spread = normal_quantile(level) ** 2 * (1 - share)
    inverse = min(error * error * share / spread, 1.0) if spread else 1.0  # 1 / n0: no error is too small for it
    judged = min(collection, max(1, math.ceil(collection / (1 + (collection - 1) * inverse) - 1e-9)))
    return SampleSize(
        collection=collection, relevant=relevant, error=error, level=level, judged=judged, expected_hits=judged * share
    )


def relative_deviation(collection: int, relevant: int, judged: int) -> float:
    """Standard deviation of the estimated number of relevant items over that number: sampling without replacement.

    >>> round(relative_deviation(20000, 308, 500), 3), round(relative_deviation(20000, 8, 500), 2)
    (0.353, 2.21)
    """
    share = relevant / collection
    return math.sqrt((1 - share) / (judged * share) * (collection - judged) / (collection - 1))
