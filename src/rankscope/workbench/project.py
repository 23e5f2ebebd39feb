"""A project: a collection, its queries and guidelines, who judges it, and the journal of everything they said."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from rankscope.core.digests import damaged
from rankscope.core.errors import InputError, Problem, SettingError
from rankscope.workbench.agreement import ProjectAgreement, agreement_of_project
from rankscope.workbench.journal_files import journal_digest, read_journal, write_journal
from rankscope.workbench.judging import Assignment, JudgingRules, Loan, Progress, assessor_progress, query_progress
from rankscope.workbench.pool import ProjectPool, make_pool_rows
from rankscope.workbench.preferences import preferences_of
from rankscope.workbench.project_folder import (
    PROJECT_FILE,
    ProjectFile,
    close_to_others,
    copy_database,
    make_project,
    read_session_key,
)
from rankscope.workbench.sources import ItemAccess, ItemNumbers, Sources, run_names
from rankscope.workbench.store.databases import DATABASE, LOCK, database_of
from rankscope.workbench.store.events import (
    PROJECT,
    Assessor,
    Guideline,
    Invitation,
    Item,
    MarkEvent,
    Pair,
    PoolDesign,
    Pooled,
    Query,
    State,
    Unavailable,
    check_person,
    is_storable,
    json_text,
    new_token,
    pool_digest,
    token_hash,
)
from rankscope.workbench.store.journal import LAST_FILE, Journal, LastAcknowledged, Saved, Writer
from rankscope.workbench.usability import TaskScore, TaskTimes, task_scores, task_times

if TYPE_CHECKING:
    from rankscope.analysis.assessors.preferences import Preference
    from rankscope.workbench.judgement_files import Exported, HowExported, Imported


T = TypeVar("T")


class Project:
    """An open project. Use it in a `with` block, or `close` it: then everything lies in one file.

    One process at a time has it open to write; any number may read it (`readonly`).
    """

    def __init__(self, folder: Path, file: ProjectFile, journal: Journal, readonly: bool) -> None:
        self.folder, self.file, self.readonly = folder, file, readonly
        self._journal = journal
        meta = journal.meta()
        self.secret = bytes.fromhex(meta["secret"])  # of numbers and orders; no longer of sessions
        self.session_key = secrets.token_bytes(32)
        self.notes: tuple[str, ...] = ()  # what was found when it was opened, for whoever runs it
        self.items = journal.rows(Item)
        self.places = {each.id: each.place for each in self.items}
        self.queries: dict[str, Query] = {}
        self.assessors: dict[int, Assessor] = {}
        self.guidelines: list[Guideline] = []
        self.designs: list[PoolDesign] = []
        self.pool: ProjectPool | None = None
        self._read_rows(journal)
        rows = journal.pool(self.designs[-1]) if self.designs else []
        self.numbers = ItemNumbers(self.secret, len(self.items))
        self._writer = None if readonly else Writer(journal, JudgingRules(self))
        self.state = self._writer.state if self._writer else State.of(journal.events())
        self.lock = self._writer.lock if self._writer else threading.RLock()
        self.changing = threading.RLock()  # one change of people, queries, guidelines and pools after the other
        self.assignment = Assignment(self.file, self.state, lambda who: self.assessors[who].kind == "human")
        if self.designs:
            self._use_pool(self.designs[-1], rows)

    def read_tables(self, journal: Journal) -> bool:
        """Everything in addition to the events as it is now; whether that is another than it was."""
        meta = journal.meta()
        if meta.get("id", self.file.id) != self.file.id or bytes.fromhex(meta["secret"]) != self.secret:
            raise Unavailable(f"{self.folder} holds another project than the one that was opened: start again")
        pool = self.designs[-1].version if self.designs else None
        changed = self._read_rows(journal)
        if self.designs and self.designs[-1].version != pool:
            self._use_pool(self.designs[-1], journal.pool(self.designs[-1]))
        return changed

    def _read_rows(self, journal: Journal) -> bool:
        """In place, since others hold these too."""
        before = list(self.queries.values()), list(self.assessors.values()), [*self.guidelines], [*self.designs]
        now = journal.rows(Query), journal.rows(Assessor), journal.rows(Guideline), journal.rows(PoolDesign)
        self.queries.update({each.id: each for each in now[0]})
        self.assessors.update({each.id: each for each in now[1]})
        self.guidelines[:], self.designs[:] = now[2], now[3]
        return before != now

    @classmethod
    def new(
        cls,
        folder: str | Path,
        *,
        images: str | Path | None = None,
        texts: str | Path | None = None,
        features: Sequence[str | Path] = (),
        runs: Sequence[str | Path] = (),
        topics: str | Path | None = None,
        grades: Sequence[int] = (0, 1, 2),
        index: str | Path | None = None,
        database: str | None = None,
        secret: bytes | None = None,
        **judging: Any,
    ) -> Project:
        """Make a project in a folder and open it; with bad input an error names everything, and nothing is made.

        `images` is a folder of pictures, `texts` a file or folder of documents: one of them. `judging` are settings of
        project.toml. `secret` decides the numbers of the items; it is chosen at random unless given.
        """
        sources = {"images": images, "texts": texts, "features": features, "runs": runs}
        sources |= {"topics": topics, "index": index}
        make_project(Path(folder), sources, {"grades": grades, **judging}, database, secret)
        return cls.open(folder, database=database)

    @classmethod
    def open(
        cls, folder: str | Path, *, database: str | None = None, readonly: bool = False, lenient: bool = False
    ) -> Project:
        """The project in a folder; `database` where its journal is elsewhere and project.toml does not say it.

        A damaged journal is an `InputError`; `lenient` reads what is whole of it, to be read only.
        """
        root = Path(folder)
        file = ProjectFile.read(root)
        address = database or file.database
        if address is None and not (root / DATABASE).is_file():
            advice = "Is its journal in PostgreSQL? Then name the database; else bring the file back from a backup."
            raise InputError.of(str(root), [f"there is no {DATABASE}"], advice)
        base = database_of(root, address, file.id, readonly=readonly)
        journal = Journal(base, LastAcknowledged(root / LAST_FILE), lenient=lenient)
        try:
            base.connect()
            if not readonly:
                base.lock()
            notes = journal.prepare(writes=not readonly)
            found = cls(root, file, journal, readonly)
            found.notes += notes
            if not readonly:  # leave the files to their owner, and read what signs the sessions
                journal_files = [DATABASE + each for each in ("", "-wal", "-shm")]
                said = close_to_others(root, (PROJECT_FILE, LOCK, LAST_FILE, *journal_files))
                found.session_key, more = read_session_key(root)
                found.notes += (*said, *more)
            return found
        except BaseException as error:
            base.close()
            if isinstance(error, LookupError | TypeError | ValueError) and (lenient or not journal.has_digests):
                raise damaged(base.shown, "Bring it back from a backup.") from error
            raise

    def close(self) -> None:
        """Write what waits, and leave."""
        if self._writer is not None:
            self._writer.stop()
        self._journal.close()

    def look(self) -> None:
        """Make sure that what is known here is what is in the journal; `Unavailable` where nobody can say."""
        self.writer.look()

    @property
    def changes_elsewhere(self) -> int:
        """How often it was found that another process had written into the journal."""
        return 0 if self._writer is None else self._writer.elsewhere

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def writer(self) -> Writer:
        """The one that writes; `Unavailable` where the project is only read."""
        if self._writer is None:
            raise Unavailable(f"{self.folder} was opened to be read only")
        return self._writer

    @cached_property
    def sources(self) -> Sources:
        """The files of the collection, where they are."""
        return Sources.of(self.file, self.folder)

    def damage(self) -> list[Problem]:
        """What is not as it was written, of a project that was opened `lenient`; where events break, and the rest."""
        said = self.integrity()
        return [*self._journal.problems, *([] if said == "ok" else [Problem("database", said)])]

    def integrity(self) -> str:
        """`ok`, or what is damaged in the database, in its own words."""
        return self._read(lambda journal: journal.database.check())

    def _read(self, ask: Callable[[Journal], T]) -> T:
        """Ask the database; where a writer has it, in its turn."""
        return ask(self._journal) if self._writer is None else self._writer.ask(ask)

    @cached_property
    def access(self) -> ItemAccess:
        """Pictures, documents and vectors of the items."""
        return ItemAccess(self.sources, self.items)

    def progress(self) -> Progress:
        """How far the judging is, by query and by assessor."""
        with self.lock:
            queries = [query_progress(self, query) for query in (self.pool.by_query if self.pool else ())]
            people = [each.id for each in self.assessors.values() if each.kind == "human"]
            return Progress(tuple(queries), tuple(assessor_progress(self, each) for each in people))

    def questionnaires(self) -> list[TaskScore]:
        """What people answered on how it is to work with the pages, by task, with SUS scores."""
        with self.lock:
            return task_scores(self.state.surveys)

    def task_times(self) -> TaskTimes:
        """How long judgements and searches took."""
        with self.lock:
            return task_times(self.state.events)

    # people

    def _find_assessor(self, name: str) -> Assessor | None:
        return next((each for each in self.assessors.values() if each.name == name), None)

    def assessor_named(self, name: str) -> Assessor:
        """Somebody by name; a `SettingError` where there is nobody of that name."""
        found = self._find_assessor(name)
        if found is None:
            there = ", ".join(each.name for each in self.assessors.values() if each.id != PROJECT.id)
            raise SettingError(f"no assessor '{name}'. There are: {there}")
        return found

    def shown_names(self, names: bool) -> dict[int, str]:
        """Assessors who did anything, under their names or under numbers."""
        active = sorted({event.assessor for event in self.state.events if event.kind != "leave"} - {PROJECT.id})
        return {
            each: self.assessors[each].name if names else f"assessor {place}" for place, each in enumerate(active, 1)
        }

    def invite(self, name: str, role: str = "judge") -> Invitation:
        """Let somebody in, with one role; a second invitation of the same person ends the first."""
        check_person(name, role)
        known = self._find_assessor(name)
        if known is not None and known.kind != "human":
            raise SettingError(f"'{name}' is a {known.kind} in this project: choose another name")
        token = new_token()
        return Invitation(self.put_assessor(name, kind="human", role=role, token=token_hash(token)), token)

    def revoke(self, name: str) -> None:
        """Let somebody in no more; what they marked stays."""
        with self.changing:
            found = self.assessor_named(name)
            self._store_assessor(found._replace(token_hash=None, active=0))
        self.release(found.id)

    def assessor_of_token(self, token: str) -> Assessor | None:
        """Whom a token lets in; None: nobody."""
        wanted = token_hash(token)
        for each in self.assessors.values():
            if each.active and each.token_hash and secrets.compare_digest(each.token_hash, wanted):
                return each
        return None

    def add_assessor(self, name: str, kind: str = "human") -> Assessor:
        """Somebody whose labels come from a file, or who was there before: no token."""
        known = self._find_assessor(name)
        if known is not None and known.kind == kind:
            return known
        if known is not None:
            raise SettingError(f"'{name}' is {known.kind} in this project, not {kind}: choose another name")
        check_person(name, "judge")
        return self.put_assessor(name, kind=kind, role="judge", token=None)

    def put_assessor(self, name: str, *, kind: str, role: str, token: str | None) -> Assessor:
        """Somebody new, or known already in a new role or with a new token."""
        with self.changing:
            known = self._find_assessor(name)
            number = max(self.assessors) + 1 if known is None else known.id
            return self._store_assessor(
                Assessor(id=number, name=name, kind=kind, role=role, token_hash=token, active=1)
            )

    def _store_assessor(self, one: Assessor) -> Assessor:
        self.writer.change(lambda journal: journal.put_assessor(one))
        with self.lock:
            self.assessors[one.id] = one
        return one

    # queries and guidelines

    @property
    def guideline_version(self) -> int | None:
        """The version that marks are made under now; None: there is none."""
        return self.guidelines[-1].version if self.guidelines else None

    def add_guideline(self, text: str) -> Guideline:
        """What assessors read from now on; the same text again changes nothing."""
        if not text.strip() or not is_storable(text):
            raise SettingError("a guideline is a text that is not empty")
        with self.changing:
            if self.guidelines and self.guidelines[-1].text == text:
                return self.guidelines[-1]
            return self.put_guideline(Guideline(len(self.guidelines) + 1, text, time.time_ns() // 1000))

    def put_guideline(self, new: Guideline) -> Guideline:
        """One more version, as it is."""
        self.writer.change(lambda journal: journal.add(new))
        with self.lock:
            self.guidelines.append(new)
        return new

    def add_query(
        self, name: str, text: str = "", *, narrative: str = "", example: str | None = None, class_: str = ""
    ) -> Query:
        """One more thing to look for: in words, or like an item."""
        with self.changing:
            is_storable_query = name.strip() and all(map(is_storable, (name, text, narrative, class_)))
            problems = [] if is_storable_query else ["a query has a name, and texts"]
            problems += [f"there is a query '{name}' already"] if name in self.queries else []
            problems += [f"there is no item '{example}'"] if example is not None and example not in self.places else []
            if problems:
                raise SettingError.of(problems)
            new = Query(
                place=len(self.queries), id=name, text=text, narrative=narrative, example=example, class_=class_
            )
            self.writer.change(lambda journal: journal.add(new))
            with self.lock:
                self.queries[name] = new
            return new

    # marks

    def send(self, mark: MarkEvent) -> Future[Saved]:
        """Let a mark be written; the future has a result when the mark is on the disk."""
        return self.writer.send(mark)

    def save(self, mark: MarkEvent) -> Saved:
        """The same for those who wait."""
        return self.send(mark).result()

    def grade(
        self, assessor: int, query: str, item: str, grade: int, *, key: str | None = None, ms: int | None = None
    ) -> Saved:
        """Say how relevant an item is to a query."""
        key = key or new_key()
        return self.save(
            MarkEvent(assessor=assessor, key=key, kind="grade", query=query, item=item, grade=grade, ms=ms)
        )

    def adjudicate(self, assessor: int, query: str, item: str, grade: int, *, key: str | None = None) -> Saved:
        """Decide what the grade of an item is where assessors differ; every export takes it from then on."""
        key = key or new_key()
        return self.save(MarkEvent(assessor=assessor, key=key, kind="adjudicate", query=query, item=item, grade=grade))

    def agreement(self, *, level: float = 0.95) -> ProjectAgreement:
        """How far assessors agree: with each other, with machines, and with themselves when asked again."""
        return agreement_of_project(self, level=level)

    def preferences(self) -> list[Preference]:
        """Which of two systems people prefer, answer by answer."""
        with self.lock:
            return preferences_of(self)

    def undo(self, assessor: int, of: int | None = None, *, key: str | None = None) -> Saved:
        """Take back a mark of this assessor, the last that stands unless one is named; repeat it to go further back."""
        return self.save(MarkEvent(assessor=assessor, key=key or new_key(), kind="undo", of=of))

    def next_items(self, assessor: int, count: int = 1, *, tab: str = "", query: str | None = None) -> list[Loan]:
        """What an assessor is to judge next, on loan; a sample that is due is drawn first."""
        if self.pool is not None and self.pool.plan.is_adaptive and self.pool.plan.sample is not None:
            with self.lock:
                due = self.assignment.draws_due()
            for each in due:
                key = f"draw {self.pool.design.version} {token_hash(each)[:32]}"
                self.save(MarkEvent(assessor=PROJECT.id, key=key, kind="draw", query=each))
        with self.lock:
            return self.assignment.next_items(assessor, count, tab, query)

    @property
    def is_decided(self) -> bool:
        """Whether the two runs that the pool compares are decided, so that nothing more needs to be judged."""
        with self.lock:
            return self.assignment.is_decided

    def hold(self, assessor: int, pairs: Sequence[Pair], tab: str = "") -> list[Pair]:
        """Those items that a tab may go on showing, after a restart or an undo; the others have no place left."""
        with self.lock:
            return [pair for pair in pairs if self.assignment.hold(assessor, pair, tab)]

    def release(self, assessor: int, tab: str | None = None) -> None:
        """What an assessor was shown goes to others: the tab was closed."""
        with self.lock:
            self.assignment.release(assessor, tab)

    # pools

    def make_pool(self, method: str, *, budget: int | None = None, seed: int = 0) -> ProjectPool:
        """Freeze what is to be judged, as `depth(20)` or `bandit(100) + sample(101-1000:2%)`; it is used from now on.

        `budget`: how many items of each query an adaptive part judges.
        """
        with self.changing:
            plan, rows = make_pool_rows(self, method, budget, seed)
            names = zip(run_names(self.sources.runs), self.file.runs, strict=True)
            design = PoolDesign(
                version=rows[0].version,
                method=str(plan),
                seed=seed,
                budget=budget,
                runs=json_text([{"name": name, "file": path} for name, path in names]),
                digest=pool_digest(str(plan), seed, budget, rows),
                at_us=time.time_ns() // 1000,
            )
            return self.put_pool(design, rows)

    def put_pool(self, design: PoolDesign, rows: Sequence[Pooled]) -> ProjectPool:
        """One more pool, as it is; it is used from now on."""
        self.writer.change(lambda journal: journal.add_pool(design, rows))
        with self.lock:
            self.designs.append(design)
            return self._use_pool(design, rows)

    def pool_of(self, version: int) -> ProjectPool:
        """An earlier pool, or the one that is used."""
        if self.pool is not None and self.pool.design.version == version:
            return self.pool
        design = self.designs[version - 1]
        return ProjectPool(design, self._read(lambda journal: journal.pool(design)))

    def _use_pool(self, design: PoolDesign, rows: Sequence[Pooled]) -> ProjectPool:
        pool = self.pool = ProjectPool(design, rows)
        self.assignment.use_pool(pool)
        return pool

    # files

    def import_labels(
        self, labels: Any, assessor: str, kind: str = "human", *, tuned_on: Iterable[str] = ()
    ) -> Imported:
        """Labels of somebody, or of a machine, become marks: from a file, a table, or {query: {item: grade}}."""
        from rankscope.workbench.judgement_files import import_labels

        return import_labels(self, labels, assessor, kind, tuned_on)

    def export(self, path: str | Path, **how: Unpack[HowExported]) -> Exported:
        """Write the judgements as qrels, or as a table to a .parquet file, and NAME.provenance.json next to it."""
        from rankscope.workbench.judgement_files import export

        return export(self, path, **how)

    def export_journal(self, path: str | Path) -> str:
        """Write the whole journal as JSON lines, with people's names; returns its digest."""
        with self.lock:
            return write_journal(self, path)

    def export_log(self, path: str | Path) -> int:
        """Write what was marked in sessions, as `rankscope feedback --log` reads it; how many sessions have marks."""
        from rankscope.workbench.judgement_files import write_log

        with self.lock:
            return write_log(self, path)

    def import_journal(self, path: str | Path) -> int:
        """Bring in a journal of the same collection; how many of its events were new."""
        return read_journal(self, path)

    @property
    def journal_digest(self) -> str:
        """SHA-256 of all events, the same wherever the journal lies."""
        with self.lock:
            return journal_digest(self)

    def backup(self, path: str | Path) -> None:
        """A whole copy of judgements.db in a new file, also while people judge."""
        copy_database(self._journal.database, Path(path))


def new_key() -> str:
    """A key for a mark that nobody else has."""
    return secrets.token_hex(12)
