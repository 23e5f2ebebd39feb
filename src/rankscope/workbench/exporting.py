"""Judgements that anybody can check: qrels or a table, beside a file that says where every grade comes from."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rankscope.errors import InputError, SettingError
from rankscope.files import atomic
from rankscope.version import __version__
from rankscope.wording import setting_usage
from rankscope.workbench.journal_files import journal_digest
from rankscope.workbench.people import shown_names
from rankscope.workbench.store.events import ANSWERS, Event
from rankscope.workbench.store.state import Pair

if TYPE_CHECKING:
    from rankscope.workbench.project import Project

UNJUDGED: Final = -1
NEVER_ENTER: Final = ("machine", "project")  # kinds of assessors whose marks count only where they are named


class Exported(NamedTuple):
    """What was written: how many pairs have a grade, how many are pooled and have none, and the journal's digest."""

    path: Path
    judged: int
    unjudged: int
    left_out: int  # graded, but not drawn where probabilities are wanted
    digest: str


class Row(NamedTuple):
    """One query and item as they are exported."""

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


def export(
    project: Project,
    path: str | Path,
    *,
    assessor: str | None = None,
    probabilities: bool = False,
    names: bool = False,
) -> Exported:
    """Write qrels, or a table where the name ends in .parquet, and NAME.provenance.json beside it.

    -1 is for what is pooled and has no grade. Where assessors differ, an error lists the pairs: choose one `assessor`.
    `probabilities` adds a fifth column, the inclusion probability of each pair of the pool. Provenance has pseudonyms
    unless `names` are wanted.
    """
    chosen = None if assessor is None else project.assessor_named(assessor).id
    with project.lock:
        _check_probabilities(project, probabilities)
        grades = _grades(project, chosen)
        sampled = _sampled(project, grades) if probabilities else grades
        rows = list(_rows(project, sampled))
        kept = [row for row in rows if row.pi is not None] if probabilities else rows
        digest = journal_digest(project)
        provenance = _provenance(project, kept, digest, assessor, names)
    _write(path, _parquet(kept) if str(path).endswith(".parquet") else _qrels(kept, probabilities), provenance)
    judged = sum(row.grade != UNJUDGED for row in kept)
    return Exported(Path(path), judged, len(kept) - judged, len(grades) - judged, digest)


def _write(path: str | Path, data: bytes, provenance: dict[str, Any]) -> None:
    """The file, and beside it where it comes from."""
    provenance["file"] = {"name": Path(path).name, "sha256": hashlib.sha256(data).hexdigest()}
    with atomic(path, "wb") as file:
        file.write(data)
    with atomic(f"{path}.provenance.json") as text:
        text.write(json.dumps(provenance, ensure_ascii=False, indent=2) + "\n")


def _check_probabilities(project: Project, wanted: bool) -> None:
    if not wanted:
        return
    if project.pool is None:
        raise SettingError("there is no pool, so nothing has an inclusion probability: make one with a sample")
    if not project.pool.plan.gives_probabilities:
        raise SettingError(
            f"'{project.pool.plan}' gives no probabilities: add a sample, as '{project.pool.plan} + sample(...)'"
        )


def _sampled(project: Project, grades: dict[Pair, list[Event]]) -> dict[Pair, list[Event]]:
    """Without what somebody judged though it was not drawn: in an estimate it would count for others that were not."""
    pool = project.pool
    assert pool is not None
    return {pair: marks for pair, marks in grades.items() if pool.row(pair) and pool.is_certain(pair, project.state)}


def _grades(project: Project, chosen: int | None) -> dict[Pair, list[Event]]:
    """The marks that count of each pair, which all say the same; an `InputError` lists the pairs where they do not."""
    found: dict[Pair, list[Event]] = {}
    apart: list[str] = []
    for pair in project.state.answers:
        marks = [each for each in project.state.counted(pair) if _enters(project, each, chosen)]
        if len({each.grade for each in marks}) > 1:
            said = ", ".join(f"{project.assessors[each.assessor].name} {each.grade}" for each in marks)
            apart.append(f"query {pair[0]}, item {pair[1]}: {said}")
        elif marks:
            found[pair] = marks
    if apart:
        one = setting_usage("assessor", "NAME")
        advice = f"Choose whose judgements to export: {one}."
        raise InputError.of("assessors differ", apart, advice)
    return found


def _enters(project: Project, mark: Event, chosen: int | None) -> bool:
    if chosen is not None:
        return mark.assessor == chosen
    return project.assessors[mark.assessor].kind not in NEVER_ENTER


def _rows(project: Project, grades: dict[Pair, list[Event]]) -> Iterator[Row]:
    """The pool in its order, then what was judged beside it."""
    pool = project.pool
    for query, rows in pool.by_query.items() if pool is not None else ():
        for item, row in rows.items():
            assert pool is not None
            stratum, pi = pool.probability((query, item), project.state)
            where = {"pi": pi, "stratum": stratum, "origin": row.origin, "pool": row.version}
            yield _row((query, item), grades.get((query, item), []), where)
    nowhere = dict.fromkeys(("pi", "stratum", "origin", "pool"))
    for pair, marks in grades.items():
        if pool is None or pool.row(pair) is None:
            yield _row(pair, marks, nowhere)


def _row(pair: Pair, marks: list[Event], where: dict[str, Any]) -> Row:
    last = max(marks, key=lambda each: each.id, default=None)
    return Row(
        query=pair[0],
        item=pair[1],
        grade=UNJUDGED if last is None or last.grade is None else last.grade,
        marks=len(marks),
        at_us=None if last is None else last.at_us,
        guideline=None if last is None else last.guideline,
        **where,
    )


def _qrels(rows: list[Row], probabilities: bool) -> bytes:
    """TREC's lines; ids with spaces in them cannot be written so."""
    spaced = sorted({name for row in rows for name in (row.query, row.item) if len(name.split()) != 1})
    if spaced:
        what = [f"'{name}' has a space in it, which qrels cannot hold" for name in spaced]
        raise InputError.of("export", what, "Write a table instead: give a name that ends in .parquet.")
    ends = [f" {row.pi:.10g}" if probabilities else "" for row in rows]
    lines = [f"{row.query} 0 {row.item} {row.grade}{end}\n" for row, end in zip(rows, ends, strict=True)]
    return "".join(lines).encode()


def _parquet(rows: list[Row]) -> bytes:
    import polars as pl

    kinds = {
        "query": pl.String,
        "item": pl.String,
        "grade": pl.Int64,
        "pi": pl.Float64,
        "stratum": pl.String,
        "origin": pl.String,
        "pool": pl.Int64,
        "marks": pl.Int64,
        "at_us": pl.Int64,
        "guideline": pl.Int64,
    }
    stream = io.BytesIO()
    pl.DataFrame(rows, schema=kinds, orient="row").write_parquet(stream)
    return stream.getvalue()


def _provenance(project: Project, rows: list[Row], digest: str, assessor: str | None, names: bool) -> dict[str, Any]:
    """Where the grades come from; the same journal and choices give the same words."""
    design = project.pool.design if project.pool is not None else None
    shown = shown_names(project, names)
    chosen = None if assessor is None else shown[project.assessor_named(assessor).id]
    return {
        "format": "rankscope provenance",
        "version": 1,
        "rankscope": __version__,
        "journal": {"digest": digest, "events": project.state.last},
        "rule": "the grade that all assessors give" if chosen is None else f"the grades of {chosen}",
        "pairs": {
            "judged": sum(row.grade != UNJUDGED for row in rows),
            "pooled, not judged": sum(row.grade == UNJUDGED for row in rows),
            "by grade": _counts(row.grade for row in rows if row.grade != UNJUDGED),
        },
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


def _of_assessor(project: Project, number: int, shown: str) -> dict[str, Any]:
    """What one assessor says now, counted."""
    said = [answers[number] for answers in project.state.answers.values() if number in answers]
    graded = [each for each in said if each.kind == "grade"]
    others = Counter(each.kind for each in said if each.kind in ANSWERS - {"grade"})
    return {
        "name": shown,
        "kind": project.assessors[number].kind,
        "grades": _counts(each.grade for each in graded if not each.is_surplus),
        "unsure": others["unsure"],
        "skipped": others["skip"],
        "surplus": sum(each.is_surplus for each in graded),
        "asked again": sum(number in answers for answers in project.state.repeats.values()),
    }


def _counts(grades: Any) -> dict[str, int]:
    return {str(grade): count for grade, count in sorted(Counter(grades).items())}
