"""How often means corrected by people hold the truth, for machines of three qualities and three kinds of error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl

from benchmarks.estimate_data import Source
from rankscope.analysis.assessors.agreement import cohen_kappa
from rankscope.analysis.sampling.intervals import t_quantile
from rankscope.analysis.sampling.machine_judge import corrected_columns
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import divide, sums_by

KAPPAS = (0.5, 0.7, 0.9)
ERRORS = ("independent", "correlated within a query", "differ by class of queries")
SIZES = ((10, 90), (20, 180), (50, 450))  # queries of people, and of the machine alone
TRIED = (10, 15, 20, 25, 30)  # queries of people from which to correct; nine times as many of the machine alone
MEASURES = ("AP", "nDCG@10", "P@10")
MACHINE_SAMPLES = 4_000
LABELLINGS = 20  # labels of each query that are drawn from
SHIFT = 1.0  # by how much the log-odds of an error vary between queries, or classes
EASY, REST = 20, 25.0  # items in anybody's first 20 are accepted wrongly so many times as often as the rest
DEPTH = 10
LEAST = np.array([0.0] * 6 + [-1.0] * 3)  # of two runs, and of their differences; the most is 1


@dataclass(frozen=True, eq=False)
class Pool:
    """The pool of a source: its relevant items by grade, and where two runs have them."""

    query: IntArray
    grade: FloatArray
    best: IntArray
    judged: BoolArray
    ranks: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, source: Source) -> Pool:
        rows = source.rows
        query = rows.get_column("query").rank("dense").to_numpy().astype(np.int64) - 1
        ranks = [rows.get_column(each).cast(pl.Float64).fill_null(np.inf).to_numpy() for each in ("a", "b")]
        return cls(
            query=query,
            grade=rows.get_column("grade").fill_null(0.0).to_numpy(),
            best=rows.get_column("rank").to_numpy(),
            judged=rows.get_column("grade").is_not_null().to_numpy(),
            ranks=(ranks[0], ranks[1]),
        )

    @property
    def queries(self) -> int:
        return int(self.query.max()) + 1

    def values(self, grade: FloatArray) -> FloatArray:
        """Queries x (measures of the first run, of the second, differences)."""
        runs = [self._of_run(rank, grade) for rank in self.ranks]
        return np.concatenate([*runs, runs[1] - runs[0]], axis=1)

    def _of_run(self, rank: FloatArray, grade: FloatArray) -> FloatArray:
        relevant = grade > 0
        every = np.bincount(self.query[relevant], minlength=self.queries).astype(np.float64)
        found = np.flatnonzero(relevant & np.isfinite(rank))
        found = found[np.lexsort((rank[found], self.query[found]))]
        query, at = self.query[found], rank[found]
        position = np.arange(found.size) - np.searchsorted(query, query) + 1.0
        first = at <= DEPTH
        ap = np.bincount(query, position / at, self.queries)
        gain = np.bincount(query[first], grade[found][first] / np.log2(at[first] + 1.0), self.queries)
        hits = np.bincount(query[first], minlength=self.queries)
        with np.errstate(invalid="ignore", divide="ignore"):
            columns = [ap / every, gain / self._ideal(grade), hits / DEPTH]
        return np.nan_to_num(np.stack(columns, axis=1))

    def _ideal(self, grade: FloatArray) -> FloatArray:
        found = np.flatnonzero(grade > 0)
        found = found[np.lexsort((-grade[found], self.query[found]))]
        query = self.query[found]
        place = np.arange(found.size) - np.searchsorted(query, query) + 1.0
        first = place <= DEPTH
        return sums_by(query[first], grade[found][first] / np.log2(place[first] + 1.0), self.queries)


def labels(pool: Pool, rate: float, errors: str, chance: np.random.Generator) -> FloatArray:
    """What a machine says that misses `rate` of the relevant and accepts as much of what looks relevant."""
    shift = np.zeros(pool.queries)
    if errors == ERRORS[1]:
        shift = SHIFT * chance.standard_normal(pool.queries)
    elif errors == ERRORS[2]:
        shift = np.where(np.arange(pool.queries) % 2 == 0, SHIFT, -SHIFT)
    odds = rate / (1.0 - rate) * np.exp(shift[pool.query])
    error = odds / (1.0 + odds)
    wrongly = np.where(pool.grade > 0, error, np.where(pool.best <= EASY, error, error / REST))
    said: FloatArray = np.where(chance.random(error.size) < wrongly, pool.grade <= 0, pool.grade > 0).astype(np.float64)
    return said


def kappa_of(pool: Pool, said: FloatArray) -> float:
    """On the pairs that people judged."""
    pairs = 2 * (pool.grade[pool.judged] > 0) + (said[pool.judged] > 0)
    return float(cohen_kappa(np.bincount(pairs.astype(np.int64), minlength=4).reshape(2, 2)))


def rate_for(pool: Pool, kappa: float, errors: str) -> float:
    """The share of errors that gives a kappa."""
    low, high = 1e-4, 0.6
    for _ in range(14):
        middle = (low + high) / 2.0
        reached = kappa_of(pool, labels(pool, middle, errors, np.random.default_rng(7)))
        low, high = (middle, high) if reached > kappa else (low, middle)
    return high


@dataclass(frozen=True)
class MachineHeld:
    """Of one machine and one size of sample: how often the truth was held, the lowest and the mean over measures."""

    source: str
    kappa: float
    errors: str
    people: int
    others: int
    corrected: FloatArray
    machine: FloatArray
    width: FloatArray  # mean, of the corrected interval
    wider: FloatArray  # share of samples in which it is wider than Student's of people
    of_t: FloatArray  # mean width of Student's
    worth: FloatArray


def simulate_machine(
    pool: Pool, name: str, kappa: float, errors: str, size: tuple[int, int], samples: int
) -> MachineHeld:
    """Queries are drawn with replacement; each time one of several labellings of the query is met."""
    chance = np.random.default_rng([int(100 * kappa), ERRORS.index(errors), *size])
    rate = rate_for(pool, kappa, errors)
    human = pool.values(pool.grade)
    said = np.stack([pool.values(labels(pool, rate, errors, chance)) for _ in range(LABELLINGS)])
    truth, (n, many) = human.mean(axis=0), size
    query, which = (chance.integers(0, most, (n + many, samples)) for most in (pool.queries, LABELLINGS))
    y, f = human[query[:n]].reshape(n, -1), said[which, query].reshape(n + many, -1)  # each sample's nine columns
    found = corrected_columns(y, f[:n], f[n:], small_sample=True, bounds=(np.tile(LEAST, samples), 1.0))
    of_t = t_quantile(0.95, n - 1) * y.std(axis=0, ddof=1) / np.sqrt(n)
    alone = t_quantile(0.95, len(f) - 1) * f.std(axis=0, ddof=1) / np.sqrt(len(f))
    true, width = np.tile(truth, samples), found.high - found.low
    columns = (
        (found.low <= true) & (true <= found.high),
        np.abs(f.mean(axis=0) - true) <= alone,
        width,
        found.half > of_t,
        2 * of_t,
        n * divide(of_t, found.half) ** 2,
    )
    held = [np.nanmean(each.reshape(samples, -1), axis=0) for each in columns]
    return MachineHeld(name, kappa, errors, n, many, *held)


def people_held(pool: Pool, n: int, samples: int) -> tuple[FloatArray, FloatArray]:
    """How often the interval of people alone holds the truth, and its mean width: no machine has a part in it."""
    human = pool.values(pool.grade)
    chance = np.random.default_rng([1, n])
    drawn = human[chance.integers(0, pool.queries, (n, samples))].reshape(n, -1)
    made = mean_intervals(drawn, bounds=(np.tile(LEAST, samples), 1.0))
    true = np.tile(human.mean(axis=0), samples)
    columns = ((made.low <= true) & (true <= made.high), made.high - made.low)
    held, width = (each.reshape(samples, -1).mean(axis=0) for each in columns)
    return held, width


def widths_by_queries(known: list[Source], samples: int) -> Iterator[tuple[int, float, MachineHeld]]:
    """What decides from how many queries on means are corrected."""
    for source, n, kappa, errors in product(known, TRIED, KAPPAS, ERRORS):
        yield n, kappa, simulate_machine(Pool.of(source), source.name, kappa, errors, (n, 9 * n), samples)


def machines(known: list[Source], samples: int) -> Iterator[MachineHeld]:
    """All machines on all sources."""
    for source in known:
        pool = Pool.of(source)
        for kappa, errors, size in product(KAPPAS, ERRORS, SIZES):
            yield simulate_machine(pool, source.name, kappa, errors, size, samples)
