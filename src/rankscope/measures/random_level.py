"""What a random order of the collection scores on average: the level below which a system has learnt nothing."""

from __future__ import annotations

import math

from rankscope.errors import MeasureError

EULER = 0.57721566490153286
SUMMED = 256  # from here on the series below is exact to double precision


def harmonic(number: int) -> float:
    """H_n = 1 + 1/2 + ... + 1/n.

    >>> round(harmonic(4), 6)
    2.083333
    """
    if number <= SUMMED:
        return math.fsum(1.0 / k for k in range(1, number + 1))
    square = float(number) ** -2
    return math.log(number) + EULER + 0.5 / number - square / 12 + square * square / 120


def random_precision(collection: int, relevant: int) -> float:
    """E[P@k] = g at every scope, and so E[Rprec]: the share of the collection that is relevant.

    >>> random_precision(collection=1000, relevant=20)
    0.02
    """
    _check(collection, relevant)
    return relevant / collection


def random_average_precision(collection: int, relevant: int) -> float:
    """E[AP] = g + (d - c)(H_d - 1)/(d(d - 1)), above g; 1 for the only item, NaN where nothing is relevant.

    >>> round(random_average_precision(collection=20, relevant=4), 6)
    0.309379
    """
    _check(collection, relevant)
    if relevant == 0:
        return math.nan
    if collection == 1:
        return 1.0
    excess = (collection - relevant) * (harmonic(collection) - 1.0) / (collection * (collection - 1.0))
    return relevant / collection + excess


def _check(collection: int, relevant: int) -> None:
    if not 0 <= relevant <= collection or collection < 1:
        bound = "0 <= relevant <= collection and collection >= 1"
        raise MeasureError(f"{bound} is needed, got relevant {relevant} and collection {collection}")
