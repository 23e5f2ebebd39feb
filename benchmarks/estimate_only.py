"""Why some estimates have no interval: their bias next to their spread; and whether the mean of GRiP holds its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.estimate_data import DESIGNS, Source, Truth, truth_of
from rankscope.analysis.sampling.frame import Frame, Strata, rescaled_factors
from rankscope.analysis.sampling.intervals import SpreadRules
from rankscope.analysis.sampling.judged_run import DrawnHits, JudgedRun, inferred_ap
from rankscope.analysis.sampling.pools import POOLS, Sample
from rankscope.analysis.sampling.quantities import (
    GRIP_RESAMPLES,
    EstimateRules,
    RatioSums,
    SampledNormalisedGain,
    grip_sums,
    resampled_ratio,
)
from rankscope.core.arrays import FloatArray, IntArray

QUERIES = 30
SAMPLES, GRIP_SAMPLES = 100, 100
COLLECTIONS = {"Robust 2003": (528_155, 10), "TREC-COVID round 1": (51_103, 5)}  # items, and a level of G


@dataclass(frozen=True)
class Biased:
    """The mean of an estimate over samples minus the truth, its deviation over samples, and what would be held.

    `held`: how often the truth lies within 1.96 of these deviations, which no interval from one sample knows.
    """

    source: str
    design: str
    quantity: str
    bias: float
    deviation: float
    held: float


def biased(source: Source, design: str, samples: int = SAMPLES) -> list[Biased]:
    """Mean xinfAP and mean nDCG@10 of the same 30 queries, sample after sample."""
    whole = _whole_frame(source, DESIGNS[design])
    chance = np.random.default_rng(11)
    names = ("mean AP (xinfAP)", "mean nDCG@10")
    truth = _values(whole, whole.frame.grade)
    rows = np.array([_values(whole, _drawn_grades(whole.frame, chance)) for _ in range(samples)])
    found = []
    for column, name in enumerate(names):
        apart, deviation = rows[:, column] - truth[column], float(rows[:, column].std(ddof=1))
        held = float((np.abs(apart) <= 1.96 * deviation).mean())
        found.append(Biased(source.name, design, name, float(apart.mean()), deviation, held))
    return found


def _values(run: JudgedRun, grade: FloatArray) -> tuple[float, float]:
    frame = run.frame
    judged = np.bincount(frame.stratum[~np.isnan(grade)], minlength=len(frame.strata))
    strata = Strata(frame.strata.queries, frame.strata.query, frame.strata.name, frame.strata.size, judged)
    sampled = Frame(frame.queries, frame.table, frame.stratum, grade, strata)
    beside = JudgedRun("", sampled, run.rank, run.other_query, run.other_rank)
    gain = SampledNormalisedGain(10).of_queries(beside, EstimateRules()).value
    return float(np.nanmean(inferred_ap(beside))), float(np.nanmean(gain))


def _drawn_grades(frame: Frame, chance: np.random.Generator) -> FloatArray:
    """The grades of so many items of each stratum as the design draws, NaN for the others."""
    order = np.lexsort((chance.random(frame.stratum.size), frame.stratum))
    start = np.searchsorted(frame.stratum[order], np.arange(len(frame.strata)))
    place = np.arange(order.size) - start[frame.stratum[order]]
    grade = np.full(order.size, np.nan)
    kept = order[place < frame.strata.judged[frame.stratum[order]]]
    grade[kept] = frame.grade[kept]
    return grade


def _whole_frame(source: Source, design: str) -> JudgedRun:
    """All items of the first 30 queries with their grades; the strata say how many are to be drawn."""
    pool = POOLS.parse(design)
    assert isinstance(pool, Sample)
    some = source.rows.get_column("query").unique(maintain_order=True).head(QUERIES)
    rows = pool.banded(source.rows.filter(pl.col("query").is_in(some.implode()))).with_columns(
        pl.col("grade").fill_null(0.0)
    )
    frame = Frame.of(rows.select("query", "item", "stratum", "grade"))
    shares = {each.stratum: each for each in pool.bands}
    sizes = zip(frame.strata.name, frame.strata.size.tolist(), strict=True)
    judged = np.array([shares[name].size(size) for name, size in sizes])
    strata = Strata(frame.strata.queries, frame.strata.query, frame.strata.name, frame.strata.size, judged)
    rank = rows.get_column("a").cast(pl.Float64).fill_null(np.inf).to_numpy()
    nothing = np.zeros(0, dtype=np.int64)
    whole = Frame(frame.queries, frame.table, frame.stratum, frame.grade, strata)
    return JudgedRun("", whole, rank, nothing, nothing.astype(np.float64))


@dataclass(frozen=True)
class GripHeld:
    """GRiP at one level: how often its interval for queries like these holds the truth, and that of the plain mean."""

    source: str
    design: str
    level: int | None
    coverage: float
    bias: float
    width: float
    mean_bias: float  # of the mean of the queries' own values


def grip_held(source: Source, design: str, samples: int = GRIP_SAMPLES) -> list[GripHeld]:
    """30 queries drawn with replacement, their items drawn by the design."""
    size, level = COLLECTIONS[source.name]
    truth = truth_of(source, DESIGNS[design])
    found = []
    for each in (level, None):
        chance = np.random.default_rng(5)
        whole = truth.all_judged()
        true, true_mean = _values_of(_grip(whole, np.arange(truth.stratum.size), each, size, chance))
        rows = []
        for _ in range(samples):
            some = truth.take(chance.integers(0, truth.strata.queries, QUERIES))
            sums = _grip(some, some.draw(chance), each, size, chance)
            limits = resampled_ratio(sums, SpreadRules(certain=(0.0, 1.0), possible=(0.0, 1.0))).population
            rows.append((limits.low, limits.high, *_values_of(sums)))
        low, high, ratio, mean = np.array(rows).T
        found.append(
            GripHeld(
                source=source.name,
                design=design,
                level=each,
                coverage=float(((low <= true) & (true <= high)).mean()),
                bias=float(ratio.mean() - true),
                width=float((high - low).mean()),
                mean_bias=float(mean.mean() - true_mean),
            )
        )
    return found


def _values_of(sums: RatioSums) -> tuple[float, float]:
    """The ratio of totals, and the mean of the ratios."""
    some = sums.relevant > 0
    ratios = sums.value[some] / sums.relevant[some]
    return float(sums.value.sum() / sums.relevant.sum()), float(ratios.mean())


def _grip(truth: Truth, drawn: IntArray, level: int | None, size: int, chance: np.random.Generator) -> RatioSums:
    hits = DrawnHits.of(truth.strata, truth.stratum[drawn], truth.ranks[0][drawn])
    return grip_sums(hits, rescaled_factors(truth.strata, hits.stratum, chance, GRIP_RESAMPLES), level, size)
