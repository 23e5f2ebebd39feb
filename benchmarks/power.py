"""Power: how often another experiment shows the difference that `compare` and `gate` say they show in 80 % of cases.

The sentence is made from one sample of queries; then a system is better by just that much on another sample of as many,
and the deciding tests look at it. Both samples are of the differences of a random pair of real runs, centred.
"""

from __future__ import annotations

import numpy as np

from benchmarks.null_differences import REAL, Scores, processes
from rankscope.analysis.statistics.deciding_test import decide_p, skew_t_p
from rankscope.analysis.statistics.paired_tests import spread
from rankscope.analysis.statistics.power import ShownEffects, smallest_effect
from rankscope.analysis.statistics.sign_flip import sign_flip_p
from rankscope.core.arrays import BoolArray, FloatArray

TRIALS, SEED = 500, 8
SIZES = (5, 6, 10, 25, 50)
ALPHA, LOSS = 0.05, 0.01
MANY = 10  # pairs of a family: each is tested at a tenth of the level


def shares(process: Scores, queries: int, trials: int = TRIALS) -> dict[str, tuple[float, float]]:
    """For each sentence the share of experiments that show what it says, and in how many trials there is a number."""
    chance = np.random.default_rng([SEED, queries])
    scores = process(chance, trials, 2 * queries)
    told, later = np.split(scores[..., 1] - scores[..., 0], 2, axis=1)
    moving = np.array([spread(each) > 0 for each in told])
    told, later = told[moving], later[moving]
    return {
        "t, as said before": _found(_by_t(told), later, ALPHA),
        "compare, one pair": _found(_smallest(told, ALPHA / 2), later, ALPHA),
        f"compare, {MANY} pairs": _found(_smallest(told, ALPHA / 2 / MANY), later, ALPHA / MANY),
        "gate": _caught(_smallest(told, ALPHA, 1, LOSS), later),
    }


def _by_t(told: FloatArray) -> FloatArray:
    return np.array([smallest_effect(each.size, spread(each)) for each in told])


def _smallest(told: FloatArray, tail: float, sides: int = 2, least: float = 0.0) -> FloatArray:
    return np.array([ShownEffects(each, tail, sides, least).smallest() for each in told])


def _found(effects: FloatArray, later: FloatArray, level: float) -> tuple[float, float]:
    """A difference is shown, with the sign that it has."""
    known = np.isfinite(effects)
    moved = (later + effects[:, None])[known]
    return _mean((decide_p(moved.T) <= level) & (moved.mean(axis=1) > 0)), _mean(known)


def _caught(effects: FloatArray, later: FloatArray) -> tuple[float, float]:
    """The rule of the gate: a loss is shown, and its mean is beyond the smallest effect."""
    known = np.isfinite(effects)
    moved = (later + effects[:, None])[known]
    p = np.maximum(sign_flip_p(moved.T, "greater"), skew_t_p(moved, "greater"))
    return _mean((p <= ALPHA) & (moved.mean(axis=1) > LOSS)), _mean(known)


def _mean(values: FloatArray | BoolArray) -> float:
    return float(np.mean(values)) if len(values) else np.nan


def report() -> str:
    """One table a sentence, one row a population; nothing where there are no data."""
    known = [name for name in processes() if name in REAL]
    if not known:
        return ""
    found = {name: [shares(REAL[name], queries) for queries in SIZES] for name in known}
    lines = [
        f"Share of {TRIALS:,} trials in which n other queries show the difference that n queries are said to show in "
        f"80 % of cases (standard error about .02); in brackets the share in which a number is said, where it is not "
        f"always. The gate looks for losses beyond {LOSS:g}.\n"
    ]
    for sentence in found[known[0]][0]:
        lines += [
            f"| {sentence} | {' | '.join(f'n = {queries}' for queries in SIZES)} |",
            "|---" + "|---:" * len(SIZES) + "|",
        ]
        for name, results in found.items():
            lines.append(f"| {name} | {' | '.join(_cell(*each[sentence]) for each in results)} |")
        means = [
            float(np.nanmean([each[column][sentence][0] for each in found.values()])) for column in range(len(SIZES))
        ]
        lines += [f"| mean | {' | '.join(_cell(mean, 1.0) for mean in means)} |", ""]
    return "\n".join(lines)


def _cell(share: float, known: float) -> str:
    return "none" if known == 0 else f"{share:.2f}" + (f" ({known:.2f})" if known < 1 else "")
