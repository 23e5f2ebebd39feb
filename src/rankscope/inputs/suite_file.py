"""A suite in a file: tasks, each with judgements and the runs of systems, or with saved ranks, in TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import InputError, Problem
from rankscope.core.settings import SETTINGS

ADVICE = """A suite reads:
  measures = ["AP", "nDCG@10"]
  [[task]]
  name = "cranfield"
  qrels = "cranfield/qrels.txt"
  runs = { bm25 = "cranfield/bm25.run", dirichlet = "cranfield/dirichlet.run" }
or in the place of qrels and runs: ranks = { bm25 = "cranfield/bm25.ranks.parquet" }"""
WHOLE = ("title", "measures", "baseline", "settings", "task")
TASK = ("name", "qrels", "runs", "ranks", "settings")
CHOICES = frozenset(each.name for each in SETTINGS)


@dataclass(frozen=True)
class SuiteFileTask:
    """One task: its name, its judgements and runs by the names of systems, or saved ranks, and its settings."""

    name: str
    qrels: str | None
    systems: Mapping[str, str]  # runs, or saved ranks where there are no judgements
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SuiteFile:
    """What a suite asks: measures, the first of which decides, a baseline, and tasks."""

    tasks: tuple[SuiteFileTask, ...]
    measures: tuple[str, ...] = ()
    baseline: str | None = None
    title: str = ""


def read_suite(path: str | Path) -> SuiteFile:
    """Read a suite; paths in it are relative to its folder. All problems are told at once."""
    place = Path(path)
    try:
        whole = tomllib.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError.of(str(path), [f"cannot be read: {error.strerror}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError.of(str(path), [f"not TOML: {error}"], ADVICE) from None
    return parse_suite(whole, place.parent, str(path))


def parse_suite(whole: Mapping[str, Any], folder: Path, source: str = "suite") -> SuiteFile:
    """The same from what a file holds."""
    problems = [Problem("", f"unknown name '{name}'") for name in whole if name not in WHOLE]
    shared = _settings(whole.get("settings", {}), "settings", problems)
    tasks = _tasks(whole.get("task"), folder, shared, problems)
    measures = _texts(whole.get("measures", []), "measures", problems)
    texts = {name: _text(whole.get(name, ""), name, problems) for name in ("baseline", "title")}
    if problems:
        raise InputError.of(source, problems, ADVICE)
    return SuiteFile(tasks, measures, texts["baseline"] or None, texts["title"])


def _tasks(given: Any, folder: Path, shared: Mapping[str, Any], problems: list[Problem]) -> tuple[SuiteFileTask, ...]:
    if not isinstance(given, list) or not given:
        problems.append(Problem("", "it has no [[task]]"))
        return ()
    tasks = [_task(each, f"task {number}", folder, shared, problems) for number, each in enumerate(given, 1)]
    names = [each.name for each in tasks]
    problems += [
        Problem("", f"two tasks are called '{name}'") for name in dict.fromkeys(names) if names.count(name) > 1
    ]
    return tuple(tasks)


def _task(given: Any, place: str, folder: Path, shared: Mapping[str, Any], problems: list[Problem]) -> SuiteFileTask:
    if not isinstance(given, Mapping):
        problems.append(Problem(place, "it is not a table"))
        return SuiteFileTask(place, None, {})
    name = _text(given.get("name", ""), f"{place} name", problems)
    place = f"{place} ({name})" if name else place
    problems += [Problem(place, f"unknown name '{each}'") for each in given if each not in TASK]
    if not name:
        problems.append(Problem(place, "it has no name"))
    has_ranks, has_runs = "ranks" in given, "qrels" in given and "runs" in given
    if has_ranks == has_runs or (has_ranks and ("qrels" in given or "runs" in given)):
        problems.append(Problem(place, "it needs qrels and runs, or ranks alone"))
    systems = _systems(given.get("ranks" if has_ranks else "runs", {}), place, folder, problems)
    qrels = _text(given.get("qrels", ""), f"{place} qrels", problems)
    settings = {**shared, **_settings(given.get("settings", {}), place, problems)}
    return SuiteFileTask(name, None if has_ranks else _path(folder, qrels), systems, settings)


def _systems(given: Any, place: str, folder: Path, problems: list[Problem]) -> dict[str, str]:
    """Files by the names of their systems; a list takes the names from the files."""
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        given = {Path(each).name.partition(".")[0]: each for each in given}
    if not isinstance(given, Mapping) or not all(isinstance(each, str) for each in given.values()):
        problems.append(Problem(place, "runs and ranks are files by the names of systems: { bm25 = 'bm25.run' }"))
        return {}
    if not given:
        problems.append(Problem(place, "it has no system"))
    return {str(name): _path(folder, each) for name, each in given.items()}


def _path(folder: Path, path: str) -> str:
    """Relative to the suite; an address such as irds:NAME or s3://... stays."""
    return path if ":" in path.split("/")[0] or not path else str(folder / path)


def _settings(given: Any, place: str, problems: list[Problem]) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        problems.append(Problem(place, "settings are a table: { rel = 2 }"))
        return {}
    problems += [
        Problem(place, unknown_name("setting", name, sorted(CHOICES))) for name in given if name not in CHOICES
    ]
    return dict(given)


def _text(value: Any, name: str, problems: list[Problem]) -> str:
    if not isinstance(value, str):
        problems.append(Problem(name, "it must be a text"))
        return ""
    return value


def _texts(value: Any, name: str, problems: list[Problem]) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        problems.append(Problem(name, "it must be a list of texts"))
        return ()
    return tuple(given)
