"""How often `compare` and the gate err where the mean difference is 0 and differences are skewed, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.null_differences import GAINING, RARE_GAINS, Scores, processes, rare_gains
from rankscope.analysis.statistics.deciding_test import decide_p, skew_t_p
from rankscope.analysis.statistics.equivalence import equivalence_p
from rankscope.analysis.statistics.sign_flip import sign_flip_p
from rankscope.core.arrays import BoolArray, FloatArray

ALPHA = 0.05
LIMIT = 0.06
TRIALS = 2_000
SIZES = (10, 15, 25, 50, 100)
RARE_SIZES = (15, 30, 60, 100)
SHIFT = 0.5  # standard deviations of the differences, for the power


def change(scores: FloatArray) -> FloatArray:
    """Second system minus first."""
    return scores[..., 1] - scores[..., 0]


def found(differences: FloatArray) -> tuple[BoolArray, BoolArray]:
    """In which trials (rows) the verdict names a better system, and in which sign flips alone would."""
    flips = sign_flip_p(differences.T)
    return np.maximum(flips, skew_t_p(differences)) <= ALPHA, flips <= ALPHA


def rates(process: Scores, name: str, queries: int, trials: int = TRIALS, shift: float = 0.0) -> tuple[float, float]:
    """Share of trials with a better system: by the verdict, and by sign flips alone."""
    chance = np.random.default_rng([queries, list(processes()).index(name)])
    differences = change(process(chance, trials, queries))
    differences += shift * differences.std()
    _check(differences[:5])
    verdict, flips = found(differences)
    return float(verdict.mean()), float(flips.mean())


def equivalence_rates(process: Scores, name: str, queries: int, trials: int = TRIALS) -> tuple[float, float]:
    """Share of trials called equivalent within `SHIFT` deviations: at the margin, the worse of both ends, and at 0."""
    chance = np.random.default_rng([queries, list(processes()).index(name), 1])
    differences = change(process(chance, trials, queries)).T
    margin = SHIFT * float(differences.std())
    low, at_0, high = (
        float((equivalence_p(differences + turn * margin, margin) <= ALPHA).mean()) for turn in (-1, 0, 1)
    )
    return max(low, high), at_0


def _check(differences: FloatArray) -> None:
    """The first trials by the function that decides; another p-value than here stops everything."""
    ours = np.maximum(sign_flip_p(differences.T), skew_t_p(differences))
    np.testing.assert_allclose(decide_p(differences.T), ours)


def rare_rates(queries: int, trials: int = 2 * TRIALS) -> dict[str, tuple[float, float]]:
    """Share of wrong verdicts over all samples, and among those that contain a gain; the gate's rule is one-sided."""
    differences, gain = rare_gains(np.random.default_rng(queries), trials, queries)
    verdict, flips = found(differences)
    less = np.maximum(sign_flip_p(differences.T, "less"), skew_t_p(differences, "less")) <= ALPHA
    shares = {"sign flips alone": flips, "verdict": verdict, "gate (one-sided)": less}
    return {name: (float(each.mean()), float(each[gain].mean())) for name, each in shares.items()}


def report() -> str:
    """Error on skewed differences, on rare large gains, the power that remains, and equivalence."""
    return "\n".join([_errors(), _rare(), _power(), _equivalence()])


def _errors() -> str:
    cells = {
        name: [f"{a:.3f}{_star(a)} ({b:.3f})" for a, b in (rates(process, name, queries) for queries in SIZES)]
        for name, process in processes().items()
    }
    said = (
        f"Share of {TRIALS:,} trials in which a system is called better at 5 % though the mean difference is 0: by the "
        f"verdict (the larger p of sign flips and skew t), in brackets by sign flips alone. Real runs: a random pair "
        f"in each trial, centred, queries drawn with replacement. A star: above {LIMIT:g}."
    )
    return _table(said, cells)


def _table(said: str, cells: Mapping[str, Sequence[str]]) -> str:
    """A row for each process, a column for each number of queries."""
    lines = [f"{said}\n", f"| differences | {' | '.join(f'n = {queries}' for queries in SIZES)} |"]
    lines.append("|---" + "|---:" * len(SIZES) + "|")
    return "\n".join([*lines, *(f"| {name} | {' | '.join(row)} |" for name, row in cells.items())]) + "\n"


def _rare() -> str:
    lines = [
        f"Rare large gains: {RARE_GAINS}. Share of {2 * TRIALS:,} trials in which a difference (for the gate a loss) "
        f"is called shown at 5 %: over all samples, and among samples that contain a gain. A sample without a gain "
        f"shows no skewness, and no test can know; so `compare` prints a caution below 60 queries.\n",
        f"| | {' | '.join(f'n = {q}, all | n = {q}, with a gain' for q in RARE_SIZES)} |",
        "|---" + "|---:" * (2 * len(RARE_SIZES)) + "|",
        "| samples without a gain | " + " | ".join(f"{(1 - GAINING) ** q:.3f} | " for q in RARE_SIZES) + "|",
    ]
    results = [rare_rates(queries) for queries in RARE_SIZES]
    for name in results[0]:
        cells = [f"{each[name][0]:.3f} | {each[name][1]:.3f}{_star(each[name][1])}" for each in results]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _power() -> str:
    cells = {
        name: [f"{a:.3f} ({b:.3f})" for a, b in (rates(process, name, queries, shift=SHIFT) for queries in SIZES)]
        for name, process in processes().items()
    }
    said = (
        f"What it costs: share of trials in which a true mean difference of {SHIFT:g} standard deviations is shown, by "
        "the verdict, in brackets by sign flips alone."
    )
    return _table(said, cells)


def _star(share: float) -> str:
    return "*" if share > LIMIT else ""


def _equivalence() -> str:
    cells = {
        name: [f"{a:.3f}{_star(a)} ({b:.3f})" for a, b in (equivalence_rates(process, name, n) for n in SIZES)]
        for name, process in processes().items()
    }
    said = (
        f"Equivalence within {SHIFT:g} standard deviations of the differences: share of {TRIALS:,} trials called "
        f"equivalent at 5 % where the mean difference is the margin (the worse of both ends), in brackets where it is "
        f"0. A star: above {LIMIT:g}."
    )
    return _table(said, cells)
