"""How often each test finds a difference where there is none: simulated scores, skewed, bounded and tied.

"None" means that the labels of the systems could be swapped in any query: scores of all systems are drawn alike, around
a difficulty that they share.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from rankscope.analysis.statistics.bootstrap import bootstrap_means
from rankscope.analysis.statistics.corrections import holm
from rankscope.analysis.statistics.deciding_test import Changes, decide_p
from rankscope.analysis.statistics.multiple_comparisons import randomised_tukey
from rankscope.analysis.statistics.paired_tests import paired_t, sign_test
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.sign_flip import normal_p, sign_flip_p, signed_ranks, wilcoxon
from rankscope.core.arrays import BoolArray, FloatArray

ALPHA = 0.05
SIZES = (10, 25, 50)
TRIALS, FEWER_TRIALS = 4_000, 1_000
MIN_EFFECT = 0.01

Scores = Callable[[np.random.Generator, int, int, int], FloatArray]  # trials, queries, systems
Test = Callable[[FloatArray], BoolArray]


def skewed(chance: np.random.Generator, trials: int, queries: int, systems: int) -> FloatArray:
    """Many low scores, few high ones, around a difficulty of the query drawn from beta(.5, 1)."""
    easy = chance.beta(0.5, 1.0, (trials, queries, 1)) * np.ones(systems)
    return chance.beta(4 * easy + 0.1, 4 * (1 - easy) + 0.1)


def tenths(chance: np.random.Generator, trials: int, queries: int, systems: int) -> FloatArray:
    """The same as P@10 has them: eleven values, many ties."""
    return skewed(chance, trials, queries, systems).round(1)


def zeros(chance: np.random.Generator, trials: int, queries: int, systems: int) -> FloatArray:
    """The same with three of five scores 0, as RR@10 of a hard collection."""
    values = tenths(chance, trials, queries, systems)
    return np.where(chance.random(values.shape) < 0.6, 0.0, values)


SCORES: dict[str, Scores] = {"skewed": skewed, "tenths": tenths, "many zeros": zeros}


def _change(scores: FloatArray) -> FloatArray:
    return scores[..., 1] - scores[..., 0]


def sign_flips(scores: FloatArray) -> BoolArray:
    return sign_flip_p(_change(scores).T) <= ALPHA


def deciding(scores: FloatArray) -> BoolArray:
    """What a verdict rests on."""
    return decide_p(_change(scores).T) <= ALPHA


def t_test(scores: FloatArray) -> BoolArray:
    return np.array([paired_t(row).p <= ALPHA for row in _change(scores)])


def wilcoxon_default(scores: FloatArray) -> BoolArray:
    return np.array([wilcoxon(row).p <= ALPHA for row in _change(scores)])


def wilcoxon_normal(scores: FloatArray) -> BoolArray:
    ranks = [signed_ranks(row) for row in _change(scores)]
    return np.array([each.size > 0 and normal_p(each) <= ALPHA for each in ranks])


def signs_alone(scores: FloatArray) -> BoolArray:
    return np.array([sign_test(row).p <= ALPHA for row in _change(scores)])


def holm_family(scores: FloatArray) -> BoolArray:
    """Any of six pairs of four systems."""
    first, second = np.triu_indices(4, 1)
    changes = scores[..., second] - scores[..., first]
    p = decide_p(changes.transpose(1, 0, 2).reshape(changes.shape[1], -1))
    return np.asarray((holm(p.reshape(len(scores), -1)) <= ALPHA).any(axis=1))


def shuffled_tukey(scores: FloatArray) -> BoolArray:
    """Any of three pairs of three systems."""
    tables = (ScoreTable.make({str(system): each[:, system] for system in range(3)}) for each in scores)
    return np.array([(randomised_tukey(each, permutations=1_000).p <= ALPHA).any() for each in tables])


def gate_rule(scores: FloatArray) -> BoolArray:
    """The gate itself: one-sided, with the smallest effect that matters."""
    changes = _change(scores)
    p = np.array([Changes.of(row).loss_p()[0] for row in changes])
    return (p <= ALPHA) & (-changes.mean(axis=1) > MIN_EFFECT)


def percentile_bootstrap(scores: FloatArray) -> BoolArray:
    intervals = bootstrap_means(_change(scores).T, resamples=2_000)
    return (intervals.low > 1e-12) | (intervals.high < -1e-12)


TESTS: dict[str, tuple[Test, int, int, bool]] = {  # systems, trials, whether a verdict rests on it
    "verdict: sign flips and skew t": (deciding, 2, TRIALS, True),
    "sign flips": (sign_flips, 2, TRIALS, True),
    "t": (t_test, 2, TRIALS, True),
    "Wilcoxon (exact up to 20)": (wilcoxon_default, 2, TRIALS, True),
    "sign test": (signs_alone, 2, TRIALS, True),
    "verdict, Holm, 6 pairs": (holm_family, 4, TRIALS, True),
    "randomised Tukey, 3 systems": (shuffled_tukey, 3, FEWER_TRIALS, True),
    "gate, smallest effect .01": (gate_rule, 2, TRIALS, True),
    "Wilcoxon (normal)": (wilcoxon_normal, 2, TRIALS, False),
    "percentile bootstrap": (percentile_bootstrap, 2, TRIALS, False),
}


def allowed(trials: int) -> float:
    """The upper end of the binomial 99 % interval around 5 %."""
    from scipy.stats import binom

    return float(binom.ppf(0.995, trials, ALPHA)) / trials


def rate(test: str, scores: str, queries: int, trials: int | None = None, seed: int = 0) -> float:
    """The share of trials in which the test finds a difference."""
    found, systems, usual, _ = TESTS[test]
    chance = np.random.default_rng([seed, queries, list(SCORES).index(scores)])
    return float(found(SCORES[scores](chance, trials or usual, queries, systems)).mean())


def report() -> str:
    """All rates; a star where one is above what chance allows."""
    from benchmarks import gate_trials

    head = [f"{scores}, n = {queries}" for scores in SCORES for queries in SIZES]
    lines = [f"| test | {' | '.join(head)} |", "|---" + "|---:" * len(head) + "|"]
    for test, (_, _, trials, verdict) in TESTS.items():
        rates = [rate(test, scores, queries) for scores in SCORES for queries in SIZES]
        cells = [f"{each:.3f}{'*' if each > allowed(trials) else ''}" for each in rates]
        lines.append(f"| {test if verdict else f'_{test}_'} | {' | '.join(cells)} |")
    text = (
        f"Share of {TRIALS:,} trials ({FEWER_TRIALS:,} for randomised Tukey) with a difference found at 5 %, where "
        f"there is none. A star: above the upper end of the binomial 99 % interval ({allowed(TRIALS):.4f}; "
        f"{allowed(FEWER_TRIALS):.4f}). No verdict rests on those in italics.\n"
    )
    return "\n".join([text, *lines, "", gate_trials.report(), speed()])


def speed() -> str:
    """Sign flips for 250 queries, and for 300 pairs of systems at once, against scipy, which draws 100,000."""
    from scipy.stats import permutation_test

    changes = np.random.default_rng(0).normal(0.01, 0.1, (250, 300))
    sign_flip_p(changes[:, 0])
    ours = _fastest(lambda: sign_flip_p(changes[:, 0]), 5)
    pairs = _fastest(lambda: sign_flip_p(changes), 1)
    theirs = _fastest(
        lambda: permutation_test(
            (changes[:, 0],),
            np.sum,
            permutation_type="samples",
            n_resamples=100_000,
            batch=10_000,
            vectorized=True,
            rng=0,
        ),
        1,
    )
    return (
        "| sign flips, 250 queries | seconds | against rankscope |\n|---|---:|---|\n"
        f"| rankscope, one pair | {ours:.3f} | |\n"
        f"| scipy.stats.permutation_test, 100,000 drawn | {theirs:.3f} | {theirs / ours:.0f} times as long |\n"
        f"| rankscope, 300 pairs | {pairs:.3f} | {pairs / ours:.0f} times as long |\n"
    )


def _fastest(work: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return min(taken)
