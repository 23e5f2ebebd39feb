"""The sequential gate on real runs: false alarms at any of 200 looks, and how soon it decides, and the fixed gate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.forecast_cases import DATA
from benchmarks.lengths import length
from benchmarks.null_differences import table
from rankscope.analysis.comparison.sequential import BETS, log_capital, log_capitals
from rankscope.analysis.statistics.power import queries_needed
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.workbench.pool import first_crossing
from rankscope.workbench.sources import read_ranking

ALPHA, MIN_EFFECT = 0.05, 0.01
TRIALS = length(2_000, 100)
PER_PAIR = length(100, 10)
ORDERS = length(20, 2)
LOOKS, EVERY = 200, 10
AT_ONCE = 200  # trials
CASES = (
    ("trec-robust03", "AP"),
    ("trec-robust03", "nDCG@10"),
    ("trec-robust03", "RR"),
    ("trec-covid-r1", "nDCG@10"),
    ("text/cranfield", "AP"),
    ("text/cisi", "AP"),
    ("text/cacm", "AP"),
    ("text/medline", "AP"),
    ("text/npl", "RR"),
)
NAMES = {
    "trec-robust03": "Robust 2003",
    "trec-covid-r1": "TREC-COVID, round 1",
    "text/cisi": "CISI",
    "text/cacm": "CACM",
    "text/npl": "NPL",
}
LOSSES = ((0.02, 4), (0.05, 6), (0.1, 6))  # a true loss, and how many times the queries of the fixed gate it may take


@dataclass(frozen=True)
class Decided:
    """Of one loss, over all pairs of runs: a row for each pair."""

    loss: float
    times: int
    needed: IntArray  # queries that the fixed gate needs for 80 % power
    first: FloatArray  # pairs x trials: queries until it is decided worse; infinite: not within the horizon

    @property
    def within(self) -> FloatArray:
        """The share of trials of each pair that is decided within so many times the queries of the fixed gate."""
        return np.asarray((self.first <= self.times * self.needed[:, None]).mean(axis=1))


def alarms(collection: str, measure: str, trials: int = TRIALS, seed: int = 0) -> tuple[float, float, float]:
    """How often one of 200 looks errs though nothing changed: the gate, compare's interval, and t tests at each look.

    In each trial a random pair of runs; what is doubted is its true mean difference, so that the bounds are shifted by
    it. Queries are drawn with replacement.
    """
    values = table(collection, measure).values
    pairs = np.array(list(combinations(range(values.shape[1]), 2)))
    chance = np.random.default_rng(seed)
    found = np.zeros(3)
    for start in range(0, trials, AT_ONCE):
        count = min(AT_ONCE, trials - start)
        first, second = pairs[chance.integers(0, len(pairs), count)].T
        rows = chance.integers(0, len(values), (count, LOOKS * EVERY))
        drawn = values[rows, second[:, None]] - values[rows, first[:, None]]
        means = (values.mean(axis=0)[second] - values.mean(axis=0)[first])[:, None]
        below = _highest(drawn, means)
        above = _highest(-drawn, -means)
        two_sided = np.maximum(below, above) >= math.log(2 / ALPHA)
        found += [(below >= -math.log(ALPHA)).sum(), two_sided.sum(), _t_alarms(drawn - means).sum()]
    one, both, naive = (found / trials).tolist()
    return one, both, naive


def _highest(values: FloatArray, means: FloatArray) -> FloatArray:
    """The highest logarithm of the capital at any look, for each trial; each has its own mean to be doubted."""
    gained = (means - values) / (1 - means)
    parts = [np.log1p(bet * gained).reshape(len(values), LOOKS, EVERY).sum(axis=2) for bet in BETS.tolist()]
    return np.asarray(log_capital(np.stack(parts, axis=-1).cumsum(axis=1)).max(axis=1))


def _t_alarms(values: FloatArray) -> BoolArray:
    """Whether a one-sided t test at 5 % shows a loss at any look."""
    from scipy.special import stdtrit

    counts = np.arange(EVERY, values.shape[1] + 1, EVERY)
    sums, squares = values.cumsum(axis=1)[:, counts - 1], (values**2).cumsum(axis=1)[:, counts - 1]
    variance = (squares - sums**2 / counts) / (counts - 1)
    t = sums / np.sqrt(counts * np.maximum(variance, 1e-30))
    return np.asarray((t < stdtrit(counts - 1, ALPHA)).any(axis=1))


def decided(loss: float, times: int, trials: int = PER_PAIR, seed: int = 0) -> Decided:
    """When a loss is decided, with the spread of each pair of runs of Robust 2003, AP; topics are drawn again."""
    values = table("trec-robust03", "AP").values
    chance = np.random.default_rng([seed, int(1000 * loss)])
    needed, first = [], []
    for one, other in combinations(range(values.shape[1]), 2):
        noise = values[:, other] - values[:, one]
        change = noise - noise.mean() - loss
        fixed = queries_needed(loss, float(noise.std(ddof=1)), sides=1)
        needed.append(fixed)
        first.append(_first_times(change, max(times * fixed, 400), trials, chance))
    return Decided(loss=loss, times=times, needed=np.array(needed), first=np.array(first))


def _first_times(change: FloatArray, horizon: int, trials: int, chance: np.random.Generator) -> FloatArray:
    """Queries until the gate says worse, looking 200 times up to the horizon."""
    looks = np.unique(np.ceil(np.linspace(horizon / LOOKS, horizon, LOOKS)).astype(int))
    rows = chance.integers(0, change.size, (trials, horizon))
    gains = log_capitals(change[:, None])
    capital = log_capital(np.stack([each[rows].cumsum(axis=1)[:, looks - 1] for each in gains.T], axis=-1))
    mean = change[rows].cumsum(axis=1)[:, looks - 1] / looks
    worse = (capital >= -math.log(ALPHA)) & (-mean > MIN_EFFECT)
    return np.where(worse.any(axis=1), looks[worse.argmax(axis=1)], np.inf)


@dataclass(frozen=True)
class Judged:
    """Judging until two runs are decided, for all pairs and some orders of the topics."""

    decided: float  # share of the trials
    against: float  # share of those where the whole set of topics says the opposite
    judged: float  # of the items that P@10 of both runs needs on all topics, the share that was judged, where decided
    topics: float  # their median where decided


def judged_until_decided(orders: int = ORDERS, seed: int = 0) -> Judged:
    """P@10 of each pair of runs of Robust 2003, topics in a random order: what the pool decide(10) asks for."""
    scores = table("trec-robust03", "P@10")
    folder = DATA / "trec-robust03" / "runs"
    first_ten = [_first_ten(folder / f"{name}.gz", scores.queries) for name in scores.systems]
    chance = np.random.default_rng(seed)
    found = []
    for one, other in combinations(range(len(first_ten)), 2):
        changes = scores.values[:, other] - scores.values[:, one]
        alone = np.array([len(a ^ b) for a, b in zip(first_ten[one], first_ten[other], strict=True)])
        whole = sum(len(a | b) for a, b in zip(first_ten[one], first_ten[other], strict=True))
        found += [_until_decided(changes, alone, whole, chance.permutation(changes.size)) for _ in range(orders)]
    sign, against, judged, topics = np.array(found).T
    done = sign != 0
    return Judged(
        decided=float(done.mean()),
        against=float(against[done].mean()),
        judged=float(judged[done].mean()),
        topics=float(np.median(topics[done])),
    )


def _until_decided(changes: FloatArray, alone: IntArray, whole: int, order: IntArray) -> tuple[float, ...]:
    """The sign of the decision, whether all topics say the opposite, the share judged, and how many topics it took."""
    sign, count = first_crossing(changes[order])
    return sign, float(sign * changes.mean() < 0), float(alone[order[:count]].sum() / whole), count


def _first_ten(path: Path, queries: tuple[str, ...]) -> list[set[str]]:
    ranked = read_ranking(path).filter(pl.col("rank") <= 10)
    lists = {query: set(items) for query, items in ranked.group_by("query").agg("item").iter_rows()}
    return [lists.get(query, set()) for query in queries]


def report() -> str:
    """False alarms at any look, times of decisions, and judgements until two runs are decided."""
    if not ((DATA / "trec-robust03").is_dir() and (DATA / "text").is_dir()):
        return ""
    return f"{_alarm_table()}\n{_time_table()}\n{_judged_lines()}"


def _alarm_table() -> str:
    lines = [
        f"Share of {TRIALS:,} trials in which any of {LOOKS} looks (after every {EVERY} queries) errs though the truth "
        "is what is doubted. In each trial a random pair of real runs, whose true mean difference is doubted, so that "
        "the bounds are shifted by the same mean; queries drawn with replacement. At most 5 % is promised; the last "
        "column shows what becomes of a test that is made for one look.\n",
        "| differences | gate, a loss shown | compare, interval misses | t test at every look |",
        "|---|---:|---:|---:|",
    ]
    for number, (collection, measure) in enumerate(CASES):
        one, both, naive = alarms(collection, measure, seed=number)
        name = NAMES.get(collection, collection.removeprefix("text/").capitalize())
        lines.append(f"| {name}, {measure} | {one:.1%} | {both:.1%} | {naive:.1%} |")
    return "\n".join(lines) + "\n"


def _time_table() -> str:
    results = [decided(loss, times) for loss, times in LOSSES]
    pairs = len(results[0].needed)
    lines = [
        f"A true loss in AP with the spread of real runs: the differences of each of {pairs} pairs of runs of Robust "
        f"2003, moved to this loss, topics drawn with replacement, {PER_PAIR} trials a pair, {LOOKS} looks, smallest "
        f"effect {MIN_EFFECT:g}. The fixed gate: queries for 80 % power (median over pairs). Decided: share of trials "
        "that end with decided worse within so many times the queries of the fixed gate, and the pair with the "
        "lowest share.\n",
        "| loss | fixed gate, 80 % power | sequential gate, median | decided within | share | lowest pair |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for each in results:
        lines.append(
            f"| {each.loss:g} | {np.median(each.needed):.0f} | {np.median(each.first):.0f} | {each.times} times | "
            f"{each.within.mean():.1%} | {each.within.min():.1%} |"
        )
    return "\n".join(lines) + "\n"


def _judged_lines() -> str:
    found = judged_until_decided()
    return (
        f"The pool decide(10) of the workbench on Robust 2003: all pairs of 12 runs by P@10, {ORDERS} random orders of "
        f"the 100 topics each. Decided within the topics: {found.decided:.1%} of trials, of which {found.against:.1%} "
        f"against the difference over all topics; there it took {found.topics:.0f} topics in the median and "
        f"{found.judged:.1%} of the judgements that the first 10 items of both runs need on all topics.\n"
    )
