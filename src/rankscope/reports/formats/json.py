"""JSON with a version, for programs: everything the other formats show, and where it came from."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rankscope.names import in_json

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Column, Scores, SystemScores

VERSION = 1


def render(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """One object; undefined values are null."""
    whole = {
        "format": "rankscope.scores",
        "version": VERSION,
        "settings": scores.settings_in_effect,
        "measures": [
            {"asked": column.asked, "computed": str(column.measure), "summary": column.measure.summary}
            for column in (scores.systems[0].columns if scores.systems else ())
        ],
        "systems": [_system(system, scores, per_query) for system in scores.systems],
        "warnings": scores.warnings(),
    }
    return in_json(json.dumps(_clean(whole), indent=2, ensure_ascii=False)) + "\n"


def _system(system: SystemScores, scores: Scores, per_query: bool) -> dict[str, Any]:
    numbers = [column for column in system.columns if column.measure.summary != "none"]
    result: dict[str, Any] = {
        "name": system.name,
        "tag": system.ranks.tag,
        "means": {column.asked: column.summary for column in numbers},
        "queries_averaged": {column.asked: column.averaged for column in numbers},
        "coverage": asdict(scores.coverage()[system.name]),
        "provenance": dict(system.ranks.provenance),
    }
    if any(column.extremes for column in numbers):
        result["worst_and_best_order"] = {column.asked: column.extremes for column in numbers}
        result["standard_error"] = {column.asked: column.summary_error for column in numbers}
    if per_query:
        result["queries"] = [_query(system, row) for row in range(len(system.ranks))]
    return result


def _query(system: SystemScores, row: int) -> dict[str, Any]:
    result: dict[str, Any] = {"query": system.ranks.queries[row], "status": system.status[row]}
    if system.ranks.classes is not None:
        result["class"] = system.ranks.classes[row]
    result["values"] = {column.asked: _value(column, row) for column in system.columns if column.word is None}
    errors = {column.asked: float(column.error[row]) for column in system.columns if column.error is not None}
    if errors:
        result["standard_errors"] = errors
    return result


def _value(column: Column, row: int) -> float | str:
    return column.words[row] if column.words is not None else float(column.values[row])


def _clean(value: Any) -> Any:
    """NaN and infinity are not JSON."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    return value
