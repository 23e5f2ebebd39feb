"""All kinds of cases, and how one of them is tried."""

from __future__ import annotations

import random
import warnings
from functools import cache, partial
from pathlib import Path

from benchmarks.fuzzing.commands import command_trial
from benchmarks.fuzzing.journals import journal_trial
from benchmarks.fuzzing.json_shapes import map_trial, shape_trial
from benchmarks.fuzzing.options import option_trial
from benchmarks.fuzzing.pictures import picture_trial
from benchmarks.fuzzing.rankings import table_trial, text_trial
from benchmarks.fuzzing.saved import saved_trial
from benchmarks.fuzzing.texts import damaged_index_trial, search_trial
from benchmarks.fuzzing.trial import Maker, Trial
from benchmarks.fuzzing.vectors import label_trial, npy_trial, npz_trial
from rankscope.core.errors import RankscopeError

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
    "search": search_trial,
    "shapes": shape_trial,
    "map": map_trial,
    "commands": command_trial,
    "index": damaged_index_trial,
    "journal": journal_trial,
}
FORMATS = tuple(MAKERS)
MEANINGS = {
    "trec": "TREC text",
    "csv": "CSV and TSV",
    "json": "nested JSON",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "arrow": "Arrow",
    "npz": "archives of arrays",
    "npy": "arrays with files of labels",
    "labels": "labels in every form",
    "ranks": "saved ranks, edited and damaged",
    "pictures": "pictures",
    "options": "measures and settings in Python",
    "search": "search strings",
    "shapes": "JSON of other tools, with parts exchanged",
    "map": "tables read by `--map`",
    "commands": "options of all commands, through their parsers; answers of search engines; work that is stopped",
    "index": "damaged text indexes",
    "journal": "damaged journals of projects",
}
BY_COMMAND = FORMATS[:12]  # those whose trials are commands too, or pictures in a folder
SHARE = 2000  # cases of the rarest kind in a whole run
SHARES = {
    **dict.fromkeys(FORMATS, 20),
    **dict.fromkeys(("search", "shapes", "map", "commands"), 10),
    "index": 1,
    "journal": 1,
}
ROUND = sum(SHARES.values())  # cases in which each kind has had its share
WHOLE = ROUND * SHARE


def format_of(number: int) -> str:
    """The kind of a case: in each round all kinds have their shares, spread evenly."""
    return _round()[number % ROUND]


@cache
def _round() -> list[str]:
    placed = [((place + 0.5) / share, name) for name, share in SHARES.items() for place in range(share)]
    return [name for _, name in sorted(placed)]


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
