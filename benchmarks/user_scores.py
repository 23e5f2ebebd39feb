"""How often the interval of a user's error rate holds the truth: queries drawn from populations of many queries."""

from __future__ import annotations

import numpy as np

from rankscope.analysis.statistics.proportions import binomial_limits, effective_count
from rankscope.core.rendering import markdown_table

TRIALS, MARKS, POPULATION = 2_000, 20, 5_000
QUERIES = (5, 10, 25, 50)
RATES = (0.02, 0.1, 0.3)
SPREADS = {"every query alike": 0.0, "correlation .1 within a query": 0.1, "correlation .3": 0.3}


def coverage(rate: float, correlation: float, queries: int, trials: int = TRIALS) -> tuple[float, float]:
    """The share of samples whose interval holds the rate of the population, and the same if marks counted alone.

    A population of queries, each with an error rate of its own (beta, with this correlation between two marks of one
    query); samples draw queries from it, and marks of each.
    """
    chance = np.random.default_rng([int(rate * 1000), int(correlation * 1000), queries])
    own = np.full(POPULATION, rate)
    if correlation > 0:
        size = 1 / correlation - 1
        own = chance.beta(rate * size, (1 - rate) * size, POPULATION)
    truth = float(own.mean())
    held: list[bool] = []
    plain: list[bool] = []
    for _ in range(trials):
        drawn = own[chance.integers(0, POPULATION, queries)]
        found = chance.binomial(MARKS, drawn).astype(np.float64)
        count = np.full(queries, float(MARKS))
        effective = effective_count(found, count)
        shares = ((found.sum() / count.sum() * effective, effective), (found.sum(), count.sum()))
        limits = tuple(binomial_limits(hits, cases, 0.025) for hits, cases in shares)
        for (low, high), kept in zip(limits, (held, plain), strict=True):
            kept.append(low <= truth <= high)
    return float(np.mean(held)), float(np.mean(plain))


def report() -> str:
    """A table for each spread of the queries."""
    rows = []
    for words, correlation in SPREADS.items():
        for queries in QUERIES:
            row: dict[str, object] = {"queries": words, "number": queries}
            for rate in RATES:
                held, plain = coverage(rate, correlation, queries)
                row |= {f"rate {rate:g}": f"{held:.3f}", f"rate {rate:g}, marks alone": f"{plain:.3f}"}
            rows.append(row)
    return (
        f"Share of {TRIALS:,} samples whose 95 % interval of an error rate holds that of the population "
        f"({POPULATION:,} queries, {MARKS} marks of each drawn); `marks alone`: Clopper & Pearson, which takes marks "
        "for independent.\n\n" + markdown_table(rows)
    )
