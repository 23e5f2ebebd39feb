"""How often bands and intervals hold the truth: samples of real rankings, whose true mean is that of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, pairwise, product

import numpy as np

from benchmarks.real_units import LEVELS, Population, populations
from rankscope.analysis.statistics.bands import band
from rankscope.analysis.statistics.bootstrap import Intervals, bootstrap_means
from rankscope.analysis.statistics.mean_intervals import Bounds, mean_intervals
from rankscope.analysis.statistics.sampling_units import unit_values
from rankscope.core.arrays import BoolArray, FloatArray

SIZES = (10, 25, 50, 100)
WIDTH_AT = 25
TRIALS, FEWER_TRIALS = 1_000, 200
WAYS = {"unseen-unit": TRIALS, "bonferroni": FEWER_TRIALS, "sup-t": FEWER_TRIALS}
INTERVALS = ("bca", "bounded")
DIFFERENCES = (-1.0, 1.0)
DRAWS = 2_000  # fewer than in earnest: limits vary more with the seed, coverage does not


@dataclass(frozen=True, eq=False)
class Bands:
    """Of each sample: whether the whole true curve lies within, how many levels have limits, half of the width."""

    held: BoolArray
    levels: FloatArray
    half: FloatArray  # samples x levels

    @property
    def coverage(self) -> float:
        return float(self.held.mean())


def bands(
    population: Population, how: str, units: int, trials: int, bounds: Bounds = (0.0, 1.0), told: bool = True
) -> Bands:
    """Bands of samples; unless `told`, queries of one class are taken for independent ones."""
    truth = population.curves.mean(axis=0)
    chance = np.random.default_rng([units, 1])
    results = []
    for trial in range(trials):
        sample = population.sample(chance, units)
        classes = sample.classes if told else None
        results.append(band(sample.curves, None, how, 0.95, classes, DRAWS, trial, bounds))
    return Bands(
        np.array([bool((each.holds(truth) | (np.abs(each.mean - truth) < 1e-12)).all()) for each in results]),
        np.array([np.isfinite(each.low).sum() for each in results], dtype=np.float64),
        np.array([(each.high - each.low) / 2 for each in results]),
    )


def relative_width(wide: Bands, narrow: Bands) -> float:
    """The median over levels and samples of one half-width over another, where the other is not 0."""
    samples = min(len(wide.half), len(narrow.half))
    ours, theirs = wide.half[:samples], narrow.half[:samples]
    return float(np.median(ours[theirs > 0] / theirs[theirs > 0]))


def interval_coverage(population: Population, how: str, units: int, trials: int) -> float:
    """How often the interval of mean AP holds the mean over the population."""
    truth = population.scores.mean()
    chance = np.random.default_rng([units, 2])
    samples = [population.sample(chance, units) for _ in range(trials if population.classes is None else FEWER_TRIALS)]
    if population.classes is None:
        intervals = _intervals(np.stack([each.scores for each in samples], axis=1), None, how)
        return float(((intervals.low <= truth) & (truth <= intervals.high)).mean())
    limits = [_intervals(each.scores[:, None], each.classes, how) for each in samples]
    return float(np.mean([each.low[0] <= truth <= each.high[0] for each in limits]))


def _intervals(values: FloatArray, classes: Sequence[str] | None, how: str) -> Intervals:
    """BCa as it is, without what `mean_intervals` does where values are equal."""
    if how == "bca":
        return bootstrap_means(unit_values(values, classes), how=how, resamples=DRAWS)
    return mean_intervals(values, classes, how=how, resamples=DRAWS)


Scores = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
SCORES: dict[str, tuple[Scores, float]] = {  # with the true mean
    "bounded, as AP: beta(0.5, 1)": (lambda chance, shape: chance.beta(0.5, 1.0, shape), 1 / 3),
    "skewed: beta(0.3, 3)": (lambda chance, shape: chance.beta(0.3, 3.0, shape), 1 / 11),
    "tied: P@5, beta(1, 2) chance": (lambda chance, shape: chance.binomial(5, chance.beta(1.0, 2.0, shape)) / 5, 1 / 3),
    "tied: success, 20% of queries": (lambda chance, shape: chance.binomial(1, 0.2, shape).astype(np.float64), 0.2),
}


def simulated_coverage(name: str, queries: int, trials: int, how: str) -> float:
    """How often the interval of a mean holds the true mean of simulated scores."""
    make, truth = SCORES[name]
    values = make(np.random.default_rng([0, queries]), (queries, trials))
    intervals = _intervals(values, None, how)
    return float(((intervals.low <= truth) & (truth <= intervals.high)).mean())


@dataclass(frozen=True, eq=False)
class Measured:
    """What samples of one population show: bands by way and units, shares by units of what else was asked."""

    population: Population
    bands: dict[tuple[str, int], Bands]
    untold: dict[int, float] = field(default_factory=dict)  # whole curves held where classes are not told
    intervals: dict[tuple[str, int], float] = field(default_factory=dict)  # means of AP held

    @property
    def width(self) -> float:
        """Half-width over Bonferroni's."""
        return relative_width(self.bands["unseen-unit", WIDTH_AT], self.bands["bonferroni", WIDTH_AT])


def measured(population: Population, trials: int) -> Measured:
    """Every way at every number of units."""
    results = {
        (how, size): bands(population, how, size, min(trials, most)) for how, most in WAYS.items() for size in SIZES
    }
    untold = [] if population.classes is None else SIZES
    return Measured(
        population,
        results,
        {size: bands(population, "unseen-unit", size, FEWER_TRIALS, told=False).coverage for size in untold},
        {(how, size): interval_coverage(population, how, size, trials) for how in INTERVALS for size in SIZES},
    )


def measured_difference(population: Population) -> Measured:
    """Of differences of two runs: the two ways for the whole curve."""
    ways = product(("unseen-unit", "bonferroni"), SIZES)
    return Measured(population, {way: bands(population, *way, FEWER_TRIALS, DIFFERENCES) for way in ways})


def differences(known: Sequence[Population]) -> list[Population]:
    """Neighbouring runs of one source, the second minus the first."""
    pairs = [(one, two) for one, two in pairwise(known) if one.source == two.source and one.classes is None]
    return [replace(two, curves=two.curves - one.curves, run=f"{two.run} minus {one.run}") for one, two in pairs]


def report(trials: int = TRIALS) -> str:
    """All tables, in Markdown."""
    known = list(populations())
    with ProcessPoolExecutor() as pool:
        results = list(pool.map(partial(measured, trials=trials), known))
        pairs = list(pool.map(measured_difference, differences(known)))
    parts = [
        f"Bands of precision at ten recall levels, nominal 95%, {trials:,} samples ({FEWER_TRIALS} for Bonferroni and "
        "sup-t) of real rankings; units are drawn with replacement, the truth is the mean curve of all units drawn "
        "from. The lowest share of samples, over the runs, with the whole true curve within the band.",
        _table(_band_rows(results, tuple(WAYS))),
        f"Half-width over Bonferroni's at {WIDTH_AT} units, median over levels and samples of a run (levels at which "
        "Bonferroni has no width at all left out), and levels that have limits.",
        _table(_width_rows(results)),
        f"Differences of two runs (neighbours in the alphabet), {FEWER_TRIALS} samples: the same.",
        _table(_band_rows(pairs, ("unseen-unit", "bonferroni"))),
        _table(_width_rows(pairs)),
        f"Classes as sampling units, and what happens where their queries are taken for independent ones: whole true "
        f"curve within the default band, {FEWER_TRIALS} samples where they are.",
        _table(_class_rows(results)),
        f"Intervals of mean AP at nominal 95%, {trials:,} samples ({FEWER_TRIALS} where classes are drawn): lowest and "
        "median share over the runs. bca: bootstrap; bounded: one unseen unit.",
        _table(_interval_rows(results)),
        f"Intervals of means of simulated scores at nominal 95%, {trials:,} trials.",
        _table(_simulated_rows(trials)),
    ]
    return "\n\n".join(parts) + "\n"


def sources(measurements: Sequence[Measured]) -> Iterator[tuple[str, list[Measured]]]:
    """The populations of one source together, with their number and that of their units."""
    for source, group in groupby(measurements, key=lambda each: each.population.source):
        runs = list(group)
        first = runs[0].population
        yield f"{source}: {len(runs)} x {first.units} {'queries' if first.classes is None else 'classes'}", runs


def _band_rows(measurements: Sequence[Measured], ways: Sequence[str]) -> Iterator[list[str]]:
    yield ["runs x units", *(f"{how}, {size}" for how in ways for size in SIZES)]
    for title, runs in sources(measurements):
        shares = [min(each.bands[way].coverage for each in runs) for way in product(ways, SIZES)]
        yield [title, *(f"{share:.3f}" for share in shares)]


def _width_rows(measurements: Sequence[Measured]) -> Iterator[list[str]]:
    yield ["runs x units", "median run", "widest run", "its name", "levels with limits"]
    for title, runs in sources(measurements):
        ratios = [each.width for each in runs]
        levels = min(each.bands["unseen-unit", size].levels.min() for each in runs for size in SIZES)
        widest = runs[int(np.argmax(ratios))].population.run
        yield [title, f"{np.median(ratios):.2f}", f"{max(ratios):.2f}", widest, f"{levels:.0f} of {LEVELS}"]
    every = [each.width for each in measurements]
    yield ["all", f"{np.median(every):.2f}", f"{max(every):.2f}", "", ""]


def _class_rows(measurements: Sequence[Measured]) -> Iterator[list[str]]:
    yield ["classes", *(f"{size}, {word}" for size in SIZES for word in ("classes are units", "queries are"))]
    for each in measurements:
        if each.untold:
            pairs = [(each.bands["unseen-unit", size].coverage, each.untold[size]) for size in SIZES]
            name = f"{each.population.source}, {each.population.run}"
            yield [name, *(f"{share:.3f}" for pair in pairs for share in pair)]


def _interval_rows(measurements: Sequence[Measured]) -> Iterator[list[str]]:
    yield ["runs x units", *(f"{how}, {size}" for how in INTERVALS for size in SIZES)]
    for title, runs in sources(measurements):
        shares = [[each.intervals[way] for each in runs] for way in product(INTERVALS, SIZES)]
        yield [title, *(f"{min(each):.3f}, {np.median(each):.3f}" for each in shares)]


def _simulated_rows(trials: int) -> Iterator[list[str]]:
    yield ["scores", *(f"{how}, {queries} queries" for queries in SIZES for how in INTERVALS)]
    for name in SCORES:
        cells = [simulated_coverage(name, queries, trials, how) for queries in SIZES for how in INTERVALS]
        yield [name, *(f"{share:.3f}" for share in cells)]


def _table(rows: Iterator[list[str]]) -> str:
    head, *others = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
