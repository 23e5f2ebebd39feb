"""Judgements and runs as most people have them, taken from the demo: to try every other command on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SMALLEST, LARGEST = 5, 50  # icons in a class that is asked for
DEPTH = 100  # places of a ranking
JUDGED = 20  # places of each ranking that are judged, whatever stands there

Lists = dict[str, dict[str, float]]


def write_samples(folder: Path, sample: Any, nearest: Any, systems: tuple[str, ...]) -> list[tuple[Path, str]]:
    """TREC text: one icon of each class of middling size is a query, its class mates are relevant."""
    from rankscope.files import atomic
    from rankscope.inputs.formats.trec import TREC
    from rankscope.inputs.qrels import Qrels
    from rankscope.inputs.run import Run

    rows = _asked(sample)
    found = {system: _lists(sample, rows, *nearest(sample.features(system), rows, DEPTH)) for system in systems}
    with atomic(folder / "qrels.txt", "w") as file:
        TREC.write_qrels(Qrels.of(_judgements(sample, rows, list(found.values()))), file)
    for system, lists in found.items():
        with atomic(folder / f"{system}.run", "w") as file:
            TREC.write_run(Run.of(lists, name=system), file)
    ranked = f"what {{}} finds for them, the first {DEPTH}, as TREC text"
    runs = [(folder / f"{system}.run", ranked.format(system)) for system in systems]
    return [(folder / "qrels.txt", f"judgements of {len(rows)} queries, as TREC text"), *runs]


def _asked(sample: Any) -> list[int]:
    """The first icon of each class that is neither tiny nor larger than a ranking shows."""
    first: dict[str, int] = {}
    for row, label in enumerate(sample.class_of_item):
        first.setdefault(label, row)
    count = dict(zip(sample.classes, sample.class_sizes.tolist(), strict=True))
    return [row for label, row in first.items() if label and SMALLEST <= count[label] <= LARGEST]


def _lists(sample: Any, rows: list[int], places: Any, scores: Any) -> Lists:
    """Items and scores of each query, best first."""
    return {
        sample.items[row]: {sample.items[item]: score for item, score in zip(own, values, strict=True)}
        for row, own, values in zip(rows, places.tolist(), scores.tolist(), strict=True)
    }


def _judgements(sample: Any, rows: list[int], runs: list[Lists]) -> dict[str, dict[str, int]]:
    """1 for every class mate; 0 for what else stands among the first of a run."""
    mates: dict[str, list[str]] = {}
    for item, label in zip(sample.items, sample.class_of_item, strict=True):
        mates.setdefault(label, []).append(item)
    result = {}
    for row in rows:
        query = sample.items[row]
        seen = [item for lists in runs for item in list(lists[query])[:JUDGED]]
        relevant = [item for item in mates[sample.class_of_item[row]] if item != query]
        result[query] = {**dict.fromkeys(seen, 0), **dict.fromkeys(relevant, 1)}
    return result
