"""MTEB: predictions as runs and back, results as tables of scores over tasks, and our scores as results.

A results file holds means and no rankings: what can be done with several of them is to compare models over tasks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import InputError, Problem, SettingError
from rankscope.inputs.formats.registry import refuse_duplicates, refuse_infinite
from rankscope.inputs.run import Run
from rankscope.measures.evaluation.scores import Scores, SystemScores
from rankscope.measures.notation import parse_measure

NAMES = {"nDCG": "ndcg", "AP": "map", "R": "recall", "P": "precision", "RR": "mrr", "success": "hit_rate"}
THEIRS = re.compile(r"(\w+)_at_(\d+)")
OURS = re.compile(r"(\w+)@(\d+)")
MAIN = "ndcg_at_10"  # the main score of a retrieval task
FORM = "A results file has task_name and scores {split: [{hf_subset, main_score, ...}]}; MTEB writes one per task."


def from_predictions(given: Any, subset: str = "default", split: str = "test", name: str = "") -> Run:
    """A run from MTEB's predictions: a file, or {subset: {split: {query: {item: score}}}}.

    >>> from_predictions({"default": {"test": {"q1": {"a": 2.0}}}}).to_dict()
    {'q1': {'a': 2.0}}
    """
    if isinstance(given, str | Path):
        return Run.of(f"{given}#{subset}/{split}", name=name)
    if subset not in given or split not in given[subset]:
        parts = [f"{each}/{part}" for each, splits in given.items() if isinstance(splits, Mapping) for part in splits]
        raise InputError.of("predictions", [f"have no {subset}/{split}; there are: {', '.join(parts) or 'none'}"])
    return Run.of(given[subset][split], name=name)


def to_predictions(run: Any, subset: str = "default", split: str = "test") -> dict[str, Any]:
    """A run in the form of MTEB's predictions.

    >>> to_predictions({"q1": {"a": 2.0}})
    {'default': {'test': {'q1': {'a': 2.0}}}}
    """
    given = Run.of(run)
    table = given.table()
    refuse_duplicates(table, given.place, "MTEB")
    refuse_infinite(table, given.place, "score", "MTEB")
    return {subset: {split: given.to_dict()}}


def measure_name(text: str) -> str:
    """What MTEB calls a measure; what it does not have keeps our name, made fit for a key.

    >>> measure_name("nDCG@10"), measure_name("AP@100"), measure_name("RBP(p=0.5)")
    ('ndcg_at_10', 'map_at_100', 'RBP(p=0.5)')
    """
    written = OURS.fullmatch(str(parse_measure(text)))
    return f"{NAMES[written[1]]}_at_{written[2]}" if written and written[1] in NAMES else text


def to_results(
    scores: Scores,
    task: str,
    *,
    system: str | None = None,
    main: str = MAIN,
    split: str = "test",
    subset: str = "default",
    languages: Sequence[str] = ("eng-Latn",),
    revision: str = "not known",
) -> dict[str, Any]:
    """Scores as MTEB's result of one task, ready for JSON and for `mteb.TaskResult.from_dict`.

    MTEB gives values of pytrec_eval, rounded to five places; evaluate with `compat="pytrec_eval"` for the same.
    >>> from rankscope.measures.evaluation.evaluate import evaluate
    >>> scores = evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, ["nDCG@10", "R@10"])
    >>> to_results(scores, "SciFact")["scores"]["test"][0]["ndcg_at_10"]
    0.63093
    """
    chosen = _chosen(scores, system)
    values = {
        measure_name(column.asked): round(column.summary, 5)
        for column in chosen.columns
        if column.measure.summary != "none" and not np.isnan(column.summary)
    }
    if main not in values:
        raise SettingError(f"main={main!r}: was not computed. There are: {', '.join(values)}")
    entry = {**values, "main_score": values[main], "hf_subset": subset, "languages": list(languages)}
    return {
        "dataset_revision": revision,
        "task_name": task,
        "mteb_version": None,
        "scores": {split: [entry]},
        "evaluation_time": None,
        "kg_co2_emissions": None,
    }


def _chosen(scores: Scores, system: str | None) -> SystemScores:
    names = [each.name for each in scores.systems]
    if system is None and len(names) == 1:
        return scores.systems[0]
    if system not in names:
        raise SettingError(f"MTEB has one model per file: give system=, one of {', '.join(names)}")
    return scores.systems[names.index(system)]


def from_results(models: Mapping[str, Any], measure: str = "main_score") -> ScoreTable:
    """One measure of several models over the tasks of their results, to be compared: `rankscope.compare([table])`.

    Each model: a results file, a folder of them, a TaskResult or its dictionary, or a list of these. A row is a task,
    with its split and subset where it has several; NaN where a model lacks it. A measure as ours or as MTEB's.
    >>> def result(task, value):
    ...     entry = {"main_score": value, "hf_subset": "default", "languages": ["eng-Latn"]}
    ...     return {"task_name": task, "scores": {"test": [entry]}}
    >>> table = from_results({"A": [result("SciFact", 0.6), result("NFCorpus", 0.3)], "B": result("SciFact", 0.7)})
    >>> table.queries, table.values.tolist()
    (('NFCorpus', 'SciFact'), [[0.3, nan], [0.6, 0.7]])
    """
    if not isinstance(models, Mapping):
        raise InputError.of(
            "MTEB results", [f"need a dictionary {{model: results}}, got {type(models).__name__}"], FORM
        )
    wanted = measure if measure == "main_score" or THEIRS.fullmatch(measure) else measure_name(measure)
    found = {name: {each.task: each.values for each in _tasks(given)} for name, given in models.items()}
    _refuse_missing(found, wanted)
    tasks = sorted({task for results in found.values() for task in results})
    columns: dict[str, ArrayLike] = {
        model: np.array([results[task][wanted] if task in results else np.nan for task in tasks])
        for model, results in found.items()
    }
    return ScoreTable.make(columns, measure=measure, queries=tasks)


def _refuse_missing(found: Mapping[str, Mapping[str, Mapping[str, float]]], wanted: str) -> None:
    """Every task that lacks the measure is a problem, and so is no task at all."""
    tasks = [(model, task, values) for model, results in found.items() for task, values in results.items()]
    problems = [
        Problem(f"{model}, {task}", f"has no {wanted}") for model, task, values in tasks if wanted not in values
    ]
    if not tasks:
        raise InputError.of("MTEB results", ["hold no task"], FORM)
    if problems:
        names = dict.fromkeys(name for _, _, values in tasks for name in values if not name.startswith("nauc_"))
        raise InputError.of("MTEB results", problems, f"They have: {', '.join(names)}.")


@dataclass(frozen=True)
class TaskMeans:
    """The numbers of one split and subset of a task."""

    task: str
    values: Mapping[str, float]


def _tasks(given: Any) -> Iterator[TaskMeans]:
    """All that a file, a folder, an object of MTEB's or a list of these holds."""
    if isinstance(given, list | tuple):
        for each in given:
            yield from _tasks(each)
    elif isinstance(given, str | Path):
        yield from _tasks_in_files(Path(given))
    else:
        yield from _tasks_in(given.to_dict() if hasattr(given, "to_dict") else given, "result")


def _tasks_in_files(path: Path) -> Iterator[TaskMeans]:
    """A folder may hold other JSON, such as model_meta.json, which is passed over; a file named must hold results."""
    if not path.is_dir():
        yield from _tasks_in(_read(path), path.name)
        return
    for file in sorted(path.rglob("*.json")):
        content = _read(file)
        if is_results(content):
            yield from _tasks_in(content, file.name)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"is no JSON: {error}"
        raise InputError.of(path.name, [str(reason)], FORM) from None


def is_results(content: object) -> bool:
    """Whether an object has the form of MTEB's results.

    >>> is_results({"task_name": "SciFact", "scores": {"test": []}}), is_results({"q1": {"a": 1.0}})
    (True, False)
    """
    return isinstance(content, Mapping) and "task_name" in content and isinstance(content.get("scores"), Mapping)


def _tasks_in(content: Any, place: str) -> Iterator[TaskMeans]:
    if not is_results(content):
        raise InputError.of(place, ["holds no MTEB results"], FORM)
    parts = [(split, entry) for split, entries in content["scores"].items() for entry in entries]
    for split, entry in parts:
        where = f" ({split}, {entry.get('hf_subset', 'default')})" if len(parts) > 1 else ""
        numbers = {
            name: value
            for name, value in entry.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        yield TaskMeans(f"{content['task_name']}{where}", numbers)
