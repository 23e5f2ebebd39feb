"""Labels that people or machines made elsewhere, as marks of one assessor."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankscope.errors import SettingError
from rankscope.inputs.checks import Problems, place_of_line, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.sources import Source
from rankscope.inputs.texts import whole
from rankscope.workbench.store.events import Mark

if TYPE_CHECKING:
    from rankscope.workbench.project import Project

KINDS = ("human", "machine")
PROBABILITY = rb"(?:0?\.\d+|1(?:\.0*)?|\d\.?\d*e-\d+)"
PROBABILITY_LINE = re.compile(rb"\s*(?:\S+[ \t]+){3}-?\d+[ \t]+" + PROBABILITY + rb"[ \t]*\r?\n")


class Imported(NamedTuple):
    """How many labels a file had, how many of them were new, and how many said that nobody had judged."""

    labels: int
    new: int
    unjudged: int


def import_labels(project: Project, labels: Any, assessor: str, kind: str = "human") -> Imported:
    """Every label of a file or table becomes a mark of this assessor; the same label again changes nothing.

    A grade below 0 says that an item is in a pool and not judged: it is left out. What does not fit the project is told
    whole, and nothing comes in.
    """
    if kind not in KINDS:
        raise SettingError(f"kind={kind!r}: must be one of {', '.join(KINDS)}")
    qrels = _five_columns(labels) or Qrels.of(labels)
    rows = [each for each in _rows(project, qrels) if each[2] >= 0]
    who = project.add_assessor(assessor, kind).id
    source = qrels.digest[:16]
    waiting = [project.send(_mark_of(who, *row, source=source)) for row in rows]
    new = sum(not each.result().again for each in waiting)
    return Imported(len(rows), new, len(qrels) - len(rows))


def _mark_of(assessor: int, query: str, item: str, grade: int, *, source: str) -> Mark:
    """A label as a mark; its key follows from what it says, so that the same label is the same mark."""
    digest = hashlib.blake2b(f"{query}\0{item}\0{grade}".encode(), digest_size=16).hexdigest()
    return Mark(
        assessor=assessor,
        key=f"import {digest}",
        kind="grade",
        query=query,
        item=item,
        grade=grade,
        detail={"import": source},
        is_copy=True,
    )


def _five_columns(labels: Any) -> Qrels | None:
    """Judgements of an export with probabilities, which are left where they are; None for any other file."""
    if not isinstance(labels, str | Path) or not Path(labels).is_file():
        return None
    source = Source.of(labels)
    if PROBABILITY_LINE.match(source.head()) is None:
        return None
    problems = Problems(source.name)
    lines = whole(source, "utf-8", problems).decode().splitlines()
    for number, line in enumerate(lines, 1):
        if line.strip() and PROBABILITY_LINE.match(f"{line}\n".encode()) is None:
            problems.add(f"line {number}", "reads: query 0 item grade probability, in the other lines", order=number)
    problems.raise_if_any()
    import polars as pl

    rows = [
        (query, item, float(grade)) for query, _, item, grade, _ in (line.split() for line in lines if line.strip())
    ]
    kinds = {"query": pl.String, "item": pl.String, "grade": pl.Float64}
    found = Qrels.from_frame(pl.DataFrame(rows, schema=kinds, orient="row"), problems)
    return replace(found, digest=source.digest)


def _rows(project: Project, qrels: Qrels) -> Iterator[tuple[str, str, int]]:
    """Query, item and grade of each label; raises with all problems where there are any."""
    problems = Problems(qrels.name)
    found = []
    grades = ", ".join(map(str, project.file.grades))
    columns = (qrels.query.to_list(), qrels.item.to_list(), qrels.grade.tolist(), qrels.line.tolist())
    for query, item, grade, line in zip(*columns, strict=True):
        wrong = [] if query in project.queries else [f"there is no query {shorten_value(query)} in this project"]
        wrong += [] if item in project.places else [f"there is no item {shorten_value(item)} in this project"]
        wrong += [] if grade < 0 or grade in project.file.grades else [f"{grade:g} is none of the grades {grades}"]
        if wrong:
            problems.add(place_of_line(line, qrels.word, qrels.files), "; ".join(wrong), order=line)
        found.append((query, item, int(grade)))
    problems.raise_if_any()
    yield from found
