"""Large leaderboards: is a pair decided as by its exact p-value, where the family of all pairs decides?

Systems: the runs of a collection, and copies of them whose lists are perturbed (each rank times a lognormal factor of a
spread of its own). For every measure and pair the sign-flip p is compared with that of a convolution of all signs on a
lattice far finer than the one under test; only pairs whose p is near the bound of Holm's correction count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import polars as pl

from benchmarks.forecast_cases import DATA
from benchmarks.null_differences import QRELS
from rankscope import evaluate
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.sign_flip import sign_flip_p
from rankscope.core.arrays import FloatArray

SEED, SYSTEMS, LEVEL = 31, 143, 0.05
SPREADS = (0.05, 0.1, 0.2, 0.4, 0.8)  # sd of the logarithm of what ranks are multiplied by
MEASURES = ("AP", "nDCG@10", "P@10", "RR", "R@100", "Bpref")
NEAR = 30.0  # p-values within this factor of the bound of Holm's correction
CELLS = 2**18  # of the lattice of the exact p-value, up to the sum of what is flipped
DRAWN = 2_400  # pairs of each leaderboard


@dataclass(frozen=True)
class Board:
    """Whose runs, and how many topics are drawn from it."""

    folder: str
    topics: int
    replace: bool = False


BOARDS = {
    "Robust 2003, 50 of its 100 topics": Board("trec-robust03", 50),
    "TREC-COVID round 1, its 30 topics": Board("trec-covid-r1", 30),
    "Robust 2003, 250 topics drawn with replacement": Board("trec-robust03", 250, replace=True),
}


def convolved_p(differences: FloatArray, cells: int = CELLS) -> float:
    """The two-sided sign-flip p-value: sizes are flipped at random, and those flipped may sum to what is missing.

    Tenths are counted exactly; others are rounded up or down by chance, and what that may have moved is counted in.
    >>> convolved_p(np.array([1.0, 2.0, -3.0, 10.0])), convolved_p(np.array([1.0, 2.0, 3.0, 10.0]))
    (0.625, 0.125)
    """
    sizes = np.abs(differences[np.abs(differences) > 1e-13])
    missing = (sizes.sum() - abs(float(differences.sum()))) / 2
    if missing <= 1e-13:
        return float(min(1.0, 2 * 0.5**sizes.size))
    tenths = np.allclose(sizes * 10, np.rint(sizes * 10), rtol=0, atol=1e-9)
    scale = 10.0 if tenths else cells / missing
    rounded = 0.5 if tenths else 4 * math.sqrt(sizes.size / 6)  # cells
    chance = np.random.default_rng(SEED)
    moves = np.floor(np.sort(sizes) * scale + (0.5 if tenths else chance.random(sizes.size)))
    share = np.zeros(int(missing * scale + rounded) + 1)
    share[0] = 1.0
    for move in moves.astype(np.int64).tolist():
        kept = share / 2
        if move < share.size:
            kept[move:] += share[: share.size - move] / 2
        share = kept
    return float(min(1.0, 2 * share.sum()))


@cache
def leaderboard(name: str) -> tuple[ScoreTable, ...]:
    """Every measure of all systems on the topics drawn."""
    board = BOARDS[name]
    chance = np.random.default_rng([SEED, list(BOARDS).index(name)])
    folder = DATA / board.folder
    paths = sorted((folder / "runs").iterdir())
    made = [evaluate(str(folder / QRELS[board.folder]), str(path), list(MEASURES)) for path in paths]
    while len(made) < SYSTEMS:
        lists = perturbed(_lists(str(paths[len(made) % len(paths)])), chance)
        made.append(evaluate(str(folder / QRELS[board.folder]), lists, list(MEASURES)))
    tables = []
    for measure in MEASURES:
        each = [ScoreTable.of(scores, measure) for scores in made]
        values = {f"s{number:03}": table.values[:, 0] for number, table in enumerate(each)}
        tables.append(ScoreTable.make(values, queries=each[0].queries, measure=measure).complete())
    drawn = chance.choice(len(tables[0]), board.topics, replace=board.replace)
    return tuple(
        ScoreTable.make(dict(zip(t.systems, t.values[drawn].T, strict=True)), measure=t.measure) for t in tables
    )


@cache
def _lists(path: str) -> pl.DataFrame:
    """The lists of a run: query, item, score, and the rank by score."""
    columns = ["query", "unused", "item", "rank", "score", "tag"]
    text = pl.read_csv(path, separator="\t", has_header=False, new_columns=columns, schema_overrides=[pl.String] * 6)
    table = text.select("query", "item", pl.col("score").cast(pl.Float64))
    return table.with_columns(rank=pl.col("score").rank("ordinal", descending=True).over("query"))


def perturbed(lists: pl.DataFrame, chance: np.random.Generator) -> pl.DataFrame:
    """The same items with each rank multiplied by chance, the spread drawn once for the system."""
    noise = pl.Series("noise", chance.normal(0.0, chance.choice(SPREADS), len(lists)))
    return lists.select("query", "item", score=-(pl.col("rank").log() + noise))


def holm_bound(p: FloatArray) -> float:
    """The level at which the first pair of a family is not decided any more."""
    ordered = np.sort(p)
    levels = LEVEL / np.arange(p.size, 0, -1)
    return float(levels[np.argmax(ordered > levels)])


@dataclass(frozen=True)
class Outcome:
    """How many pairs lie near the bound, how many of them are decided alike, and how far the p of the others is off."""

    near: int
    alike: int
    farthest: float  # the largest factor between both p-values among those near
    apart: float  # the same among those that are decided differently


def outcome(tables: tuple[ScoreTable, ...]) -> Outcome:
    """The first measure is a family of its own, the others are one together, as `compare` has them."""
    differences = [np.stack([t.values[:, b] - t.values[:, a] for a, b in _pairs(t)], axis=1) for t in tables]
    ours = [sign_flip_p(each) for each in differences]
    chance = np.random.default_rng(SEED)
    near = alike = 0
    factors, apart = [1.0], [1.0]
    for family in (range(1), range(1, len(tables))):
        bound = holm_bound(np.concatenate([ours[number] for number in family]))
        for number in family:
            close = np.flatnonzero((ours[number] >= bound / NEAR) & (ours[number] <= bound * NEAR))
            for pair in chance.permutation(close)[: DRAWN // len(tables)].tolist():
                exact, mine = convolved_p(differences[number][:, pair]), float(ours[number][pair])
                near, same = near + 1, (exact <= bound) == (mine <= bound)
                alike += same
                factor = max(exact / mine, mine / exact)
                factors.append(factor)
                if not same:
                    apart.append(factor)
    return Outcome(near, alike, max(factors), max(apart))


def _pairs(table: ScoreTable) -> Iterator[tuple[int, int]]:
    return combinations(range(len(table.systems)), 2)


def report() -> str:
    """One row for each collection; nothing where there are no data."""
    if not (DATA / "trec-robust03").is_dir():
        return ""
    lines = [
        f"{SYSTEMS} systems (runs, and copies whose ranks are multiplied by lognormal chance, seed {SEED}), all "
        f"{SYSTEMS * (SYSTEMS - 1) // 2:,} pairs by {', '.join(MEASURES)}; the first measure is one family, the others "
        f"are one together. Pairs drawn from those whose p is within a factor {NEAR:g} of the bound of Holm's "
        f"correction, next to the exact p from a convolution with {CELLS:,} cells up to what is flipped.\n",
        "| leaderboard | pairs near the bound | decided alike | largest factor between both p | decided otherwise |",
        "|---|---:|---:|---:|---|",
    ]
    for name in BOARDS:
        found = outcome(leaderboard(name))
        other = found.near - found.alike
        told = f"{other}, p off by a factor {found.apart:.4f} at most" if other else "none"
        lines.append(f"| {name} | {found.near:,} | {found.alike / found.near:.2%} | {found.farthest:.4f} | {told} |")
    return "\n".join(lines) + "\n"
