"""Saved reductions with edited columns and notes, and wounded ones."""

from __future__ import annotations

import json
import random
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.fuzzing.rankings import check_scores
from benchmarks.fuzzing.trial import Trial
from benchmarks.fuzzing.wounds import wounded
from rankscope.core import digests
from rankscope.core.settings import Settings
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.measures.evaluation.scores import Scores
from rankscope.ranks.reduction import reduce
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import KEY, load_ranks, save_ranks

WHOLE = (0, 1, 2, 3, 5, -1, 100, 10**6, 1 << 41, (1 << 63) - 1, -(1 << 63))
REAL = (0.0, 1.0, 2.0, -1.0, 0.5, 1e300, float("nan"), float("inf"), -0.0)
ODD: tuple[Any, ...] = (None, 0, -1, 1.5, "x", [], {}, True, 10**30, float("nan"))


@cache
def example(number: int) -> RelevantRanks:
    """A few reductions with all that a file can have."""
    chance = random.Random(number)
    judged = {f"q{row}": {f"D{item}": chance.randrange(-1, 4) for item in range(6)} for row in range(4)}
    run = {f"q{row}": {f"D{item}": float(chance.randrange(5)) for item in range(9)} for row in range(3)}
    settings = Settings(collection_size=20 if number % 2 else None)
    ranks = reduce(Qrels.of(judged), Run.of(run), settings, keep_scores=number % 3 > 0)
    return ranks.with_classes({"q0": "a"}) if number % 4 == 0 else ranks


@cache
def stored(number: int) -> tuple[bytes, pl.DataFrame, dict[str, Any]]:
    """One of them as its file, as the table in the file, and the notes next to it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.ranks.parquet"
        save_ranks(example(number), path)
        return path.read_bytes(), pl.read_parquet(path), json.loads(pl.read_parquet_metadata(path)[KEY])


def saved_trial(chance: random.Random, folder: Path) -> Trial:
    """A file as it was written, with wounds; or one of before there were digests, edited and perhaps wounded."""
    path = folder / "x.ranks.parquet"
    number, edited = chance.randrange(12), chance.random() < 0.6
    if edited:
        _write_edited(path, number, chance)
    else:
        path.write_bytes(stored(number)[0])
    if not edited or chance.random() < 0.2:
        path.write_bytes(wounded(path.read_bytes(), chance))
    confirm = partial(_confirm, path) if edited else partial(_same, number)
    return Trial(partial(_evaluated, path), confirm, ("evaluate", str(path), "-m", "AP"))


def _same(number: int, answer: tuple[RelevantRanks, Scores | None]) -> None:
    """Exactly the answer of before."""
    assert _parts(answer) == _parts_before(number)


@cache
def _parts_before(number: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.ranks.parquet"
        path.write_bytes(stored(number)[0])
        return _parts(_evaluated(path))


def _parts(answer: tuple[RelevantRanks, Scores | None]) -> str:
    ranks, scores = answer
    values = [] if scores is None else [column.values.tolist() for column in scores.systems[0].columns]
    lists = [ranks.judged.lists(name) for name in ("rank", "grade")]
    return repr((ranks.queries, lists, ranks.levels.lists("grade"), ranks.levels.lists("count"), values))


def _write_edited(path: Path, number: int, chance: random.Random) -> None:
    _, frame, kept = stored(number)
    notes = {name: value for name, value in kept.items() if name != digests.DIGEST_KEY}
    for _ in range(chance.choice((1, 1, 2))):
        kind = chance.randrange(8)
        if kind == 0:
            notes[chance.choice([*notes, "other"])] = chance.choice(ODD)
        elif kind == 1 and frame.width > 2:
            frame = frame.drop(chance.choice(frame.columns))
        elif kind == 2:
            name = chance.choice(frame.columns)
            frame = frame.with_columns(
                pl.Series(name, [chance.choice(ODD)] * frame.height, strict=False, dtype=pl.String)
            )
        else:
            frame = _with_other_cell(frame, chance)
    frame.write_parquet(path, metadata={KEY: json.dumps(notes)})


def _with_other_cell(frame: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    name, row = chance.choice(frame.columns), chance.randrange(frame.height)
    values = frame.get_column(name).to_list()
    cell = values[row]
    real = name.endswith(("grade", "score"))
    if isinstance(cell, list):
        choices = REAL if real else WHOLE
        cell = list(cell)
        if cell and chance.random() < 0.6:
            cell[chance.randrange(len(cell))] = chance.choice(choices)
        elif cell and chance.random() < 0.5:
            del cell[chance.randrange(len(cell))]
        else:
            cell.append(chance.choice(choices))
        chance.shuffle(cell) if chance.random() < 0.1 else None
    elif isinstance(cell, bool):
        cell = chance.choice((True, False, None))
    elif isinstance(cell, int):
        cell = chance.choice(WHOLE)
    else:
        cell = chance.choice(("q1", "q9", "", None))
    values[row] = cell
    return frame.with_columns(pl.Series(name, values, dtype=frame.schema[name], strict=False))


def _evaluated(path: Path) -> tuple[RelevantRanks, Scores | None]:
    ranks = load_ranks(path)
    if ranks.levels["count"].max(initial=0) > 10**5:  # an ideal order of so many items is a long array
        return ranks, None
    return ranks, evaluate_ranks([ranks], ["AP", "nDCG", "P@10", "RBP", "bpref", "ERR@10"], Settings())


def _confirm(path: Path, answer: tuple[RelevantRanks, Scores | None]) -> None:
    """The lists as polars reads them, AP by its definition, and every measure within its range."""
    ranks, scores = answer
    frame = pl.read_parquet(path)
    assert ranks.judged.lists("rank") == frame.get_column("judged_rank").to_list()
    assert ranks.levels.lists("count") == frame.get_column("levels_count").to_list()
    if scores is None:
        return
    check_scores(scores, None, "error")
    for row, value in enumerate(scores.systems[0].columns[0].values.tolist()):
        hits = [
            rank
            for rank, grade in zip(frame["judged_rank"][row], frame["judged_grade"][row], strict=True)
            if grade >= 1
        ]
        levels = zip(frame["levels_grade"][row], frame["levels_count"][row], strict=True)
        relevant = sum(count for grade, count in levels if grade >= 1)
        if relevant and frame["answered"][row]:
            plain = sum(place / rank for place, rank in enumerate(hits, 1)) / relevant
            assert abs(value - plain) < 1e-9, f"row {row}: {value}, plainly {plain}"
