"""A whole journal as JSON lines, and back: people, queries, guidelines, pools and every event, in order.

Nothing in the lines depends on numbers that a database gave: assessors go by name, undone events by their keys,
pools and guidelines by their digests. So the digest of a journal is the same wherever it lies.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankscope.core.errors import InputError
from rankscope.core.files import atomic
from rankscope.core.names import name_of
from rankscope.inputs.problems import Problems
from rankscope.workbench.store.events import (
    KINDS,
    Guideline,
    MarkEvent,
    PoolDesign,
    Pooled,
    Refused,
    is_storable,
    json_text,
    pool_digest,
)
from rankscope.workbench.store.journal import Saved

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


FORMAT: Final = "rankscope journal"
VERSION: Final = 1
TEXT: Final = (str,)
MAYBE: Final = (str, type(None))
NUMBER: Final = (int, type(None))
EVENT: Final[Mapping[str, tuple[type, ...]]] = {  # what an event has, and of which types
    **dict.fromkeys(("query", "item", "of", "pool", "guideline"), MAYBE),
    "assessor": TEXT,
    "key": TEXT,
    "kind": TEXT,
    "at_us": (int,),
    "detail": (dict, type(None)),
    "grade": NUMBER,
    "ms": NUMBER,
}
POOLED: Final = 6  # values of a candidate
NEEDED: Final[Mapping[str, Mapping[str, tuple[type, ...]]]] = {  # what a line of each kind has, and of which types
    "assessors": {"name": TEXT, "kind": TEXT, "role": TEXT},
    "queries": {"id": TEXT, "text": TEXT, "narrative": TEXT, "example": MAYBE, "class": TEXT},
    "guidelines": {"text": TEXT, "at_us": (int,)},
    "pools": {
        "method": TEXT,
        "seed": (int,),
        "budget": NUMBER,
        "digest": TEXT,
        "at_us": (int,),
        "runs": (list,),
        "rows": (list,),
    },
}


def journal_digest(project: Project) -> str:
    """SHA-256 of all events as the lines of a file have them."""
    return _lines_digest(event_lines(project))


def _lines_digest(lines: Iterable[str]) -> str:
    result = hashlib.sha256()
    for line in lines:
        result.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return result.hexdigest()


def event_lines(project: Project) -> Iterator[str]:
    pools = {each.version: each.digest for each in project.designs}
    guidelines = {each.version: each.digest for each in project.guidelines}
    events = project.state.events
    for event in events:
        written = event._asdict() | {
            "assessor": project.assessors[event.assessor].name,
            "of": None if event.of is None else events[event.of - 1].key,
            "detail": event.details or None,
            "pool": None if event.pool is None else pools[event.pool],
            "guideline": None if event.guideline is None else guidelines[event.guideline],
        }
        del written["id"]
        yield json_text({"event": written})


def write_journal(project: Project, path: str | Path) -> str:
    """Everything of a project but its sources and its tokens, in a file; the digest of its events."""
    digest = journal_digest(project)
    head = {"format": FORMAT, "version": VERSION, "digest": digest, "events": project.state.last}
    head["tables"] = _lines_digest(_table_lines(project))
    with atomic(path) as file:
        for line in (json_text(head), *_table_lines(project), *event_lines(project)):
            file.write(f"{line}\n")
    return digest


def _table_lines(project: Project) -> Iterator[str]:
    for one in project.assessors.values():
        yield json_text({"assessor": {"name": one.name, "kind": one.kind, "role": one.role}})
    for query in project.queries.values():
        known = {"id": query.id, "text": query.text, "narrative": query.narrative}
        yield json_text({"query": {**known, "example": query.example, "class": query.class_}})
    for guideline in project.guidelines:
        yield json_text({"guideline": {"text": guideline.text, "at_us": guideline.at_us}})
    for design in project.designs:
        rows = [[*row[1:7]] for row in project.pool_of(design.version).rows]
        yield json_text({"pool": {**design._asdict(), "runs": json.loads(design.runs), "rows": rows}})


def is_journal(path: str | Path) -> bool:
    """Whether a file is one of these, by how it begins."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return head.startswith(b"{") and f'"format":"{FORMAT}"'.encode() in head.partition(b"\n")[0]


@dataclass
class JournalLines:
    """The lines of a file by what they are, each with its number."""

    head: Mapping[str, Any] = field(default_factory=dict)
    assessors: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    queries: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    guidelines: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    tables_digest: str = ""  # of all lines but the head and the events
    pools: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    events: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)

    @classmethod
    def read(cls, path: str | Path, problems: Problems) -> JournalLines:
        """All lines; one that is none is a problem."""
        found = cls()
        places = {
            "assessor": found.assessors,
            "query": found.queries,
            "guideline": found.guidelines,
            "pool": found.pools,
            "event": found.events,
        }
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError.of(name_of(path), [f"cannot be read: {error}"]) from None
        tables = []
        for number, line in enumerate(text.split("\n"), 1):
            if not line:
                continue
            try:
                value = json.loads(line)
                if "format" in value:
                    found.head = value
                    continue
                ((kind, content),) = value.items()
                places[kind].append((number, {**content}))
                tables += [line] if kind != "event" else []
            except (ValueError, KeyError, TypeError, AttributeError):
                problems.add(f"line {number}", "is no line of a journal", order=number)
        found.tables_digest = _lines_digest(tables)
        return found


def read_journal(project: Project, path: str | Path) -> int:
    """Bring a journal into a project; how many events were new. All that does not fit is told, and nothing comes in."""
    problems = Problems(name_of(path))
    lines = JournalLines.read(path, problems)
    if lines.head.get("version") != VERSION or lines.head.get("format") != FORMAT:
        problems.add("line 1", f"is not the head of a {FORMAT} of version {VERSION}")
    digest = lines.head.get("digest")
    if not problems.any and _lines_digest(json_text({"event": each}) for _, each in lines.events) != digest:
        problems.add("", "its events are not those that its digest speaks of: it was changed or cut")
    if not problems.any and lines.head.get("tables", lines.tables_digest) != lines.tables_digest:
        problems.add("", "its people, queries, guidelines or pools are not those that its digest speaks of")
    for kind, needed in NEEDED.items():
        for number, each in getattr(lines, kind):
            wrong = [name for name, types in needed.items() if not _is_one(each.get(name, lines), types)]
            if kind == "pools" and not wrong:
                whole = all(isinstance(row, list) and len(row) == POOLED for row in each["rows"])
                wrong = [] if whole else ["rows"]
            if wrong:
                problems.add(f"line {number}", f"has no {' or '.join(wrong)} that can be read", order=number)
    _check_events(project, lines, problems)
    problems.raise_if_any()
    for _, each in lines.assessors:
        if each["name"] not in {one.name for one in project.assessors.values()}:
            project.put_assessor(str(each["name"]), kind=str(each["kind"]), role=str(each["role"]), token=None)
    for _, each in lines.queries:
        if each["id"] not in project.queries:
            known = {"narrative": each["narrative"], "example": each["example"], "class_": each["class"]}
            project.add_query(each["id"], each["text"], **known)
    for _, each in lines.guidelines:
        new = Guideline(len(project.guidelines) + 1, str(each["text"]), int(each["at_us"]))
        if new.digest not in {one.digest for one in project.guidelines}:
            project.put_guideline(new)
    guidelines = {each.digest: each.version for each in project.guidelines}
    return _bring_events(project, lines, guidelines, _bring_pools(project, lines))


def _is_one(value: object, types: tuple[type, ...]) -> bool:
    """Whether a value is of one of the types, and a text that every database takes."""
    if isinstance(value, bool) or not isinstance(value, types):
        return False
    return not isinstance(value, str) or is_storable(value)


def _check_events(project: Project, lines: JournalLines, problems: Problems) -> None:
    queries = {*project.queries, *(str(each.get("id")) for _, each in lines.queries)}
    people = {str(each.get("name")) for _, each in lines.assessors}
    guidelines = {None, *(each.digest for each in project.guidelines)}
    texts = [each.get("text") for _, each in lines.guidelines]
    guidelines |= {Guideline(0, str(text), 0).digest for text in texts if _is_one(text, TEXT)}
    pools = {None, *(each.digest for each in project.designs), *(str(each.get("digest")) for _, each in lines.pools)}
    for number, each in lines.events:
        if each.keys() != EVENT.keys() or not all(_is_one(each[name], types) for name, types in EVENT.items()):
            problems.add(f"line {number}", "is no whole event", order=number)
            continue
        wrong = [f"no item '{each['item']}'"] if each["item"] is not None and each["item"] not in project.places else []
        wrong += [f"no query '{each['query']}'"] if each["query"] is not None and each["query"] not in queries else []
        wrong += [f"no assessor '{each['assessor']}'"] if each["assessor"] not in people else []
        wrong += [f"no kind of mark '{each['kind']}'"] if each["kind"] not in KINDS else []
        wrong += [f"no guideline '{each['guideline']}'"] if each["guideline"] not in guidelines else []
        wrong += [f"no pool '{each['pool']}'"] if each["pool"] not in pools else []
        grades = project.file.grades
        wrong += [f"no grade {each['grade']}"] if each["grade"] is not None and each["grade"] not in grades else []
        if wrong:
            problems.add(f"line {number}", f"there is {', '.join(wrong)} in this project", order=number)


def _bring_pools(project: Project, lines: JournalLines) -> dict[str, int]:
    for number, each in lines.pools:
        version = len(project.designs) + 1
        rows = [Pooled._make([version, *row, place]) for place, row in enumerate(each["rows"])]
        digest = pool_digest(each["method"], each["seed"], each["budget"], rows)
        if digest != each["digest"]:
            raise InputError.of("journal", [f"line {number}: the pool is not the one that its digest speaks of"])
        if digest not in {one.digest for one in project.designs}:
            known = {name: each[name] for name in ("method", "seed", "budget", "digest", "at_us")}
            project.put_pool(PoolDesign(version=version, runs=json_text(each["runs"]), **known), rows)
    return {each.digest: each.version for each in project.designs}


def _bring_events(project: Project, lines: JournalLines, guidelines: dict[str, int], pools: dict[str, int]) -> int:
    numbers = {each.name: each.id for each in project.assessors.values()}
    waiting: list[Future[Saved]] = []
    new = 0
    for _, each in lines.events:
        assessor = numbers[each["assessor"]]
        if each["kind"] == "undo" or len(waiting) >= 1000:  # what it takes back must be there
            new += _settled(waiting)
        of = None if each["of"] is None else project.state.known(assessor, each["of"])
        if each["of"] is not None and of is None:
            raise Refused(f"the journal undoes '{each['of']}', which is not in it")
        mark = MarkEvent(
            assessor=assessor,
            key=each["key"],
            kind=each["kind"],
            query=each["query"] if each["kind"] != "undo" else None,
            item=each["item"] if each["kind"] != "undo" else None,
            grade=each["grade"],
            ms=each["ms"],
            of=None if of is None else of.id,
            detail=each["detail"],
            pool=None if each["pool"] is None else pools[each["pool"]],
            guideline=None if each["guideline"] is None else guidelines[each["guideline"]],
            at_us=each["at_us"],
            is_copy=True,
        )
        waiting.append(project.send(mark))
    return new + _settled(waiting)


def _settled(waiting: list[Future[Saved]]) -> int:
    """Wait for all; how many were new."""
    new = sum(not each.result().again for each in waiting)
    waiting.clear()
    return new
