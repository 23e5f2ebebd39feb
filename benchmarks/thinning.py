"""Exact thinning against Monte Carlo, and the generality graph of 20,000 queries."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.forecast_cases import DATA
from rankscope import nearest_ranks
from rankscope.analysis.curves.curve import with_relevant_items
from rankscope.analysis.curves.generality import grip
from rankscope.analysis.curves.thinning import expected_hits, expected_value
from rankscope.core.arrays import FloatArray
from rankscope.inputs import collections
from rankscope.inputs.collections.sample import pixels
from rankscope.measures import AP
from rankscope.ranks.relevant_ranks import RelevantRanks

THINNINGS = 10_000
SAMPLED = 60  # queries; Monte Carlo takes the better part of a second for each
LEVEL = 6  # G of the thinned collections: 64 items for each relevant one
LEVELS = range(1, 15)


def report() -> str:
    """Both tables."""
    return f"{_against_monte_carlo(_shipped())}\n\n{_all_levels()}\n"


def _shipped() -> RelevantRanks:
    icons = collections.icons()
    return nearest_ranks(pixels(icons.images), icons.labels, "l1")


def _against_monte_carlo(ranks: RelevantRanks) -> str:
    """The same means both ways, from ranks of the icons that ship with rankscope."""
    kept = ranks.relevant * (2**LEVEL - 1)
    possible = np.flatnonzero(kept <= ranks.collection - ranks.relevant)
    ranks = with_relevant_items(ranks.take(possible))
    kept = ranks.relevant * (2**LEVEL - 1)
    chosen = np.random.default_rng(0).choice(len(ranks), SAMPLED, replace=False)
    hits = _seconds(lambda: expected_hits(ranks, kept, ranks.relevant))
    precision = _seconds(lambda: expected_value(ranks, kept, AP()))
    exact = np.stack(
        [
            expected_hits(ranks, kept, ranks.relevant).over(ranks.relevant).low[chosen],
            expected_value(ranks, kept, AP()).low[chosen],
        ]
    )
    lines = [
        f"{len(ranks):,} queries on the shipped icons, collections thinned to 64 items for each relevant one; Monte "
        f"Carlo with {THINNINGS:,} thinnings on {SAMPLED} of them. z: mean of Monte Carlo minus the exact mean, in "
        "standard errors of Monte Carlo; it should scatter as a standard normal does.",
        "",
        "| way | ms a query | exact is faster | mean z, p = r | sd of z | mean z, AP | sd of z |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    own = 1000 * np.array([hits, precision]) / len(ranks)
    lines.append(f"| exact, p = r | {own[0]:.4f} |  |  |  |  |  |")
    lines.append(f"| exact, AP | {own[1]:.4f} |  |  |  |  |  |")
    for name, draw in (("keeping items at random, then counting", _plain), ("drawing the gaps between hits", _gaps)):
        begin = time.perf_counter()
        values = np.array([_simulated(ranks, row, int(kept[row]), draw) for row in chosen.tolist()])
        spent = 1000 * (time.perf_counter() - begin) / SAMPLED
        text = " | ".join(_scatter(values[:, each], exact[each]) for each in range(2))
        lines.append(f"| Monte Carlo, {name} | {spent:.0f} | {spent / own.sum():,.0f} times (both at once) | {text} |")
    return "\n".join(lines)


def _scatter(values: FloatArray, exact: FloatArray) -> str:
    """Mean and sd of z over the queries in which some thinnings differed."""
    random = values[:, 1] > 1e-9
    z = (values[random, 0] - exact[random]) / values[random, 1]
    return f"{z.mean():+.2f} | {z.std():.2f}"


Draw = Callable[[FloatArray, int, int], FloatArray]


def _simulated(ranks: RelevantRanks, row: int, kept: int, draw: Draw) -> list[list[float]]:
    """Mean and standard error of p = r and of AP over the thinnings."""
    one = ranks.take(np.array([row]))
    count = int(one.relevant[0])
    above = (one.ranks - one.position).astype(np.float64)
    left = draw(above, int(one.collection[0]) - count, kept)  # thinnings x hits
    rank = left + np.arange(1, count + 1)
    values = [(rank <= count).mean(axis=1), (np.arange(1, count + 1) / rank).mean(axis=1)]
    return [[float(each.mean()), float(each.std(ddof=1)) / THINNINGS**0.5] for each in values]


def _plain(above: FloatArray, distractors: int, kept: int) -> FloatArray:
    """Which distractors stay, thinning by thinning; then how many of them stand above each hit."""
    chance = np.random.default_rng(1)
    left = np.empty((THINNINGS, above.size))
    for each in range(THINNINGS):
        stays = np.sort(chance.choice(distractors, kept, replace=False))
        left[each] = np.searchsorted(stays, above)
    return left


def _gaps(above: FloatArray, distractors: int, kept: int) -> FloatArray:
    """How many stay between each hit and the next, all thinnings at once."""
    between = np.diff(np.concatenate([[0.0], above, [distractors]])).astype(np.int64)
    drawn = np.random.default_rng(1).multivariate_hypergeometric(between, kept, THINNINGS, method="marginals")
    return np.cumsum(drawn, axis=1)[:, :-1].astype(np.float64)


def _all_levels() -> str:
    """Generality over 14 levels for every item of icons20k that has a class mate."""
    if not (DATA / "icons20k").is_dir():
        return "icons20k is not there: its generality graph was not timed."
    with np.load(DATA / "icons20k" / "icons.npz") as file:
        pictures, labels = file["images"], file["labels"]
    ranks = nearest_ranks(pictures.reshape(len(pictures), -1), labels, "l1")
    first, again = (_spent(lambda: grip(ranks, levels=LEVELS, members="varying"), each) for each in (1, 5))
    return "\n".join(
        [
            f"icons20k: {len(ranks):,} items are queries (the others have no class mate), 20,000 in the collection.",
            "",
            "| what, once ranks are there | processor seconds | wall, s |",
            "|---|---:|---:|",
            f"| GRiP at 14 levels of generality, first time | {first[0]:.2f} | {first[1]:.2f} |",
            f"| GRiP at 14 levels of generality, again, best of five | {again[0]:.2f} | {again[1]:.2f} |",
        ]
    )


def _spent(work: Callable[[], object], repeat: int) -> tuple[float, float]:
    """Least processor time and least wall of so many times."""
    spent = []
    for _ in range(repeat):
        begin = time.process_time(), time.perf_counter()
        work()
        spent.append((time.process_time() - begin[0], time.perf_counter() - begin[1]))
    processor, wall = (min(each) for each in zip(*spent, strict=True))
    return processor, wall


def _seconds(work: Callable[[], object], repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)
