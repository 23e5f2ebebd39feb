"""Limits of agreement: how often they hold the truth, by the number of queries.

Two assessors err with rates of their own for every query, so queries differ in how well they agree. Simulated: shares
of relevant items drawn for each query. Robust 2003: the relevant and other items of its topics as they were judged, 20
to 200 of them for a query, and topics drawn with replacement. The truth is the value of 200,000 queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from benchmarks.forecast_cases import DATA
from rankscope.analysis.assessors import agreement as two
from rankscope.analysis.assessors.agreement import krippendorff_alpha_of
from rankscope.analysis.statistics.bootstrap import Bounds, Statistic, jackknife_interval
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.rendering import markdown_table

QUERIES = (4, 6, 10, 20, 50)
TRIALS = 2_000
RESAMPLES = 400
MANY = 200_000
Sizes = Callable[[np.random.Generator, int], tuple[IntArray, IntArray]]  # relevant and other items of so many queries


def simulated(chance: np.random.Generator, queries: int) -> tuple[IntArray, IntArray]:
    """Ten to forty items, a fifth of them relevant in the mean, and very unevenly so."""
    size = chance.integers(10, 41, queries)
    relevant = chance.binomial(size, chance.beta(0.6, 2.4, queries))
    return relevant, size - relevant


@cache
def _robust_sizes() -> FloatArray:
    from rankscope import Qrels

    frame = Qrels.of(str(DATA / "trec-robust03" / "qrels.txt.gz")).table
    relevant = dict(frame.filter(frame["grade"] > 0).group_by("query").len().iter_rows())
    whole = dict(frame.group_by("query").len().iter_rows())
    return np.array([(relevant.get(query, 0), size) for query, size in whole.items()], dtype=np.float64)


def robust(chance: np.random.Generator, queries: int) -> tuple[IntArray, IntArray]:
    """Topics drawn again; as many of their judged items as one could judge twice."""
    sizes = _robust_sizes()[chance.integers(0, len(_robust_sizes()), queries)]
    judged = chance.integers(20, 201, queries)
    relevant = chance.binomial(judged, sizes[:, 0] / sizes[:, 1])
    return relevant, judged - relevant


def tables(sizes: Sizes, chance: np.random.Generator, queries: int) -> FloatArray:
    """Grades of two assessors, a table for each query: each misses some relevant items and takes some others."""
    relevant, others = sizes(chance, queries)
    miss, alarm = chance.beta(1.5, 6, (2, queries)), chance.beta(1, 12, (2, queries))
    found = np.zeros((queries, 4))
    for count, (one, other) in ((relevant, 1 - miss), (others, alarm)):
        shares = np.stack([(1 - one) * (1 - other), (1 - one) * other, one * (1 - other), one * other], axis=1)
        found += chance.multinomial(count, shares)
    return found.reshape(queries, 2, 2)


def alpha(counts: FloatArray) -> FloatArray:
    """Krippendorff's alpha of two assessors' table."""
    both = counts + np.swapaxes(counts, -1, -2)
    return krippendorff_alpha_of(both.reshape(*both.shape[:-2], 4), np.array([0.0, 1.0]))


STATISTICS: dict[str, tuple[Statistic, Bounds]] = {
    "raw": (two.raw_agreement, (0.0, 1.0)),
    "positive": (two.positive_agreement, (0.0, 1.0)),
    "kappa": (two.cohen_kappa, (-1.0, 1.0)),
    "AC1": (two.gwet_ac, (-1.0, 1.0)),
    "alpha": (alpha, (-1.0, 1.0)),
}


def bootstrap(drawn: FloatArray, statistic: Statistic, chance: np.random.Generator) -> tuple[float, float]:
    """Percentiles over resampled queries."""
    count = len(drawn)
    times = chance.multinomial(count, np.full(count, 1 / count), RESAMPLES)
    low, high = np.nanquantile(statistic(np.tensordot(times, drawn, axes=1)), [0.025, 0.975])
    return float(low), float(high)


def over_pairs(drawn: FloatArray, statistic: Statistic, chance: np.random.Generator) -> tuple[float, float]:
    """Percentiles over resampled pairs, as if queries did not matter: what many tools do."""
    total = drawn.sum(axis=0)
    times = chance.multinomial(int(total.sum()), (total / total.sum()).ravel(), RESAMPLES).reshape(-1, 2, 2)
    low, high = np.nanquantile(statistic(times.astype(np.float64)), [0.025, 0.975])
    return float(low), float(high)


def held(sizes: Sizes, queries: int, trials: int) -> dict[str, dict[str, float]]:
    """The share of trials in which each kind of limits holds the truth, by statistic."""
    chance = np.random.default_rng([queries, trials])
    whole = tables(sizes, chance, MANY).sum(axis=0)
    truth = {name: float(statistic(whole)) for name, (statistic, _) in STATISTICS.items()}
    hits: dict[str, dict[str, list[bool]]] = {}
    for trial in range(trials):
        drawn = tables(sizes, chance, queries)
        for name, (statistic, bounds) in STATISTICS.items():
            kinds = {"jackknife": jackknife_interval(drawn, statistic, bounds=bounds)[1:]}
            if name == "kappa" and trial < trials // 4:
                kinds["bootstrap"] = bootstrap(drawn, statistic, chance)
                kinds["pairs"] = over_pairs(drawn, statistic, chance)
            for kind, (low, high) in kinds.items():
                if low == low:
                    hits.setdefault(name, {}).setdefault(kind, []).append(low <= truth[name] <= high)
    return {name: {kind: float(np.mean(each)) for kind, each in kinds.items()} for name, kinds in hits.items()}


def coverage_rows(trials: int) -> Iterator[dict[str, object]]:
    """A row for each source and number of queries."""
    sources: dict[str, Sizes] = {"simulated": simulated}
    if (DATA / "trec-robust03").is_dir():
        sources["Robust 2003"] = robust
    for name, sizes in sources.items():
        for queries in QUERIES:
            found = held(sizes, queries, trials)
            row: dict[str, object] = {"source": name, "queries": queries}
            row |= {each: found[each]["jackknife"] for each in STATISTICS}
            yield row | {"kappa, bootstrap": found["kappa"]["bootstrap"], "kappa, pairs": found["kappa"]["pairs"]}


def report(trials: int = TRIALS) -> str:
    """The section of docs/performance.md."""
    rows = list(coverage_rows(trials))
    lowest = min(float(str(row[name])) for row in rows for name in STATISTICS)
    words = (
        f"Share of {trials:,} trials in which limits of 95 % hold the truth: those of `rankscope agreement` (jackknife "
        "over queries, Student's t, on the scale of atanh); next to them, for kappa, percentiles of a bootstrap over "
        f"queries and over pairs ({trials // 4:,} trials). Two assessors whose errors differ from query to query. The "
        f"lowest of ours is {lowest:.3f}."
    )
    return f"{words}\n\n{markdown_table(rows, places=3)}"
