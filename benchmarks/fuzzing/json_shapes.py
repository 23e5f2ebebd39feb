"""JSON of every shape with parts exchanged, and tables whose columns are named by a map: values within their range, or
a clear error."""

from __future__ import annotations

import json
import random
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.fuzzing.rankings import IDS, NAMES, check_scores, delimited, json_lines, odd_value, rows_of
from benchmarks.fuzzing.trial import Trial
from rankscope.commands.evaluate import evaluate
from rankscope.inputs.formats import registry
from rankscope.inputs.formats.registry import Example

QRELS = {"1": {"D1": 1, "D2": 0, "d1": 1, "a": 2}, "q1": {"d1": 1, "d2": 1}}
RUN = {"1": {"D1": 2.0, "d1": 1.0}, "q1": {"d2": 1.0}}
ROLES = ("query", "item", "score", "grade", "rank", "results", "x", "", "query ")


@cache
def _examples() -> tuple[Example, ...]:
    shapes = (shape for shape in registry.all_shapes() if shape.format == "json")
    return tuple(each for shape in shapes for each in shape.examples if ".json" in each.file)


def shape_trial(chance: random.Random, folder: Path) -> Trial:
    """A response, ratings or records of a known tool, in which some parts are others."""
    example = chance.choice(_examples())
    lines = example.file.endswith("l")
    value: Any = [json.loads(line) for line in example.text.splitlines()] if lines else json.loads(example.text)
    for _ in range(chance.choice((1, 1, 2, 4))):
        value = with_another_part(value, chance)
    path = folder / Path(example.file).name
    written = (
        "".join(json.dumps(each) + "\n" for each in value) if lines and isinstance(value, list) else json.dumps(value)
    )
    path.write_text(written)
    return _read_either_way(
        path, chance.choice((example.columns, example.columns, "", "item=id", "results=a.b")), chance
    )


def with_another_part(value: Any, chance: random.Random) -> Any:
    """The value with something else at a place, or with another name for it."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(list(value))
        if chance.random() < 0.2:
            return {
                (chance.choice((*NAMES, *IDS, "\ud800")) if each == name else each): part
                for each, part in value.items()
            }
        return {**value, name: with_another_part(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        place = chance.randrange(len(value))
        return [*value[:place], with_another_part(value[place], chance), *value[place + 1 :]]
    return odd_value(chance)


def map_trial(chance: random.Random, folder: Path) -> Trial:
    """A table whose columns have odd names, and a map that names some of them, and some that are not there."""
    run = chance.random() < 0.5
    name, write = chance.choice((("t.csv", delimited), ("t.jsonl", json_lines)))
    path = folder / name
    path.write_bytes(write(rows_of(chance, run), chance, run))
    roles = [chance.choice(ROLES) for _ in range(chance.randrange(4))]
    given = [
        f"{role}{chance.choice(('=', '=', '=', '==', ':', ''))}{chance.choice((*NAMES, *IDS, chr(0), '='))}"
        for role in roles
    ]
    return _read_either_way(path, ",".join(given), chance)


def _read_either_way(path: Path, columns: str, chance: random.Random) -> Trial:
    """As a run, or as judgements."""
    qrels, run = (QRELS, path) if chance.random() < 0.5 else (path, RUN)
    attempt = partial(evaluate, qrels, run, ["AP", "nDCG", "P@3"], columns=columns)
    return Trial(attempt, lambda scores: check_scores(scores, None, "error"))
