"""The growth forecast on real collections: the whole foretold from a quarter and a sixteenth of its distractors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.forecast_cases import (
    DATA,
    RUNS,
    TEXTS,
    VECTORS,
    Case,
    text_case,
    there,
    vector_case,
    without_scores,
)
from rankscope.forecast import Forecast, forecast

MEASURES = ("Rprec", "AP", "R@10")
FACTORS = (4, 16)
SEEDS = range(4)


@dataclass(frozen=True)
class Outcome:
    """One measure of one case: what was foretold, what came, and what it was before."""

    error: float
    truth: float
    now: float
    width: float
    held: bool
    model: str


def outcomes(case: Case, scores: bool, seed: int) -> dict[str, Outcome]:
    """Forecasts of all measures, held against the truth."""
    sample = case.sample if scores else without_scores(case.sample)
    factor = float(case.whole.collection.mean() / case.sample.collection.mean())
    grown = forecast(sample, factor, MEASURES, force=True, seed=seed)
    return {name: _outcome(grown, name, case) for name in MEASURES}


def _outcome(grown: Forecast, name: str, case: Case) -> Outcome:
    from rankscope.measures.notation import parse_measure

    truth, said = float(parse_measure(name).of(case.whole).mean()), grown[name]
    held = said.low <= truth <= said.high
    return Outcome(said.forecast - truth, truth, said.now, said.high - said.low, held, said.model)


def report() -> str:
    """Mean errors over the seeds, and how often the 90 % intervals held."""
    parts = []
    vectors = tuple(there(tuple(VECTORS)))
    named = {
        f"{name} | {'whole' if whole else 'cut to 10'} | {factor}": _vector(name, whole, factor)
        for factor in FACTORS
        for name in vectors
        for whole in (False, True)
    }
    parts.append(_table("collection | classes | times", named, (True, False)))
    if (DATA / "text").is_dir():
        texts = {
            f"{name} | {run} | {factor}": _text(name, run, factor)
            for factor in FACTORS
            for name in TEXTS
            for run in RUNS
        }
        parts.append(_table("collection | run | times", texts, (True,)))
    return "\n\n".join(parts) + "\n"


def _vector(name: str, whole: bool, factor: int) -> Callable[[int], Case]:
    return lambda seed: vector_case(name, whole, factor, seed)


def _text(name: str, run: str, factor: int) -> Callable[[int], Case]:
    return lambda seed: text_case(name, run, factor, seed)


def _table(first: str, named: dict[str, Callable[[int], Case]], ways: tuple[bool, ...]) -> str:
    """One line per case; errors are means over the seeds, the worst seed in brackets for p = r."""
    heads = [f"{name} error ({'scores' if scores else 'ranks'})" for scores in ways for name in MEASURES]
    head = f"| {first} | p = r before | after | {' | '.join(heads)} |"
    lines = [head, "|---" * (head.count("|") - 1) + "|"]
    every: dict[bool, list[Outcome]] = {way: [] for way in ways}
    for text, make in named.items():
        cases = [make(seed) for seed in SEEDS]
        cells = []
        for way in ways:
            tried = [outcomes(case, way, seed) for seed, case in zip(SEEDS, cases, strict=True)]
            every[way] += [each["Rprec"] for each in tried]
            cells += [_cell([each[name].error for each in tried]) for name in MEASURES]
        ones = every[ways[0]][-len(cases) :]
        before, after = np.mean([one.now for one in ones]), np.mean([one.truth for one in ones])
        lines.append(f"| {text} | {before:.3f} | {after:.3f} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *_summary(every)])


def _cell(errors: Iterable[float]) -> str:
    values = list(errors)
    return f"{np.mean(values):+.3f} ({max(values, key=abs):+.3f})"


def _summary(every: dict[bool, list[Outcome]]) -> list[str]:
    lines = []
    for way, some in every.items():
        held, width = np.mean([one.held for one in some]), np.median([one.width for one in some])
        used = ", ".join(f"{name} {number}" for name, number in _counted([one.model for one in some]))
        what = f"p = r with {'scores' if way else 'ranks alone'}"
        lines.append(f"{what}: 90 % intervals held {held:.0%} of {len(some)} cases, median width {width:.3f}; {used}")
    return lines


def _counted(names: list[str]) -> list[tuple[str, int]]:
    found, counts = np.unique(names, return_counts=True)
    return sorted(zip(found.tolist(), counts.tolist(), strict=True), key=lambda pair: -pair[1])
