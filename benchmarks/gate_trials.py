"""The gate on real systems: false alarms when nothing differs, and losses that it must catch."""

from __future__ import annotations

from functools import cache

import numpy as np

from benchmarks.forecast_cases import DATA
from rankscope import evaluate
from rankscope.analysis.comparison.gate import gate
from rankscope.analysis.statistics.deciding_test import Changes
from rankscope.analysis.statistics.paired_tests import paired_t
from rankscope.analysis.statistics.power import ShownEffects
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.sign_flip import sign_flip_p
from rankscope.core.arrays import FloatArray

COVID = ("BM25R2", "RMITBFuseM2")
ROBUST = ("fub03IeOLKe3", "oce03noXbmD", "pircRBa1", "Sel50", "UIUC03Rd1")
TRIALS = 1_000
QUERIES, LOSS, MIN_EFFECT = 200, 0.03, 0.01
ALPHA = 0.05


@cache
def covid() -> ScoreTable:
    """nDCG@10 of two runs of TREC-COVID, round 1."""
    folder = DATA / "trec-covid-r1"
    runs = [str(folder / "runs" / f"{name}.gz") for name in COVID]
    return ScoreTable.of(evaluate(str(folder / "qrels-rnd1.txt"), runs, ["nDCG@10"])).complete()


@cache
def robust() -> ScoreTable:
    """AP of five runs of TREC 2003 Robust, the first being the baseline."""
    folder = DATA / "trec-robust03"
    runs = [str(folder / "runs" / f"{name}.gz") for name in ROBUST]
    return ScoreTable.of(evaluate(str(folder / "qrels.txt.gz"), runs, ["AP"])).complete()


def false_alarms(table: ScoreTable, trials: int = TRIALS, seed: int = 0) -> tuple[float, float]:
    """How often the gate fails with labels swapped at random in each query, and how often a fixed threshold does."""
    chance = np.random.default_rng(seed)
    swapped = chance.random((trials, len(table))) < 0.5
    failed, below = 0, 0
    for each in swapped:
        values = np.where(each[:, None], table.values[:, ::-1], table.values)
        result = gate(ScoreTable(table.measure, table.systems, table.queries, values), MIN_EFFECT)
        failed += result.verdict == "fail"
        below += -result.checks[0].change > MIN_EFFECT
    return failed / trials, below / trials


def caught(table: ScoreTable, other: int, trials: int = TRIALS, seed: int = 0) -> tuple[float, float]:
    """How often a mean loss of .03 on 200 queries is caught, and the standard deviation of the differences.

    The candidate differs from the baseline as another real system does, moved so that the mean of the topics is -.03;
    200 topics are drawn with replacement from the 100.
    """
    noise = table.values[:, other] - table.values[:, 0]
    change = noise - noise.mean() - LOSS
    drawn = change[np.random.default_rng(seed).integers(0, change.size, (trials, QUERIES))]
    return float(np.mean([_fails(row) for row in drawn])), float(change.std(ddof=1))


def _fails(change: FloatArray) -> bool:
    return bool(Changes.of(change).loss_p()[0] <= ALPHA and -change.mean() > MIN_EFFECT)


def lopsided(queries: int, trials: int = 4_000, seed: int = 0) -> dict[str, float]:
    """False alarms where labels cannot be swapped: many small losses, rare large gains, mean change 0."""
    change = np.random.default_rng([seed, queries]).exponential(0.1, (trials, queries)) - 0.1
    gate_p = np.array([Changes.of(row).loss_p()[0] for row in change])
    return {
        "t": float(np.mean([paired_t(row, "less").p <= ALPHA for row in change])),
        "sign flips": float((sign_flip_p(change.T, "less") <= ALPHA).mean()),
        "gate (the worse of sign flips and skew t)": float((gate_p <= ALPHA).mean()),
    }


def report() -> str:
    """False alarms, catches, and what skewed differences do."""
    parts = [_false_alarms(), _catches(), _lopsided()]
    return "\n".join(part for part in parts if part)


def _false_alarms() -> str:
    if not (DATA / "trec-covid-r1").is_dir():
        return ""
    gate_rate, fixed = false_alarms(covid())
    return (
        f"Gate, {TRIALS:,} trials on two real systems (TREC-COVID round 1, nDCG@10, 30 topics, labels swapped at "
        f"random in each topic): it fails in {gate_rate:.1%}; a fixed threshold (mean loss above .01) in {fixed:.1%}.\n"
    )


def _catches() -> str:
    if not (DATA / "trec-robust03").is_dir():
        return ""
    table = robust()
    lines = [
        f"A mean loss of .03 in AP on {QUERIES} queries (TREC 2003 Robust: the difference of another system from "
        f"{ROBUST[0]}, moved to a mean of -.03, {QUERIES} drawn with replacement from 100 topics); smallest "
        "effect .01:\n",
        "| noise of | sd of differences | caught | power as the gate says it |",
        "|---|---:|---:|---:|",
    ]
    for other in range(1, len(ROBUST)):
        share, sd = caught(table, other)
        losses = table.values[:, 0] - table.values[:, other]
        power = ShownEffects(losses, ALPHA, sides=1, least=MIN_EFFECT).power(LOSS, QUERIES)
        lines.append(f"| {table.systems[other]} | {sd:.3f} | {share:.1%} | {power:.1%} |")
    return "\n".join(lines) + "\n"


def _lopsided() -> str:
    sizes = (10, 25, 50)
    results = {queries: lopsided(queries) for queries in sizes}
    lines = [
        "False alarms at 5 %, one-sided, where the mean change is 0 but most queries lose a little and few gain much "
        "(exponential), so that labels cannot be swapped:\n",
        f"| test | {' | '.join(f'n = {queries}' for queries in sizes)} |",
        "|---" + "|---:" * len(sizes) + "|",
    ]
    for name in results[sizes[0]]:
        lines.append(f"| {name} | {' | '.join(f'{results[queries][name]:.3f}' for queries in sizes)} |")
    return "\n".join(lines) + "\n"
