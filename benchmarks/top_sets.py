"""How often the top set of a leaderboard holds the best system, next to the smallest set of 95 % of the draws."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from benchmarks.forecast_cases import DATA
from rankscope import evaluate
from rankscope.analysis.comparison.leaderboard import RESAMPLED_FROM, top_set
from rankscope.analysis.statistics.resampling import Queries
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray, FloatArray

TRIALS = 2_000  # where all are equal; else a quarter
RESAMPLES = 1_000
QUERIES = (5, 8, 15, 25, 50)
LEVEL = 0.95
EQUAL_MEANS = "all equal"
BOARDS = {
    "Robust 2003, 12 runs": ("trec-robust03", "qrels.txt.gz"),
    "TREC-COVID, 25 runs": ("trec-covid-r1", "qrels-rnd1.txt"),
    "Cranfield, 7 runs": ("text/cranfield", "qrels.txt"),
}
NORMAL = "normal, 12 systems"  # made: as kind as differences can be


@cache
def _values(folder: str, judged: str) -> FloatArray:
    """AP of every run, queries x systems."""
    runs = [str(path) for path in sorted((DATA / folder / "runs").iterdir())]
    return ScoreTable.of(evaluate(str(DATA / folder / judged), runs, ["AP"])).complete().values


def smallest_set(drawn: FloatArray) -> BoolArray:
    """The fewest systems that are the best in 95 % of the draws."""
    share = np.bincount(drawn.argmax(axis=1), minlength=drawn.shape[1]) / len(drawn)
    order = np.argsort(-share, kind="stable")
    inside = np.zeros(share.size, dtype=np.bool_)
    inside[order[: int((np.cumsum(share[order]) < LEVEL - 1e-12).sum()) + 1]] = True
    return inside


def held(values: FloatArray, queries: int, equal: bool, trials: int) -> tuple[float, float, float, float]:
    """How often each set holds the best system, and their mean sizes; of equal systems any may be called the best."""
    chance = np.random.default_rng([queries, values.shape[1]])
    best = int(values.mean(axis=0).argmax())
    found = np.zeros((trials, 4))
    for trial in range(trials):
        gains = values[chance.integers(0, len(values), queries)]
        drawn = Queries(queries).times(chance, RESAMPLES) @ gains / queries
        wanted = trial % values.shape[1] if equal else best
        ours, other = top_set(gains, drawn, LEVEL), smallest_set(drawn)
        found[trial] = ours[wanted], ours.sum(), other[wanted], other.sum()
    return tuple(found.mean(axis=0).tolist())


def _rows(trials: int) -> Iterator[dict[str, object]]:
    for name, (folder, judged) in BOARDS.items():
        if not (DATA / folder).is_dir():
            continue
        values = _values(folder, judged)
        mean = values.mean(axis=0)
        kinds = {"as they are": values, "half as far apart": values - mean / 2, EQUAL_MEANS: values - mean}
        for kind, shifted in kinds.items():
            yield from _rows_of(name, kind, shifted, trials)
    chance = np.random.default_rng(3)
    made = chance.normal(size=(2_000, 12)) + chance.normal(size=(2_000, 1))
    yield from _rows_of(NORMAL, EQUAL_MEANS, made - made.mean(axis=0), trials)


def _rows_of(name: str, kind: str, values: FloatArray, trials: int) -> Iterator[dict[str, object]]:
    for queries in QUERIES:
        ours, size, other, other_size = held(
            values, queries, kind == EQUAL_MEANS, trials if kind == EQUAL_MEANS else trials // 4
        )
        yield {
            "leaderboard": name,
            "means": kind,
            "queries": queries,
            "top set holds the best": ours,
            "its size": f"{size:.1f}",
            "smallest set of 95 % of draws": other,
            "size": f"{other_size:.1f}",
        }


def top_set_rows(trials: int) -> tuple[list[dict[str, object]], str]:
    """The table, and what it says."""
    rows = list(_rows(trials))
    lowest: dict[str, float] = {}
    for row in rows:
        few = "below" if int(str(row["queries"])) < RESAMPLED_FROM else "from"
        kind, value = f"{row['means']}, {few} {RESAMPLED_FROM} queries", float(str(row["top set holds the best"]))
        lowest[kind] = min(value, lowest.get(kind, 1.0))
    told = ", ".join(f"{value:.3f} ({kind})" for kind, value in lowest.items())
    words = (
        "The top set of `rankscope stability`, which is to hold the best system in 95 % of cases: queries drawn from "
        f"real leaderboards by AP ({trials:,} trials of equal systems, else {trials // 4:,}), the means as they are, "
        "half as far apart, and made equal, where "
        f"any system may be called the best. Lowest: {told}. The smallest set of systems that are the best in 95 % of "
        "resamples, next to it, is often used for this."
    )
    return rows, words
