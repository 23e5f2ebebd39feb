"""How often bands and intervals hold the truth: samples of real rankings, whose true mean is that of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, pairwise, product

import numpy as np

from benchmarks.real_units import Population, populations
from rankscope.arrays import BoolArray, FloatArray
from rankscope.statistics.bands import band
from rankscope.statistics.mean_intervals import WAYS as INTERVALS
from rankscope.statistics.mean_intervals import mean_intervals
from rankscope.statistics.unseen_unit import Bounds

SIZES = (10, 25, 50, 100)
WIDTH_AT = 25
TRIALS, FEWER_TRIALS = 1_000, 200
WAYS = {"unseen-unit": TRIALS, "bonferroni": TRIALS, "sup-t": FEWER_TRIALS}
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


@cache
def bands(
    population: Population, how: str, units: int, trials: int, bounds: Bounds = (0.0, 1.0), told: bool = True
) -> Bands:
    """Bands of samples; unless `told`, queries of one class are taken for independent ones."""
    truth = population.curves.mean(axis=0)
    chance = np.random.default_rng([units, 1])
    made = []
    for trial in range(trials):
        sample = population.sample(chance, units)
        classes = sample.classes if told else None
        made.append(band(sample.curves, None, how, 0.95, classes, DRAWS, trial, bounds))
    return Bands(
        np.array([bool((each.holds(truth) | (np.abs(each.mean - truth) < 1e-12)).all()) for each in made]),
        np.array([np.isfinite(each.low).sum() for each in made], dtype=np.float64),
        np.array([(each.high - each.low) / 2 for each in made]),
    )


def relative_width(wide: Bands, narrow: Bands) -> float:
    """The median over levels and samples of one half-width over another, where the other is not 0."""
    some = narrow.half > 0
    return float(np.median(wide.half[some] / narrow.half[some]))


def interval_coverage(population: Population, how: str, units: int, trials: int) -> float:
    """How often the interval of mean AP holds the mean over the population."""
    truth = population.scores.mean()
    chance = np.random.default_rng([units, 2])
    samples = [population.sample(chance, units) for _ in range(trials if population.classes is None else FEWER_TRIALS)]
    if population.classes is None:
        made = mean_intervals(np.stack([each.scores for each in samples], axis=1), how=how, resamples=DRAWS)
        return float(((made.low <= truth) & (truth <= made.high)).mean())
    limits = [mean_intervals(each.scores[:, None], each.classes, how=how, resamples=DRAWS) for each in samples]
    return float(np.mean([each.low[0] <= truth <= each.high[0] for each in limits]))


Scores = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
SCORES: dict[str, tuple[Scores, float]] = {  # with the true mean
    "bounded, as AP: beta(0.5, 1)": (lambda chance, shape: chance.beta(0.5, 1.0, shape), 1 / 3),
    "skewed: beta(0.3, 3)": (lambda chance, shape: chance.beta(0.3, 3.0, shape), 1 / 11),
    "tied: P@5, beta(1, 2) chance": (lambda chance, shape: chance.binomial(5, chance.beta(1.0, 2.0, shape)) / 5, 1 / 3),
    "tied: success, 20% of queries": (lambda chance, shape: chance.binomial(1, 0.2, shape).astype(np.float64), 0.2),
}  # fmt: skip


def simulated_coverage(name: str, queries: int, trials: int, how: str) -> float:
    """How often the interval of a mean holds the true mean of simulated scores."""
    make, truth = SCORES[name]
    values = make(np.random.default_rng([0, queries]), (queries, trials))
    made = mean_intervals(values, how=how, resamples=DRAWS)
    return float(((made.low <= truth) & (truth <= made.high)).mean())


def report(trials: int = TRIALS) -> str:
    """All tables, in Markdown."""
    known = list(populations())
    parts = [
        f"Bands of precision at ten recall levels, nominal 95%, {trials:,} samples ({FEWER_TRIALS} for sup-t) of real "
        "rankings; units are drawn with replacement, the truth is the mean curve of all units drawn from. The lowest "
        "share of samples, over the runs, with the whole true curve within the band.",
        _table(_band_rows(known, trials)),
        f"Half-width over Bonferroni's at {WIDTH_AT} units, median over levels and samples of a run (levels at which "
        "Bonferroni has no width at all left out), and levels that have limits.",
        _table(_width_rows(known, trials)),
        f"Differences of two runs (neighbours in the alphabet), {FEWER_TRIALS} samples: lowest and median share over "
        "the pairs with the whole true curve within, and the half-width of the median and of the widest pair.",
        _table(_difference_rows(known)),
        f"Classes as units of chance, and what happens where their queries are taken for independent ones: whole true "
        f"curve within the band, {FEWER_TRIALS} samples.",
        _table(_class_rows(known)),
        f"Intervals of mean AP at nominal 95%, {trials:,} samples ({FEWER_TRIALS} where classes are drawn): lowest and "
        "median share over the runs. bca: bootstrap; bounded: one unseen unit.",
        _table(_interval_rows(known, trials)),
        f"Intervals of means of simulated scores at nominal 95%, {trials:,} trials.",
        _table(_simulated_rows(trials)),
    ]
    return "\n\n".join(parts) + "\n"


def sources(known: Sequence[Population]) -> Iterator[tuple[str, list[Population]]]:
    """The populations of one source together, with their number and that of their units."""
    for source, group in groupby(known, key=lambda each: each.source):
        runs = list(group)
        yield f"{source}: {len(runs)} x {runs[0].units} {'queries' if runs[0].classes is None else 'classes'}", runs


def _band_rows(known: Sequence[Population], trials: int) -> Iterator[list[str]]:
    yield ["runs x units", *(f"{how}, {size}" for how in WAYS for size in SIZES)]
    for title, runs in sources(known):
        shares = [
            min(bands(each, how, size, min(trials, most)).coverage for each in runs)
            for how, most in WAYS.items()
            for size in SIZES
        ]
        yield [title, *(f"{share:.3f}" for share in shares)]


def _width_rows(known: Sequence[Population], trials: int) -> Iterator[list[str]]:
    yield ["runs x units", "median run", "widest run", "its name", "levels with limits"]
    every: list[float] = []
    for title, runs in sources(known):
        ours, theirs = ([bands(each, how, WIDTH_AT, trials) for each in runs] for how in ("unseen-unit", "bonferroni"))
        ratios = [relative_width(*pair) for pair in zip(ours, theirs, strict=True)]
        every += ratios
        levels = f"{min(each.levels.min() for each in ours):.0f} of {runs[0].curves.shape[1]}"
        yield [title, f"{np.median(ratios):.2f}", f"{max(ratios):.2f}", runs[int(np.argmax(ratios))].run, levels]
    yield ["all", f"{np.median(every):.2f}", f"{max(every):.2f}", "", ""]


def _difference_rows(known: Sequence[Population]) -> Iterator[list[str]]:
    ways = ("unseen-unit", "bonferroni")
    yield ["pairs", *(f"{how}, {size}" for how in ways for size in SIZES), f"half-width over Bonferroni's, {WIDTH_AT}"]
    for title, runs in sources([each for each in known if each.classes is None]):
        pairs = [replace(second, curves=second.curves - first.curves) for first, second in pairwise(runs)]
        cells = []
        for how, size in product(ways, SIZES):
            shares = [bands(each, how, size, FEWER_TRIALS, DIFFERENCES).coverage for each in pairs]
            cells.append(f"{min(shares):.3f}, {np.median(shares):.3f}")
        made = [[bands(each, how, WIDTH_AT, FEWER_TRIALS, DIFFERENCES) for how in ways] for each in pairs]
        widths = [relative_width(ours, theirs) for ours, theirs in made]
        yield [f"{title.split(':')[0]}: {len(pairs)}", *cells, f"{np.median(widths):.2f}, at most {max(widths):.2f}"]


def _class_rows(known: Sequence[Population]) -> Iterator[list[str]]:
    yield ["classes", *(f"{size}, {word}" for size in SIZES for word in ("classes are units", "queries are"))]
    for each in known:
        if each.classes is not None:
            cells = [
                bands(each, "unseen-unit", size, FEWER_TRIALS, told=told).coverage
                for size in SIZES
                for told in (True, False)
            ]
            yield [f"{each.source}, {each.run}", *(f"{share:.3f}" for share in cells)]


def _interval_rows(known: Sequence[Population], trials: int) -> Iterator[list[str]]:
    yield ["runs x units", *(f"{how}, {size}" for how in INTERVALS for size in SIZES)]
    for title, runs in sources(known):
        cells = []
        for how in INTERVALS:
            for size in SIZES:
                shares = [interval_coverage(each, how, size, trials) for each in runs]
                cells.append(f"{min(shares):.3f}, {np.median(shares):.3f}")
        yield [title, *cells]


def _simulated_rows(trials: int) -> Iterator[list[str]]:
    yield ["scores", *(f"{how}, {queries} queries" for queries in SIZES for how in INTERVALS)]
    for name in SCORES:
        cells = [simulated_coverage(name, queries, trials, how) for queries in SIZES for how in INTERVALS]
        yield [name, *(f"{share:.3f}" for share in cells)]


def _table(rows: Iterator[list[str]]) -> str:
    head, *others = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
