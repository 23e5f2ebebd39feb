"""Judgements to take away: qrels or a table, with where every grade comes from, and the whole journal."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypedDict

from starlette.responses import Response

from rankscope.analysis.assessors.grades import MERGE_RULES, OPEN_PAIRS
from rankscope.core.errors import InputError
from rankscope.core.validation import FLAG, OneOf, Optional
from rankscope.workbench.pages.addresses import Visit, Words, address
from rankscope.workbench.service.application import Refusal
from rankscope.workbench.store.events import LONGEST_NAME, PROJECT

FILES: Final = {"qrels": "qrels.txt", "table": "judgements.parquet", "journal": "journal.jsonl", "log": "log.csv"}
ZIP: Final = "application/zip"
JSONL: Final = "application/jsonl"
CSV: Final = "text/csv"


class ExportView(TypedDict):
    events: int
    assessors: list[str]
    has_probabilities: bool
    rules: dict[str, str]  # by which several grades become one, with their meanings
    digest: str


class FileAsked(NamedTuple):
    kind: Annotated[str, OneOf(tuple(FILES), exactly=True), "qrels of TREC, a table, the journal, or a log of sessions"]
    assessor: Annotated[str, Words(LONGEST_NAME), "whose grades; everybody's without it, merged by a rule"] = ""
    merge: Annotated[str, Words(500), f"the rule: {', '.join(MERGE_RULES)}"] = "majority"
    open_pairs: Annotated[
        str | None, Optional(OneOf(OPEN_PAIRS, exactly=True)), "what becomes of pairs that stay open"
    ] = None
    probabilities: Annotated[bool, FLAG, "a fifth column of qrels with inclusion probabilities"] = False
    names: Annotated[bool, FLAG, "people by name, not by pseudonym"] = False


@address("GET", "/export", role="admin", title="Export", template="export.html")
def export(visit: Visit) -> ExportView:
    """What there is to take away."""
    project = visit.project
    people = [each.name for each in project.assessors.values() if each.id != PROJECT.id]
    return {
        "events": project.state.last,
        "assessors": people,
        "has_probabilities": project.pool is not None and project.pool.plan.gives_probabilities,
        "rules": {name: meaning for name, meaning in MERGE_RULES.items() if name != "weighted"},
        "digest": project.journal_digest,
    }


@address("GET", "/export/{kind}", role="admin", media=f"{ZIP}, {JSONL}, {CSV}", statuses=(404, 409))
def export_file(visit: Visit, asked: FileAsked) -> Response:
    """Judgements with their provenance in one .zip, the journal, or the marks of sessions; 409: assessors differ."""
    name = FILES[asked.kind]
    if asked.kind == "log":
        return _download(_written(visit.project.export_log, name)[name], name, CSV)
    if asked.kind == "journal":
        return _download(_written(visit.project.export_journal, name)[name], name, JSONL)
    how = {each: getattr(asked, each) for each in ("merge", "open_pairs", "probabilities", "names")}
    how["assessor"] = asked.assessor or None
    try:
        files = _written(lambda path: visit.project.export(path, **how), name)
    except InputError as error:
        raise Refusal(409, str(error)) from None
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in files.items():
            archive.writestr(zipfile.ZipInfo(each), content)  # equal files give equal bytes
    return _download(stream.getvalue(), f"{Path(name).stem}.zip", ZIP)


def _written(write: Callable[[Path], object], name: str) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / name)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def _download(content: bytes, name: str, kind: str) -> Response:
    return Response(content, headers={"content-disposition": f'attachment; filename="{name}"'}, media_type=kind)
