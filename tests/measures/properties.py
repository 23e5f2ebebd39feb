"""What the property tests of measures share: all measures, and words for what holds of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from rankscope.measures import ALL, Measure, Relstring, Runid, nDCG
from rankscope.ranks import RelevantRanks
from tests.measures.examples import examples
from tests.strategies import Grade, Topic, ranks_of

TOLERANCE = 1e-12
NUMBERS = [measure for measure in examples(ALL) if not isinstance(measure, Relstring | Runid)]
EVERY = pytest.mark.parametrize("measure", examples(ALL), ids=str)
EVERY_KIND = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)


def values(measure: Measure, listed: Sequence[Topic]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return measure.of(ranks_of(listed))


def no_lower(measure: Measure, better: RelevantRanks, worse: RelevantRanks) -> bool:
    """Whether the measure agrees that the first are no worse; a measure bound to the second stays bound."""
    bound = measure.bind(worse)
    sign = -1.0 if measure.lower_is_better else 1.0
    first, second = sign * bound.of(better), sign * bound.of(worse)
    return bool(np.all((first >= second - TOLERANCE) | (np.isnan(first) & np.isnan(second))))


def loses_its_ideal(measure: Measure) -> bool:
    """nDCG whose negative grades take away from the ideal order too, as torchmetrics has it: the ideal may be 0 or
    below, and counts losses that the list does not have, so that the value has neither bounds nor direction.
    """
    return isinstance(measure, nDCG) and measure.negative == "both"


def perfect(topic: Topic) -> Topic:
    """The same items in the best order: high grades first, then what is not judged, then 0, then what is below."""

    def key(grade: Grade) -> float:
        return -grade if grade is not None and grade > 0 else 0.0 if grade is None else 0.5 - grade

    return replace(topic, listed=tuple(sorted(topic.listed, key=key)))
