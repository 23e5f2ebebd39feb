"""Judgements as files: taken out of a project, with where every grade comes from; labels made elsewhere brought in."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict

from rankscope.analysis.assessors.agreement import agreement
from rankscope.analysis.assessors.grades import OPEN_PAIRS, MergeRule
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import atomic
from rankscope.core.validation import OneOf, Optional, check
from rankscope.core.wording import setting_usage
from rankscope.inputs.problems import Problems, place_of_line, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.side_tables import read_record_table, text_rows
from rankscope.inputs.sources import Source
from rankscope.inputs.texts import whole_utf8
from rankscope.version import __version__
from rankscope.workbench.agreement import MergedPair, grades_by_assessor, marks_of, merged_pairs
from rankscope.workbench.browsing.sessions import SessionLog
from rankscope.workbench.journal_files import journal_digest
from rankscope.workbench.judging import assessor_progress
from rankscope.workbench.store.events import MarkEvent, Pair

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


# What is taken out of a project: judgements with where every grade comes from, and the marks of feedback sessions.

UNJUDGED: Final = -1


class Exported(NamedTuple):
    """What was written: how many pairs have a grade, how many are pooled and have none, and the journal's digest."""

    path: Path
    judged: int
    unjudged: int
    left_out: int  # graded, but not drawn where probabilities are wanted
    open: int  # left out because assessors differ, and no rule decides
    digest: str


class HowExported(TypedDict, total=False):
    """Whose grades are exported, how those of several become one, and what is written with them."""

    assessor: str | None
    merge: str
    open_pairs: str | None
    probabilities: bool
    names: bool


class ExportedRow(NamedTuple):
    query: str
    item: str
    grade: int
    pi: float | None
    stratum: str | None
    origin: str | None
    pool: int | None
    marks: int
    at_us: int | None
    guideline: int | None
    merged_by: str | None = None  # how several marks became one grade


class GradeChoice(NamedTuple):
    one: int | None  # the assessor whose grades alone are wanted
    rule: MergeRule
    open_pairs: str | None


def export(
    project: Project,
    path: str | Path,
    *,
    assessor: str | None = None,
    merge: str = "majority",
    open_pairs: str | None = None,
    probabilities: bool = False,
    names: bool = False,
) -> Exported:
    """Write qrels, or a table where the name ends in .parquet, and NAME.provenance.json next to it.

    -1 is for what is pooled and has no grade. Where assessors differ, an adjudicator decides, else the rule `merge`;
    where that does not decide, an error lists the pairs unless `open_pairs` says what becomes of them. `assessor`: the
    grades of one alone. `probabilities` adds a fifth column, the inclusion probability of each pair of the pool.
    Provenance has pseudonyms unless `names` are wanted.
    """
    decided = check({"open_pairs": open_pairs}, open_pairs=Optional(OneOf(OPEN_PAIRS)))["open_pairs"]
    rule = MergeRule.parse(merge)
    for name in rule.weights:  # a `SettingError` where the rule weighs somebody who is not there
        project.assessor_named(name)
    with project.lock:
        if probabilities and project.pool is None:
            raise SettingError("there is no pool, so nothing has an inclusion probability: make one with a sample")
        if probabilities and project.pool is not None and not project.pool.plan.gives_probabilities:
            plan = project.pool.plan
            raise SettingError(f"'{plan}' gives no probabilities: add a sample, as '{plan} + sample(...)'")
        choice = GradeChoice(None if assessor is None else project.assessor_named(assessor).id, rule, decided)
        merged = merged_pairs(project, rule, decided, choice.one)
        _refuse_open(project, merged, choice)
        grades = {pair: each for pair, each in merged.items() if each.grade is not None}
        pool, sampled = project.pool, grades
        if probabilities and pool is not None:
            # Not what was judged though it was not drawn: in an estimate it would count for others that were not.
            drawn = {pair for pair in grades if pool.row(pair) and pool.is_certain(pair, project.state)}
            sampled = {pair: each for pair, each in grades.items() if pair in drawn}
        rows = list(_rows(project, sampled))
        kept = [row for row in rows if row.pi is not None] if probabilities else rows
        digest = journal_digest(project)
        provenance = _provenance(project, kept, digest, choice, names)
        provenance["pairs"]["open, left out"] = len(merged) - len(grades)
    data = _parquet(kept) if str(path).endswith(".parquet") else _qrels(kept, probabilities)
    provenance["file"] = {"name": Path(path).name, "sha256": hashlib.sha256(data).hexdigest()}
    with atomic(path, "wb") as file:
        file.write(data)
    with atomic(f"{path}.provenance.json") as text:
        text.write(json.dumps(provenance, ensure_ascii=False, indent=2) + "\n")
    judged = sum(row.grade != UNJUDGED for row in kept)
    return Exported(
        path=Path(path),
        judged=judged,
        unjudged=len(kept) - judged,
        left_out=len(grades) - judged,
        open=len(merged) - len(grades),
        digest=digest,
    )


def _refuse_open(project: Project, merged: dict[Pair, MergedPair], choice: GradeChoice) -> None:
    """An `InputError` lists the pairs that stay open, unless it is said what becomes of them."""
    if choice.open_pairs is not None:
        return
    apart = []
    for pair, each in merged.items():
        if each.grade is None:
            grades = ", ".join(f"{project.assessors[mark.assessor].name} {mark.grade}" for mark in each.marks)
            apart.append(f"query {pair[0]}, item {pair[1]}: {grades}")
    if apart:
        one, decided = setting_usage("assessor", "NAME"), setting_usage("open_pairs", "|".join(OPEN_PAIRS))
        advice = f"Decide them on the page Adjudicate, give {decided}, or choose whose judgements to export: {one}."
        raise InputError.of(f"assessors differ, and '{choice.rule}' does not decide", apart, advice)


def _rows(project: Project, grades: dict[Pair, MergedPair]) -> Iterator[ExportedRow]:
    """The pool in its order, then what was judged next to it."""
    pool = project.pool
    for query, rows in pool.by_query.items() if pool is not None else ():
        for item, row in rows.items():
            assert pool is not None
            stratum, pi = pool.probability((query, item), project.state)
            where = {"pi": pi, "stratum": stratum, "origin": row.origin, "pool": row.version}
            yield _row((query, item), grades.get((query, item)), where)
    nowhere = dict.fromkeys(("pi", "stratum", "origin", "pool"))
    for pair, merged in grades.items():
        if pool is None or pool.row(pair) is None:
            yield _row(pair, merged, nowhere)


def _row(pair: Pair, merged: MergedPair | None, where: dict[str, Any]) -> ExportedRow:
    marks = () if merged is None else merged.marks
    last = max(marks, key=lambda each: each.id, default=None)
    return ExportedRow(
        query=pair[0],
        item=pair[1],
        grade=UNJUDGED if merged is None or merged.grade is None else merged.grade,
        marks=len(marks),
        at_us=None if last is None else last.at_us,
        guideline=None if last is None else last.guideline,
        merged_by=None if merged is None else merged.by,
        **where,
    )


def _qrels(rows: list[ExportedRow], probabilities: bool) -> bytes:
    """TREC's lines; ids with spaces in them cannot be written so."""
    spaced = sorted({name for row in rows for name in (row.query, row.item) if len(name.split()) != 1})
    if spaced:
        what = [f"'{name}' has a space in it, which qrels cannot hold" for name in spaced]
        raise InputError.of("export", what, "Write a table instead: give a name that ends in .parquet.")
    ends = [f" {row.pi:.10g}" if probabilities else "" for row in rows]
    lines = [f"{row.query} 0 {row.item} {row.grade}{end}\n" for row, end in zip(rows, ends, strict=True)]
    return "".join(lines).encode()


def _parquet(rows: list[ExportedRow]) -> bytes:
    import polars as pl

    texts = ("query", "item", "stratum", "origin", "merged_by")
    kinds = {name: pl.String if name in texts else pl.Int64 for name in ExportedRow._fields} | {"pi": pl.Float64}
    stream = io.BytesIO()
    pl.DataFrame(rows, schema=kinds, orient="row").write_parquet(stream)
    return stream.getvalue()


def _provenance(
    project: Project, rows: list[ExportedRow], digest: str, choice: GradeChoice, names: bool
) -> dict[str, Any]:
    """Where the grades come from; the same journal and choices give the same words."""
    design = project.pool.design if project.pool is not None else None
    shown = project.shown_names(names)
    one, rule = choice.one, choice.rule
    weights = {shown.get(project.assessor_named(name).id, name): weight for name, weight in rule.weights.items()}
    later = f"; open pairs: {choice.open_pairs}" if choice.open_pairs else ""
    merged = f"adjudicated, else the only mark, else {MergeRule(rule.name, weights)}{later}"
    return {
        "format": "rankscope provenance",
        "version": 1,
        "rankscope": __version__,
        "journal": {"digest": digest, "events": project.state.last},
        "rule": merged if one is None else f"the grades of {shown.get(one, one)}",
        "pairs": {
            "judged": sum(row.grade != UNJUDGED for row in rows),
            "pooled, not judged": sum(row.grade == UNJUDGED for row in rows),
            "by grade": _counts(row.grade for row in rows if row.grade != UNJUDGED),
            "merged by": _counts(row.merged_by for row in rows if row.merged_by is not None),
        },
        "agreement": _agreement(project, shown),
        "assessors": [_of_assessor(project, number, name) for number, name in shown.items()],
        "pool": None if design is None else {**design._asdict(), "runs": json.loads(design.runs)},
        "guidelines": [
            {
                "version": each.version,
                "digest": each.digest,
                "pairs": sum(row.guideline == each.version for row in rows),
            }
            for each in project.guidelines
        ],
    }


def _agreement(project: Project, shown: dict[int, str]) -> list[dict[str, Any]]:
    marks = marks_of(project, {shown[each]: found for each, found in grades_by_assessor(project).items()})
    if marks is None or not marks.pairs:
        return []
    found = agreement(marks, relevant=project.file.relevant, by_class=False)
    lines: list[dict[str, Any]] = []
    for each in (*found.two, found.together):
        limits = {known.name: (known.value, known.low, known.high) for known in each.coefficients}
        lines.append({"assessors": list(each.assessors), "pairs": each.pairs, "queries": each.queries})
        lines[-1]["value, low, high"] = {
            name: [None if math.isnan(value) else round(value, 6) for value in values]
            for name, values in limits.items()
        }
    return lines


def _of_assessor(project: Project, number: int, shown: str) -> dict[str, Any]:
    said = [answers[number] for answers in project.state.answers.values() if number in answers]
    counted = assessor_progress(project, number)
    return {
        "name": shown,
        "kind": project.assessors[number].kind,
        "grades": _counts(each.grade for each in said if each.kind == "grade" and not each.is_surplus),
        "unsure": counted.unsure,
        "skipped": counted.skipped,
        "surplus": counted.surplus,
        "asked again": sum(number in answers for answers in project.state.repeats.values()),
        "adjudicated": sum(said[-1].assessor == number for said in project.state.rulings.values() if said),
        "tuned on": sorted({str(each.query) for each in said if each.details.get("tuned")}),
    }


def _counts(grades: Any) -> dict[str, int]:
    return {str(grade): count for grade, count in sorted(Counter(grades).items())}


# The sessions of a project as a log of marks: session, item, mark; what `rankscope feedback --log` reads.

LOG_SUFFIXES = (".csv", ".tsv", ".jsonl")
LOG_COLUMNS = ("session", "item", "mark")  # 1 relevant, -1 irrelevant


def write_log(project: Project, path: str | Path) -> int:
    """Write the marks of all sessions as they stand now, and the examples they began with; how many sessions have any.

    A session is called by its number. Nothing says who searched.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in LOG_SUFFIXES:
        raise SettingError(f"a log must be called NAME.csv, NAME.tsv or NAME.jsonl, got '{path}'")
    log = SessionLog()
    log.read(project.state.events)
    rows = [
        (str(session.number), project.items[place].id, 1 if opinion == "relevant" else -1)
        for session in log.sessions
        for place, opinion in session.opinions.items()
    ]
    with atomic(path) as file:
        if suffix == ".jsonl":
            objects = (dict(zip(LOG_COLUMNS, row, strict=True)) for row in rows)
            file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)
        else:
            table = csv.writer(file, delimiter="\t" if suffix == ".tsv" else ",", lineterminator="\n")
            table.writerows([LOG_COLUMNS, *rows])
    return len({session for session, _, _ in rows})


# Labels that people or machines made elsewhere, as marks of one assessor.

LABELLERS = ("human", "machine")
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
    if kind not in LABELLERS:
        raise SettingError(f"kind={kind!r}: must be one of {', '.join(LABELLERS)}")
    qrels = _five_columns(labels) or Qrels.of(labels)
    tuned = frozenset(tuned_on)
    if tuned and kind != "machine":
        raise SettingError("only a machine is tuned on queries: give kind='machine' with tuned_on")
    if foreign := sorted(tuned - project.queries.keys()):
        raise SettingError.of([f"tuned_on: there is no query '{query}' in this project" for query in foreign])
    found = _labels(project, qrels, _details(labels, kind))
    who = project.add_assessor(assessor, kind).id
    source = qrels.digest[:16]
    waiting = []
    for each in found:
        said = project.state.answer(who, each.pair)
        if said is None or said.kind != "grade" or said.grade != each.grade:
            waiting.append(project.send(_mark_of(project, who, each, source, tuned)))
    new = sum(not each.result().again for each in waiting)
    return Imported(len(found), new, int((qrels.grade < 0).sum()))


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
