"""Labels that people or machines made elsewhere, as marks of one assessor."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankscope.core.errors import SettingError
from rankscope.inputs.problems import Problems, place_of_line, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.side_tables import read_record_table, text_rows
from rankscope.inputs.sources import Source
from rankscope.inputs.texts import whole_utf8
from rankscope.workbench.store.events import MarkEvent
from rankscope.workbench.store.state import Pair

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


KINDS = ("human", "machine")
TABLES: Final = ("csv", "tsv", "jsonl", "parquet")
LONGEST_WORD: Final = 200  # signs of a model's name or a prompt's digest
OF_MACHINES: Final = {
    "probability": ("probability", "confidence"),
    "model": ("model",),
    "prompt": ("prompt_digest", "prompt-digest", "prompt"),
}
PROBABILITY = rb"(?:0?\.\d+|1(?:\.0*)?|\d\.?\d*e-\d+)"
PROBABILITY_LINE = re.compile(rb"\s*(?:\S+[ \t]+){3}-?\d+[ \t]+" + PROBABILITY + rb"[ \t]*\r?\n")


class Imported(NamedTuple):
    """How many labels a file had, how many of them were new, and how many said that nobody had judged."""

    labels: int
    new: int
    unjudged: int


class Label(NamedTuple):
    """One label of a file, and what else the file says of it."""

    query: str
    item: str
    grade: int
    detail: Mapping[str, Any]

    @property
    def pair(self) -> Pair:
        return self.query, self.item


def import_labels(
    project: Project, labels: Any, assessor: str, kind: str = "human", tuned_on: Iterable[str] = ()
) -> Imported:
    """Every label of a file or table becomes a mark of this assessor; what stands already does not come in again.

    A grade below 0 says that an item is in a pool and not judged: it is left out. What does not fit the project is told
    whole, and nothing comes in. Of a machine's labels the columns probability, model and prompt are kept, and
    `tuned_on` names the queries that it was tuned on.
    """
    if kind not in KINDS:
        raise SettingError(f"kind={kind!r}: must be one of {', '.join(KINDS)}")
    qrels = _five_columns(labels) or Qrels.of(labels)
    tuned = frozenset(tuned_on)
    if tuned and kind != "machine":
        raise SettingError("only a machine is tuned on queries: give kind='machine' with tuned_on")
    if foreign := sorted(tuned - project.queries.keys()):
        raise SettingError.of([f"tuned_on: there is no query '{query}' in this project" for query in foreign])
    found = _labels(project, qrels, _details(labels, kind))
    who = project.add_assessor(assessor, kind).id
    source = qrels.digest[:16]
    waiting = [
        project.send(_mark_of(project, who, each, source, tuned)) for each in found if not _stands(project, who, each)
    ]
    new = sum(not each.result().again for each in waiting)
    return Imported(len(found), new, int((qrels.grade < 0).sum()))


def _stands(project: Project, assessor: int, label: Label) -> bool:
    """Whether the assessor says the same already."""
    said = project.state.answer(assessor, label.pair)
    return said is not None and said.kind == "grade" and said.grade == label.grade


def _mark_of(project: Project, assessor: int, label: Label, source: str, tuned: frozenset[str]) -> MarkEvent:
    """A label as a mark; its key follows from what it says, and from how often that was said and taken back before."""
    digest = hashlib.blake2b(f"{label.query}\0{label.item}\0{label.grade}".encode(), digest_size=16).hexdigest()
    keys = (f"import {digest}{f' {again}' if again else ''}" for again in count())
    more = {"tuned": True} if label.query in tuned else {}
    return MarkEvent(
        assessor=assessor,
        key=next(key for key in keys if project.state.known(assessor, key) is None),
        kind="grade",
        query=label.query,
        item=label.item,
        grade=label.grade,
        detail={"import": source, **label.detail, **more},
        is_copy=True,
    )


def _details(labels: Any, kind: str) -> list[dict[str, Any]] | None:
    """What a table says of each label of a machine next to the grade; None where it is no table, or says nothing."""
    if kind != "machine" or not isinstance(labels, str | Path) or not Path(labels).is_file():
        return None
    from rankscope.inputs.formats.registry import format_of_file

    if format_of_file(Source.of(labels)).name not in TABLES:
        return None
    problems = Problems(Source.of(labels).name)
    rows = text_rows(read_record_table(labels, problems, "query,item,grade"), problems, {}, OF_MACHINES)
    found = [_detail_of(line, row, problems) for line, row in rows]
    problems.raise_if_any()
    return found


def _detail_of(line: int, row: Mapping[str, str], problems: Problems) -> dict[str, Any]:
    kept: dict[str, Any] = {name: value for name, value in row.items() if value}
    if any(len(value) > LONGEST_WORD for value in kept.values()):
        problems.add(f"line {line}", f"model and prompt have at most {LONGEST_WORD} signs: give a digest", order=line)
    if "probability" in kept:
        try:
            kept["probability"] = float(kept["probability"])
        except ValueError:
            kept["probability"] = -1.0
        if not 0 <= kept["probability"] <= 1:
            problems.add(f"line {line}", f"probability must lie between 0 and 1, got {row['probability']}", order=line)
    return kept


def _five_columns(labels: Any) -> Qrels | None:
    """Judgements of an export with probabilities, which are left where they are; None for any other file."""
    if not isinstance(labels, str | Path) or not Path(labels).is_file():
        return None
    source = Source.of(labels)
    if PROBABILITY_LINE.match(source.head()) is None:
        return None
    problems = Problems(source.name)
    lines = whole_utf8(source, "utf-8", problems).decode().splitlines()
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


def _labels(project: Project, qrels: Qrels, details: list[dict[str, Any]] | None) -> list[Label]:
    """The labels of a file, each pair once; raises with all problems where there are any."""
    problems = Problems(qrels.name)
    found: dict[Pair, Label] = {}
    grades = project.file.grades
    columns = (qrels.query.to_list(), qrels.item.to_list(), qrels.grade.tolist(), qrels.line.tolist())
    for row, (query, item, grade, line) in enumerate(zip(*columns, strict=True)):
        known = found.get((query, item))
        wrong = [] if query in project.queries else [f"there is no query {shorten_value(query)} in this project"]
        wrong += [] if item in project.places else [f"there is no item {shorten_value(item)} in this project"]
        if grade >= 0 and grade not in grades:
            wrong.append(f"{grade:g} is none of the grades {', '.join(map(str, grades))}")
        if known is not None and known.grade != grade:
            wrong.append(f"item {shorten_value(item)} has two grades, {known.grade} and {grade:g}")
        if wrong:
            problems.add(place_of_line(line, qrels.word, qrels.files), "; ".join(wrong), order=line)
        elif grade >= 0:
            found[query, item] = Label(query, item, int(grade), details[row] if details else {})
    problems.raise_if_any()
    return list(found.values())
