"""Chunks and documents in one table: every system twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rankscope.errors import InputError, SettingError
from rankscope.evaluation.evaluate import evaluate
from rankscope.evaluation.scores import Scores, SystemScores
from rankscope.inputs.expansion import MAX_RATIO
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading, reading_with
from rankscope.measures.notation import Asked
from rankscope.settings import default
from rankscope.wording import setting_usage


def evaluate_both_levels(qrels: Any, runs: Any, measures: Asked, *, roll_up: Any = None, **given: Any) -> Scores:
    """The scores of chunks and of the documents they roll up to; judgements must be of chunks.

    >>> judged, run = {"q": {"d1#0": 1, "d1#4": 1}}, {"q": ["d2#0", "d1#4", "d1#0"]}
    >>> scores = evaluate_both_levels(judged, {"mine": run}, ["R@2"], roll_up="^(.*)#")
    >>> [(each.name, scores[each.name, "R@2"]) for each in scores.systems]
    [('mine (chunks)', 0.5), ('mine (documents)', 1.0)]
    """
    if roll_up is None:
        raise SettingError(f"{setting_usage('both_levels')} needs {setting_usage('roll_up', 'REGEX')}")
    reading = _reading(roll_up, given)
    judged = Qrels.of(qrels, replace(reading, roll_up=None))
    from rankscope.inputs.rolled_qrels import has_chunks

    if not has_chunks(judged, reading.roll_up):
        what = "no judged item is a chunk of the roll-up: only documents can be evaluated with these judgements"
        raise InputError.of(judged.name, [what], f"Leave out {setting_usage('both_levels')}, or judge chunks.")
    chunks = evaluate(judged, runs, measures, **given)
    documents = evaluate(judged, runs, measures, roll_up=reading.roll_up, **given)
    pairs = zip(chunks.systems, documents.systems, strict=True)
    systems = [each for pair in pairs for each in map(_at_level, pair, ("chunks", "documents"))]
    notes = tuple(dict.fromkeys((*chunks.notes, *documents.notes)))
    return replace(documents, systems=tuple(systems), notes=notes)


def _reading(roll_up: Any, given: dict[str, Any]) -> Reading:
    comments = bool(given.get("comments", default("comments")))
    encoding, max_ratio = given.get("encoding", "utf-8"), given.get("max_ratio", MAX_RATIO)
    names = ("columns", "map_qrels", "map_runs")
    maps: dict[str, Any] = {name: given.get(name) for name in names}
    return reading_with(
        roll_up=roll_up,
        format=given.get("format"),
        encoding=encoding,
        comments=comments,
        max_ratio=max_ratio,
        **maps,
    )


def _at_level(system: SystemScores, level: str) -> SystemScores:
    return replace(system, ranks=replace(system.ranks, system=f"{system.ranks.system} ({level})"))
