"""Scores of systems from which sentences are made; `python -m tests.reports.texts.sentences` writes the golden file.

Scores are written out, so that whoever reads the file can compute what a sentence says. NaN is an answer that is
missing; `times` repeats all queries so often, where there are many.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.analysis.comparison.compare import compare, comparison_notes
from rankscope.analysis.comparison.gate import gate, power_sentence
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences, write_up_sentences
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray

GOLDEN = Path(__file__).with_name("sentences.json")
EFFECT, RESAMPLES = 0.01, 200
Scores = dict[str, dict[str, list[float | None]]]  # by measure, by system


@dataclass(frozen=True)
class Case:
    """Scores, and what is said of them."""

    name: str
    command: str
    scores: Scores
    lower: bool = False
    classes: list[str] | None = None
    times: int = 1
    baseline: str = ""
    within: float | None = None  # the margin of equivalence
    sentences: list[str] = field(default_factory=list)

    def table(self, measure: str) -> ScoreTable:
        """The scores of a measure on all queries."""
        values = {name: self.column(measure, name) for name in self.scores[measure]}
        classes = None if self.classes is None else self.classes * self.times
        return ScoreTable.make(values, classes, measure, lower_is_better=self.lower)

    def column(self, measure: str, system: str) -> FloatArray:
        """The scores of a system, missing ones as NaN."""
        return np.tile(np.array(self.scores[measure][system], dtype=np.float64), self.times)

    def said(self) -> list[str]:
        """The sentences that are made of these scores now."""
        tables = [self.table(measure) for measure in self.scores]
        if self.command in ("compare", "write-up"):
            compared = compare(
                tables,
                baseline=self.baseline or None,
                permutations=100,
                resamples=RESAMPLES,
                equivalent_within=self.within,
            )
            if self.command == "write-up":
                return write_up_sentences(compared)
            return [*verdict_sentences(compared), *comparison_notes(compared)]
        result = gate(tables, EFFECT, by_class=self.classes is not None)
        checks = [f"{check.verdict}: {check.sentence}" for check in result.checks]
        return [*checks, *map(power_sentence, result.checks), *result.remarks]


def cases() -> list[Case]:
    """The cases of the golden file."""
    rows = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return [Case(**row) for row in rows]


def _made() -> Iterator[Case]:
    """Systems, directions, ties, one and two queries, missing answers, classes, many queries."""
    for queries in (1, 2, 6, 13, 40):
        for gain in (0.0, 0.06, -0.12):
            for lower in (False, True):
                yield _case(f"{queries} queries", "compare", queries, gain, lower=lower)
                if queries >= 6:
                    yield _case(f"{queries} queries", "gate", queries, gain, lower=lower)
    for systems in (3, 5, 9):
        for queries in (2, 7, 30):
            for lower in (False, True):
                named = "B" if systems == 5 else ""
                yield _case(
                    f"{systems} systems", "compare", queries, 0.08, systems=systems, lower=lower, baseline=named
                )
    for lower in (False, True):
        for gain in (0.0, 0.06):
            yield _case("paper", "write-up", 40, gain, lower=lower, within=0.04, missing=0.1)
        yield _case("paper, measures", "write-up", 25, 0.05, measures=("AP", "RR"), lower=lower)
        yield _case("paper, three measures", "write-up", 25, 0.05, measures=("AP", "RR", "P@5"), lower=lower)
        yield _case("paper, systems", "write-up", 30, 0.04, systems=4, measures=("AP", "RR"), lower=lower)
        yield _case("paper, baseline", "write-up", 30, 0.02, systems=5, lower=lower, baseline="C")
        yield _case("paper, many systems", "write-up", 30, 0.04, systems=9, lower=lower, within=0.1)
    yield _case("tenths, many equal", "compare", 10, 0.0, systems=4, places=1, noise=0.01)
    for lower in (False, True):
        for command in ("compare", "gate"):
            for gain in (0.0, 0.1):
                yield _case("tenths, many equal", command, 24, gain, places=1, noise=0.04, lower=lower)
                yield _case("missing answers", command, 20, gain, missing=0.15, lower=lower)
            yield _case("classes", command, 36, 0.05, classes=3, lower=lower)
            yield _case("5,000 queries", command, 40, 0.001, times=125, lower=lower)
            yield _case("equal", command, 12, 0.0, noise=0.0, lower=lower)
            yield _case("all differ alike", command, 12, 0.125, noise=0.0, lower=lower)
        yield _case("two measures", "compare", 25, 0.06, measures=("AP", "RR"), lower=lower)
        yield _case("four measures", "compare", 25, 0.06, measures=("AP", "RR", "P@5", "R@5"), lower=lower)
        for within in (0.02, 0.1):
            for gain in (0.0, 0.05):
                yield _case("equivalence", "compare", 25, gain, noise=0.06, lower=lower, within=within)
        yield _case("equivalence", "compare", 30, 0.03, systems=5, noise=0.04, lower=lower, within=0.05)
        yield _case("equivalence", "compare", 8, 0.03, systems=3, lower=lower, within=0.1)
        yield _case("few differ", "compare", 30, 0.2, moving=4, lower=lower)
        yield _case("few differ", "compare", 30, 0.2, moving=4, systems=3, lower=lower)
        yield _case("few differ", "gate", 30, 0.1, moving=4, lower=lower)
        yield _case("nothing is caught", "gate", 6, 0.0, noise=0.9, lower=lower)


def _case(
    name: str,
    command: str,
    queries: int,
    gain: float,
    *,
    systems: int = 2,
    lower: bool = False,
    places: int = 3,
    noise: float = 0.1,
    missing: float = 0.0,
    classes: int = 0,
    times: int = 1,
    moving: int = 0,
    measures: tuple[str, ...] = ("AP",),
    baseline: str = "",
    within: float | None = None,
) -> Case:
    if lower:
        measures = tuple({"AP": "ER", "RR": "NMRR"}.get(each, each) for each in measures)
    seed = [len(name), queries, round(abs(gain) * 1_000), systems, lower, command == "gate"]
    chance = np.random.default_rng(seed)
    scores: Scores = {}
    for measure in measures:
        base = chance.uniform(0.2, 0.7, queries)
        scores[measure] = {}
        for number in range(systems):
            away = gain * number + chance.normal(0, noise, queries) * (number > 0)
            if moving:
                away[moving:] = 0.0
            values = np.clip(base + away, 0.0, 1.0).round(places)
            gone = chance.random(queries) < missing
            scores[measure]["ABCDEFGHI"[number]] = [
                None if left else value for value, left in zip(values.tolist(), gone.tolist(), strict=True)
            ]
    labels = [f"k{number % classes}" for number in range(queries)] if classes else None
    told = f"{name}{f' within {within:g}' if within else ''}, gain {gain:g}{', lower is better' if lower else ''}"
    return Case(told, command, scores, lower, labels, times, baseline, within)


def write() -> None:
    """Make the golden file anew; read the difference before it is committed."""
    rows: list[dict[str, Any]] = [vars(case) | {"sentences": case.said()} for case in _made()]
    text = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    GOLDEN.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    said = [each for row in rows for each in row["sentences"]]
    print(f"{len(rows)} cases, {len(said)} sentences, {len(set(said))} of them different")


if __name__ == "__main__":
    write()
