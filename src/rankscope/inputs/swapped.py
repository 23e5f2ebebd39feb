"""Judgements given where rankings belong and the other way round: seen, and said in one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.errors import InputError, SwappedInputs
from rankscope.inputs.checks import Problems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run

WIDEST_GRADES = 10  # from the lowest to the highest, if scores are to look like grades


def refuse_swapped(qrels: Any, runs: Any, reading: Reading) -> None:
    """Raise `SwappedInputs` if a run cannot be read but as judgements, and the judgements can be read as a run."""
    given = runs if isinstance(runs, list) else [runs]
    if not _is_file(qrels) or not _reads_as_run(qrels, reading):
        return
    for each in given:
        if _is_file(each) and not _reads_as_run(each, reading) and _reads_as_judgements(each, reading):
            raise SwappedInputs(Path(qrels).name, Path(each).name)


def _is_file(data: Any) -> bool:
    return isinstance(data, str | Path) and str(data) != "-"


def _reads_as_run(path: str | Path, reading: Reading) -> bool:
    """Whether its first rows are rankings."""
    try:
        run = Run.of(path, reading)
        problems = Problems(run.place)
        return next(iter(run.blocks(problems)), None) is not None and not problems.count
    except InputError:
        return False


def _reads_as_judgements(path: str | Path, reading: Reading) -> bool:
    try:
        return len(Qrels.of(path, reading)) > 0
    except InputError:
        return False


def looks_swapped(data: Any, qrels: Qrels, runs: Sequence[Run], reading: Reading) -> str:
    """A caution where both can be read as either: grades with fractions, and scores that are few whole numbers.

    `data` is what the judgements were read from.
    >>> scores, grades = {"q": {"a": 2.5, "b": 1.5}}, {"q": {"a": 1, "b": 0}}
    >>> looks_swapped(scores, Qrels.of(scores), [Run.of(grades, name="other")], Reading())
    'judgements has grades with fractions, and other whole scores from 0 to 1: swapped? Judgements come first'
    >>> looks_swapped(grades, Qrels.of(grades), [Run.of(grades)], Reading())
    ''
    """
    if qrels.has_whole_grades:
        return ""
    if isinstance(data, str | Path) and not (_is_file(data) and _reads_as_run(data, reading)):
        return ""
    for run in runs:
        score = _first_scores(run)
        if score.size and bool((score % 1 == 0).all()) and np.ptp(score) <= WIDEST_GRADES:
            whole = f"whole scores from {score.min():g} to {score.max():g}"
            return f"{qrels.name} has grades with fractions, and {run.place} {whole}: swapped? Judgements come first"
    return ""


def _first_scores(run: Run) -> FloatArray:
    """The scores of the first rows; none of standard input, which cannot be read twice."""
    if run.source is not None and run.source.address == "-":
        return np.empty(0)
    try:
        first = next(iter(run.blocks(Problems(run.place))), None)
    except InputError:
        first = None
    return np.empty(0) if first is None else first.rows.score[np.isfinite(first.rows.score)]
