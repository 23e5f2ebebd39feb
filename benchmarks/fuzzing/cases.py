"""All kinds of cases, and how one of them is tried."""

from __future__ import annotations

import random
import warnings
from functools import partial
from pathlib import Path

from benchmarks.fuzzing.options import option_trial
from benchmarks.fuzzing.pictures import picture_trial
from benchmarks.fuzzing.rankings import table_trial, text_trial
from benchmarks.fuzzing.saved import saved_trial
from benchmarks.fuzzing.trial import Maker, Trial
from benchmarks.fuzzing.vectors import label_trial, npy_trial, npz_trial
from rankscope.errors import RankscopeError

ANSWER, CLEAR = "answer", "clear error"
MAKERS: dict[str, Maker] = {
    "trec": partial(text_trial, "trec"),
    "csv": partial(text_trial, "csv"),
    "json": partial(text_trial, "json"),
    "jsonl": partial(text_trial, "jsonl"),
    "parquet": partial(table_trial, "parquet"),
    "arrow": partial(table_trial, "arrow"),
    "npz": npz_trial,
    "npy": npy_trial,
    "labels": label_trial,
    "ranks": saved_trial,
    "pictures": picture_trial,
    "options": option_trial,
}
FORMATS = tuple(MAKERS)


def trial_of(format: str, seed: int, number: int, folder: Path) -> Trial:
    """A case, always the same for the same numbers."""
    return MAKERS[format](random.Random(f"{format} {seed} {number}"), folder)


def outcome(trial: Trial) -> str:
    """What came of it, in a word; anything but a confirmed answer or a RankscopeError is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = trial.attempt()
        except RankscopeError:
            return CLEAR
        trial.confirm(answer)
        return ANSWER
