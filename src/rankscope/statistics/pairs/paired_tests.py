"""The tests of two systems by name, in the order in which method and practice trust them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.catalogue import Catalogue
from rankscope.number_texts import how_many
from rankscope.statistics.intervals.bootstrap import bootstrap_means
from rankscope.statistics.pairs.pair_test import PairTest, known_differences
from rankscope.statistics.pairs.paired_t import paired_t
from rankscope.statistics.pairs.sign_flip import sign_flip
from rankscope.statistics.pairs.sign_test import sign_test
from rankscope.statistics.pairs.wilcoxon import wilcoxon

FEW = 50


def bootstrap_interval(
    differences: ArrayLike, *, level: float = 0.95, how: str = "bca", resamples: int | None = None, seed: int = 0
) -> PairTest:
    """The bootstrap interval of the mean difference; it has no p-value, for no verdict rests on it.

    Under 50 queries it leaves zero out too often when nothing differs (see `benchmarks/error_rates.py`).
    """
    values = known_differences(differences)
    if not values.size:
        return PairTest(
            test="bootstrap",
            estimate=math.nan,
            low=math.nan,
            high=math.nan,
            p=math.nan,
            queries=0,
            note="no query",
            level=level,
        )
    intervals = bootstrap_means(values[:, None], level=level, resamples=resamples, seed=seed, how=how)
    low, high = float(intervals.low[0]), float(intervals.high[0])
    narrow = ", too narrow for so few queries" if values.size < FEW else ""
    note = f"{how_many(intervals.resamples, 'resamples')} ({how}), seed {seed}{narrow}"
    return PairTest(
        test="bootstrap",
        estimate=float(values.mean()),
        low=low,
        high=high,
        p=math.nan,
        queries=values.size,
        note=note,
        level=level,
    )


ALL: dict[str, Callable[..., PairTest]] = {  # a new test adds its name here
    "sign-flip": sign_flip,
    "t": paired_t,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
    "bootstrap": bootstrap_interval,
}
TESTS: Catalogue[Callable[..., PairTest]] = Catalogue("test", ALL)


def paired_tests(differences: ArrayLike, *, level: float = 0.95, seed: int = 0) -> tuple[PairTest, ...]:
    """Every test of the same differences, second system minus first.

    >>> [each.test for each in paired_tests([0.1, 0.2, -0.1])]
    ['sign-flip', 't', 'Wilcoxon', 'sign', 'bootstrap']
    """
    values = known_differences(np.asarray(differences, dtype=np.float64))
    return tuple(test(values, **accepted_options(test, {"level": level, "seed": seed})) for test in TESTS)


def accepted_options(test: Callable[..., object], options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that a test takes.

    >>> accepted_options(paired_t, {"level": 0.9, "seed": 2})
    {'level': 0.9}
    """
    return {name: value for name, value in options.items() if name in signature(test).parameters}
