"""How often intervals from judged samples hold the truth: samples of pools whose relevant items are all known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from benchmarks.estimate_data import DESIGNS, SCOPE, Source, Truth, sources, truth_of
from rankscope.analysis.sampling.frame import rescaled_factors, totals
from rankscope.analysis.sampling.intervals import (
    Cell,
    Spread,
    SpreadRules,
    class_size_limits,
    mean_spread,
    recall_limits,
)
from rankscope.analysis.sampling.judged_run import DrawnHits
from rankscope.analysis.sampling.quantities import RatioSums, ap_sums_of_hits, linear_ratio, resampled_ratio
from rankscope.core.arrays import FloatArray, IntArray

SAMPLES = 1_000
RESAMPLES = 100  # fewer than in earnest: V varies more, coverage does not
DEPTH = 10
UNIFORM = "uniform 10 %"
Values = Callable[[Truth], FloatArray]


def item_values(truth: Truth, name: str) -> FloatArray:
    """What each relevant item adds to a linear quantity."""
    rank = truth.ranks[0]
    if name == "class size":
        return np.ones(rank.size)
    if name == "P@10":
        return (rank <= DEPTH) / DEPTH
    return np.where(rank <= DEPTH, truth.grade / np.log2(rank + 1.0), 0.0)


LINEAR = ("class size", "P@10", "DCG@10")


@dataclass(frozen=True, eq=False)
class Held:
    """Of one quantity in one setting: how often the truth was held, the mean width, that with all judged, the bias."""

    coverage: float
    width: float
    complete: float
    bias: float


def spreads(truth: Truth, drawn: IntArray, chance: np.random.Generator, is_wide: bool) -> dict[str, Spread]:
    """All quantities from one sample, by the functions that the command uses."""
    strata, stratum = truth.strata, truth.stratum[drawn]
    some = Truth(strata, stratum, (truth.ranks[0][drawn], truth.ranks[1][drawn]), truth.grade[drawn], truth.inside)
    found = {}
    for name in LINEAR:
        total = totals(strata, stratum, item_values(some, name))
        rules = SpreadRules(is_wide=is_wide and name == "DCG@10")
        found[name] = mean_spread(total.value, total.variance, rules)
    unit = SpreadRules(certain=(0.0, 1.0), possible=(0.0, 1.0))
    found["recall@100"] = linear_ratio(strata, stratum, (some.ranks[0] <= SCOPE).astype(np.float64), unit)
    factors = rescaled_factors(strata, stratum, chance, RESAMPLES)
    sums = [_pair_sums(some, run, factors) for run in (0, 1)]
    found["AP"] = resampled_ratio(sums[0], SpreadRules(0.95, (0.0, 1.0), (0.0, 1.0), is_wide))
    both = SpreadRules(0.95, (-1.0, 1.0), (-1.0, 1.0), is_wide)
    found["AP, difference"] = resampled_ratio(sums[0].minus(sums[1]), both)
    return found


def _pair_sums(some: Truth, run: int, factors: FloatArray) -> RatioSums:
    rank = some.ranks[run]
    order = np.lexsort((rank, some.strata.query[some.stratum]))
    hits = DrawnHits(some.strata, some.stratum[order], rank[order], some.grade[order])
    return ap_sums_of_hits(hits, factors[:, order])


def true_spreads(truth: Truth) -> dict[str, Spread]:
    """The same with everything judged: the truth, and the interval that the queries alone give."""
    whole = truth.all_judged()
    return spreads(whole, np.arange(whole.stratum.size), np.random.default_rng(0), is_wide=False)


def simulate(truth: Truth, samples: int, is_wide: bool, population: int | None, seed: int) -> dict[str, Held]:
    """These very queries, or so many drawn from them with replacement (`population`): then they are the population."""
    chance = np.random.default_rng(seed)
    known = {name: spread.value for name, spread in true_spreads(truth).items()}
    limits: dict[str, list[tuple[float, float, float]]] = {name: [] for name in known}
    complete: dict[str, list[float]] = {name: [] for name in known}
    for number in range(samples):
        some = truth
        if population is not None:
            some = truth.take(chance.integers(0, truth.strata.queries, population))
            if number % 10 == 0:
                for name, spread in true_spreads(some).items():
                    complete[name].append(spread.population.high - spread.population.low)
        for name, spread in spreads(some, some.draw(chance), chance, is_wide).items():
            chosen = spread.these if population is None else spread.population
            limits[name].append((chosen.low, chosen.high, chosen.value))
    return {name: _held(np.array(limits[name]), known[name], complete[name]) for name in known}


def _held(rows: FloatArray, truth: float, complete: list[float]) -> Held:
    low, high, value = rows.T
    slack = 1e-9 * max(1.0, abs(truth))
    return Held(
        coverage=float(((low <= truth + slack) & (truth <= high + slack)).mean()),
        width=float((high - low).mean()),
        complete=float(np.mean(complete)) if complete else 0.0,
        bias=float(value.mean() - truth),
    )


@dataclass(frozen=True)
class Setting:
    """A source, how many queries, which design, which truth."""

    source: str
    queries: int
    design: str
    is_population: bool


def settings(known: list[Source]) -> Iterator[tuple[Setting, Truth]]:
    """All queries and 30 of them, three designs, two truths."""
    for source, (name, design) in product(known, DESIGNS.items()):
        truth = truth_of(source, design)
        for queries in sorted({30, truth.strata.queries}):
            for is_population in (False, True):
                whole = is_population or queries == truth.strata.queries
                some = truth if whole else truth.take(np.arange(queries))
                yield Setting(source.name, queries, name, is_population), some


def over_queries(known: list[Source], samples: int = SAMPLES) -> dict[Setting, dict[str, Held]]:
    """Coverage of everything that has an interval over queries."""
    return {
        each: simulate(truth, samples, each.design == UNIFORM, each.queries if each.is_population else None, seed)
        for seed, (each, truth) in enumerate(settings(known), 1)
    }


def class_size_coverage(truth: Truth) -> tuple[FloatArray, FloatArray]:
    """Of one query, exactly: all outcomes with their chances; coverage and mean width of each query."""
    return tuple(np.array([_exact(truth, query) for query in range(truth.strata.queries)]).T)


def _exact(truth: Truth, query: int) -> tuple[float, float]:
    from scipy.stats import hypergeom

    strata, relevant = truth.strata, truth.relevant
    parts = np.flatnonzero(strata.query == query).tolist()
    outcomes = []
    for each in parts:
        size, marked, judged = int(strata.size[each]), int(relevant[each]), int(strata.judged[each])
        counts = np.arange(max(0, judged + marked - size), min(judged, marked) + 1)
        chances = hypergeom.pmf(counts, size, marked, judged)
        keep = chances > 1e-5
        cells = [(size, judged, int(count)) for count in counts[keep]]
        outcomes.append(list(zip(cells, chances[keep].tolist(), strict=True)))
    total = sum(int(relevant[each]) for each in parts)
    weight = held = width = 0.0
    for combination in product(*outcomes):
        chance = float(np.prod([each for _, each in combination]))
        low, high = class_size_limits([cell for cell, _ in combination])
        weight, held, width = weight + chance, held + chance * (low <= total <= high), width + chance * (high - low)
    return held / weight, width / weight


def recall_coverage(truth: Truth, samples: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Of one query, by simulation: coverage and mean width of each query with a relevant item."""
    chance = np.random.default_rng(seed)
    return tuple(
        np.array([_recalls(truth, query, samples, chance) for query in np.unique(truth.strata.query[truth.stratum])]).T
    )


def _recalls(truth: Truth, query: int, samples: int, chance: np.random.Generator) -> tuple[float, float]:
    parts = np.flatnonzero(truth.strata.query == query)
    inside = truth.ranks[0] <= SCOPE
    marked_in = np.bincount(truth.stratum[inside], minlength=len(truth.strata))[parts]
    marked_out = truth.relevant[parts] - marked_in
    size, n, size_in = truth.strata.size[parts], truth.strata.judged[parts], truth.inside[parts]
    shape = (samples, parts.size)
    n_in = chance.hypergeometric(np.broadcast_to(size_in, shape), size - size_in, n)
    r_in = chance.hypergeometric(np.broadcast_to(marked_in, shape), size_in - marked_in, n_in)
    r_out = chance.hypergeometric(np.broadcast_to(marked_out, shape), size - size_in - marked_out, n - n_in)
    outcomes, counts = np.unique(np.stack([n_in, r_in, n - n_in, r_out], axis=2), axis=0, return_counts=True)
    true = marked_in.sum() / (marked_in.sum() + marked_out.sum())
    limits = np.array([_recall_limits(size_in, size, each) for each in outcomes])
    held = (limits[:, 0] <= true + 1e-9) & (true <= limits[:, 1] + 1e-9)
    held |= np.isnan(limits[:, 0])
    width = np.nan_to_num(limits[:, 1] - limits[:, 0], nan=1.0)
    return float((held * counts).sum() / samples), float((width * counts).sum() / samples)


def _recall_limits(size_in: IntArray, size: IntArray, outcome: IntArray) -> tuple[float, float]:
    sides = ((size_in, outcome[:, 0], outcome[:, 1]), (size - size_in, outcome[:, 2], outcome[:, 3]))
    cells = [tuple(cell for cell in zip(*(each.tolist() for each in side), strict=True) if cell[0]) for side in sides]
    return _limits_once(cells[0], cells[1])


@lru_cache(maxsize=1 << 16)
def _limits_once(inside: tuple[Cell, ...], outside: tuple[Cell, ...]) -> tuple[float, float]:
    return recall_limits(inside, outside)


def report(samples: int = SAMPLES) -> str:
    """All tables, in Markdown."""
    from benchmarks.estimate_tables import estimate_tables

    known = sources()
    return estimate_tables(known, samples) if known else ""
