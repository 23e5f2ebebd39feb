"""How often intervals of means hold the truth where units are few: the default, BCa and Student's t on real rankings.

Samples of 2 to 50 queries, or classes, are drawn with replacement from all those of a real run; the truth is the mean
over all of them. BCa and t are as textbooks have them: t leaves the range, and of equal values both have no width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.forecast_cases import DATA
from benchmarks.lengths import length
from benchmarks.real_units import ROBUST_RUNS, TEXT_RUNS, Population, class_populations
from rankscope.analysis.statistics.bootstrap import bootstrap_means
from rankscope.analysis.statistics.mean_intervals import mean_intervals, t_intervals
from rankscope.analysis.statistics.resampling import class_numbers
from rankscope.analysis.statistics.sampling_units import unit_values
from rankscope.core.arrays import FloatArray
from rankscope.measures.evaluation.evaluate import evaluate

SIZES = (2, 3, 5, 10, 24, 25, 50)
SEED = 0
TRIALS = length(2_000, 40)
DRAWS = 2_000  # fewer than in earnest: limits vary more with the seed, coverage does not
VALUES = 400_000  # of one table of samples
COVID_RUNS = ("BM25R2", "OHSU_RUN1", "UIowaS_Run3", "sab20.1.blind")
SOURCES: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (  # folder, judgements, runs, measures
    ("Robust 2003", "trec-robust03/qrels.txt.gz", ROBUST_RUNS, ("AP", "RR", "nDCG@10", "DCG@10")),
    ("TREC-COVID", "trec-covid-r1/qrels-rnd1.txt", COVID_RUNS, ("AP", "nDCG@10")),
    ("Cranfield", "text/cranfield/qrels.txt", TEXT_RUNS, ("RR",)),
    ("CISI", "text/cisi/qrels.txt", TEXT_RUNS, ("AP",)),
    ("NPL", "text/npl/qrels.txt", TEXT_RUNS, ("P@10",)),
    ("Medline", "text/medline/qrels.txt", TEXT_RUNS, ("RR",)),
)
Bounds = tuple[float, float]
Limits = Callable[[FloatArray, list[str] | None, Bounds], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class Scored:
    """The values of one measure on all queries of a run, and the units that samples draw."""

    name: str  # of the source, and the measure
    values: FloatArray
    bounds: Bounds
    classes: tuple[str, ...] | None = None

    def members(self) -> FloatArray:
        """The values of each unit in a row, filled with NaN to the longest."""
        if self.classes is None:
            return self.values[:, None]
        number = class_numbers(self.classes)
        parts = [self.values[number == each] for each in range(int(number.max()) + 1)]
        table = np.full((len(parts), max(map(len, parts))), np.nan)
        for row, part in zip(table, parts, strict=True):
            row[: len(part)] = part
        return table

    def samples(self, units: int, trials: int) -> Iterator[tuple[FloatArray, list[str] | None]]:
        """Tables of samples, one a column, and the unit of each row where units are classes."""
        chance, table = np.random.default_rng([SEED, units]), self.members()
        names = None if self.classes is None else [str(unit) for unit in range(units) for _ in range(table.shape[1])]
        while trials:
            some = min(trials, max(1, VALUES // (units * table.shape[1])))
            yield table[chance.integers(0, len(table), (some, units))].reshape(some, -1).T, names
            trials -= some


def default(values: FloatArray, classes: list[str] | None, bounds: Bounds) -> tuple[FloatArray, FloatArray]:
    made = mean_intervals(values, classes, resamples=DRAWS, seed=SEED, bounds=bounds)
    return made.low, made.high


def bca(values: FloatArray, classes: list[str] | None, bounds: Bounds) -> tuple[FloatArray, FloatArray]:
    made = bootstrap_means(unit_values(values, classes), how="bca", resamples=DRAWS, seed=SEED)
    return made.low, made.high


def student(values: FloatArray, classes: list[str] | None, bounds: Bounds) -> tuple[FloatArray, FloatArray]:
    rows = unit_values(values, classes)
    made, mean = t_intervals(rows), rows.mean(axis=0)
    return np.where(np.isnan(made.low), mean, made.low), np.where(np.isnan(made.high), mean, made.high)


INTERVALS: dict[str, Limits] = {"default": default, "BCa": bca, "Student's t": student}


@dataclass(frozen=True)
class Held:
    """The share of samples whose interval holds the truth, has no width, or reaches beyond the range."""

    coverage: float
    flat: float
    beyond: float


def held(scored: Scored, how: str, units: int, trials: int = TRIALS) -> Held:
    """Of samples of so many units. Without an interval (equal values and no range) nothing is claimed: left out."""
    ends = [INTERVALS[how](table, names, scored.bounds) for table, names in scored.samples(units, trials)]
    low, high = (np.concatenate(each) for each in zip(*ends, strict=True))
    known = ~np.isnan(low)
    low, high, truth = low[known], high[known], scored.values.mean()
    near = 1e-12 * max(1.0, abs(truth))
    return Held(
        coverage=float(((low <= truth + near) & (truth - near <= high)).mean()),
        flat=float((high - low <= near).mean()),
        beyond=float(((low < scored.bounds[0] - near) | (high > scored.bounds[1] + near)).mean()),
    )


def scored_runs() -> dict[str, list[Scored]]:
    """Every run of which the data are there, by source and measure."""
    found: dict[str, list[Scored]] = {}
    for source, path, runs, measures in SOURCES:
        for each in _of_source(source, DATA / path, runs, measures):
            found.setdefault(each.name, []).append(each)
    for population in class_populations():
        each = _of_classes(population)
        found.setdefault(each.name, []).append(each)
    return found


def _of_source(source: str, qrels: Path, wanted: tuple[str, ...], measures: tuple[str, ...]) -> Iterator[Scored]:
    files = (qrels.parent / "runs").glob("*.gz")
    runs = {path.name: path for path in files if path.name.removesuffix(".gz").removesuffix(".run") in wanted}
    if runs:
        for system in evaluate(qrels, runs, list(measures)).systems:
            for column in system.columns:
                name = f"{source} {column.asked}"
                yield Scored(name, column.values[column.counted], column.measure.bounds())


def _of_classes(population: Population) -> Scored:
    return Scored(f"{population.source}: AP over classes", population.scores, (0.0, 1.0), population.classes)


def report() -> str:
    """How often each interval holds, and how often one has no width or leaves the range."""
    known = scored_runs()
    results = {
        (name, how, units): [held(each, how, units) for each in some]
        for name, some in known.items()
        for how in INTERVALS
        for units in SIZES
    }
    assert all(each.flat == each.beyond == 0 for key, some in results.items() if key[1] == "default" for each in some)
    parts = [
        f"Share of {TRIALS:,} samples whose nominal 95 % interval of the mean holds the truth, the lowest over the "
        "runs, by the number of queries or classes in a sample. Samples are drawn from real rankings with replacement, "
        f"the truth is the mean of all units drawn from; seed {SEED}, {DRAWS:,} draws. Default: bounded below 25 units "
        "(Student's t for DCG@10, which has no range; samples of equal values have none), BCa from 25 on, within the "
        "range and never without width. BCa and Student's t are as textbooks have them.",
        _table(_coverage_rows(known, results)),
        "Share of samples whose BCa or t interval has no width, because all values drawn are equal, and whose t "
        "interval reaches beyond the range of the measure; the highest over the runs. Of the default both are 0 "
        "everywhere.",
        _table(_fault_rows(known, results)),
    ]
    return "\n\n".join(parts) + "\n"


Results = dict[tuple[str, str, int], list[Held]]


def _coverage_rows(known: dict[str, list[Scored]], results: Results) -> Iterator[list[str]]:
    yield ["runs x units", "interval", *map(str, SIZES)]
    for name, some in known.items():
        for how in INTERVALS:
            cells = [min(each.coverage for each in results[name, how, units]) for units in SIZES]
            yield [f"{name}: {len(some)} x {len(some[0].members())}", how, *(f"{cell:.3f}" for cell in cells)]


def _fault_rows(known: dict[str, list[Scored]], results: Results) -> Iterator[list[str]]:
    yield ["runs", *(f"no width, {units}" for units in SIZES), *(f"t beyond, {units}" for units in SIZES)]
    for name in known:
        flat = [max(each.flat for each in results[name, "BCa", units]) for units in SIZES]
        beyond = [max(each.beyond for each in results[name, "Student's t", units]) for units in SIZES]
        yield [name, *(f"{cell:.3f}" for cell in (*flat, *beyond))]


def _table(rows: Iterator[list[str]]) -> str:
    head, *others = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
