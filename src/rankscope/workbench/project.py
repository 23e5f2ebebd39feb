"""A project: a collection, what is asked of it, who judges it, and the journal of everything they said."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rankscope.errors import InputError, SettingError
from rankscope.workbench.assignment import Assignment, Loan
from rankscope.workbench.item_access import ItemAccess
from rankscope.workbench.item_numbers import ItemNumbers
from rankscope.workbench.judging import JudgingRules
from rankscope.workbench.making import DATABASE, make_project
from rankscope.workbench.people import PROJECT, Invitation, check_person, new_token, token_hash
from rankscope.workbench.pooled import ProjectPool
from rankscope.workbench.project_file import ProjectFile
from rankscope.workbench.sources import Sources, run_names
from rankscope.workbench.store.dialects import PostgreSQL, SQLite
from rankscope.workbench.store.events import Mark, is_storable, json_text
from rankscope.workbench.store.failures import Unavailable
from rankscope.workbench.store.journal import Journal
from rankscope.workbench.store.rows import Assessor, Design, Guideline, Pooled, Query, pool_digest
from rankscope.workbench.store.state import Pair, State
from rankscope.workbench.store.writer import Saved, Writer

if TYPE_CHECKING:
    from rankscope.workbench.exporting import Exported
    from rankscope.workbench.importing import Imported
    from rankscope.workbench.progress import Progress

T = TypeVar("T")


class Project:
    """An open project. Use it in a `with` block, or `close` it: then everything lies in one file.

    One process at a time has it open to write; any number may read it (`readonly`).
    """

    def __init__(self, folder: Path, file: ProjectFile, journal: Journal, readonly: bool) -> None:
        self.folder, self.file, self.readonly = folder, file, readonly
        self._journal = journal
        meta = journal.meta()
        self.secret = bytes.fromhex(meta["secret"])
        self.items = journal.items()
        self.places = {each.id: each.place for each in self.items}
        self.queries = {each.id: each for each in journal.queries()}
        self.assessors = {each.id: each for each in journal.assessors()}
        self.guidelines = journal.guidelines()
        self.designs = journal.designs()
        self.numbers = ItemNumbers(self.secret, len(self.items))
        rows = journal.pool(self.designs[-1].version) if self.designs else []
        self._writer = None if readonly else Writer(journal, JudgingRules(self))
        self.state = self._writer.state if self._writer else State.of(journal.events())
        self.lock = self._writer.lock if self._writer else threading.RLock()
        self.assignment = Assignment(self.file, self.state, self._is_person)
        self.pool: ProjectPool | None = None
        if self.designs:
            self._use_pool(self.designs[-1], rows)

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
        chosen = {
            "images": images,
            "texts": texts,
            "features": features,
            "runs": runs,
            "topics": topics,
            "index": index,
        }
        make_project(Path(folder), chosen, {"grades": grades, **judging}, database, secret)
        return cls.open(folder, database=database)

    @classmethod
    def open(cls, folder: str | Path, *, database: str | None = None, readonly: bool = False) -> Project:
        """The project in a folder; `database` where its journal is elsewhere and project.toml does not say it."""
        root = Path(folder)
        file = ProjectFile.read(root)
        address = database or file.database
        if address is None and not (root / DATABASE).is_file():
            advice = "Is its journal in PostgreSQL? Then name the database; else bring the file back from a backup."
            raise InputError.of(str(root), [f"there is no {DATABASE}"], advice)
        base = SQLite(root / DATABASE, readonly=readonly) if address is None else PostgreSQL(address, file.id)
        try:
            base.connect()
            if not readonly:
                base.lock()
            journal = Journal(base)
            journal.check_version()
            return cls(root, file, journal, readonly)
        except BaseException:
            base.close()
            raise

    def close(self) -> None:
        """Write what waits, and leave."""
        if self._writer is not None:
            self._writer.stop()
        self._journal.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _is_person(self, assessor: int) -> bool:
        return self.assessors[assessor].kind == "human"

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

    def integrity(self) -> str:
        """`ok`, or what is damaged in the database, in its own words."""
        return self._read(lambda journal: journal.database.check())

    def _read(self, ask: Callable[[Journal], T]) -> T:
        """Ask the database; where a writer has it, in its turn."""
        return ask(self._journal) if self._writer is None else self._writer.change(ask)

    @cached_property
    def access(self) -> ItemAccess:
        """Pictures, documents and vectors of the items."""
        return ItemAccess(self.sources, self.items)

    def progress(self) -> Progress:
        """How far the judging is, by query and by assessor."""
        from rankscope.workbench.progress import progress_of

        return progress_of(self)

    # marks

    def send(self, mark: Mark) -> Future[Saved]:
        """Let a mark be written; the future has a result when the mark is on the disk."""
        return self.writer.send(mark)

    def save(self, mark: Mark) -> Saved:
        """The same for those who wait."""
        return self.send(mark).result()

    def grade(
        self, assessor: int, query: str, item: str, grade: int, *, key: str | None = None, ms: int | None = None
    ) -> Saved:
        """Say how relevant an item is to a query."""
        return self.save(
            Mark(assessor=assessor, key=key or new_key(), kind="grade", query=query, item=item, grade=grade, ms=ms)
        )

    def undo(self, assessor: int, of: int | None = None, *, key: str | None = None) -> Saved:
        """Take back a mark of this assessor, the last that stands unless one is named; repeat it to go further back."""
        return self.save(Mark(assessor=assessor, key=key or new_key(), kind="undo", of=of))

    def next_items(self, assessor: int, count: int = 1, *, tab: str = "", query: str | None = None) -> list[Loan]:
        """What an assessor is to judge next, on loan; a sample that is due is drawn first."""
        self._draw_samples()
        with self.lock:
            return self.assignment.next_items(assessor, count, tab, query)

    def hold(self, assessor: int, pairs: Sequence[Pair], tab: str = "") -> list[Pair]:
        """Those items that a tab may go on showing, after a restart or an undo; the others have no place left."""
        with self.lock:
            return [pair for pair in pairs if self.assignment.hold(assessor, pair, tab)]

    def release(self, assessor: int, tab: str | None = None) -> None:
        """What an assessor was shown goes to others: the tab was closed."""
        with self.lock:
            self.assignment.release(assessor, tab)

    # people

    def assessor_named(self, name: str) -> Assessor:
        """Somebody by name; a `SettingError` where there is nobody of that name."""
        found = next((each for each in self.assessors.values() if each.name == name), None)
        if found is None:
            there = ", ".join(each.name for each in self.assessors.values() if each.id != PROJECT.id)
            raise SettingError(f"no assessor '{name}'. There are: {there}")
        return found

    def invite(self, name: str, role: str = "judge") -> Invitation:
        """Let somebody in, with one role; a second invitation of the same person ends the first."""
        check_person(name, role)
        known = next((each for each in self.assessors.values() if each.name == name), None)
        if known is not None and known.kind != "human":
            raise SettingError(f"'{name}' is a {known.kind} in this project: choose another name")
        token = new_token()
        return Invitation(self.put_assessor(name, kind="human", role=role, token=token_hash(token)), token)

    def revoke(self, name: str) -> None:
        """Let somebody in no more; what they marked stays."""
        found = self.assessor_named(name)
        self._store_assessor(found._replace(token_hash=None, active=0))
        self.release(found.id)

    def assessor_of_token(self, token: str) -> Assessor | None:
        """Whom a token lets in; None: nobody."""
        wanted = token_hash(token)
        found = (
            each
            for each in self.assessors.values()
            if each.token_hash and secrets.compare_digest(each.token_hash, wanted)
        )
        return next((each for each in found if each.active), None)

    def add_assessor(self, name: str, kind: str = "human") -> Assessor:
        """Somebody whose labels come from a file, or who was there before: no token."""
        known = next((each for each in self.assessors.values() if each.name == name), None)
        if known is not None and known.kind == kind:
            return known
        if known is not None:
            raise SettingError(f"'{name}' is {known.kind} in this project, not {kind}: choose another name")
        check_person(name, "judge")
        return self.put_assessor(name, kind=kind, role="judge", token=None)

    def put_assessor(self, name: str, *, kind: str, role: str, token: str | None) -> Assessor:
        """Somebody new, or known already in a new role or with a new token."""
        known = next((each for each in self.assessors.values() if each.name == name), None)
        number = max(self.assessors) + 1 if known is None else known.id
        return self._store_assessor(Assessor(id=number, name=name, kind=kind, role=role, token_hash=token, active=1))

    def _store_assessor(self, one: Assessor) -> Assessor:
        self.writer.change(lambda journal: journal.put_assessor(one))
        with self.lock:
            self.assessors[one.id] = one
        return one

    # guidelines and queries

    @property
    def guideline_version(self) -> int | None:
        """The version that marks are made under now; None: there is none."""
        return self.guidelines[-1].version if self.guidelines else None

    def add_guideline(self, text: str) -> Guideline:
        """What assessors read from now on; the same text again changes nothing."""
        if not text.strip() or not is_storable(text):
            raise SettingError("a guideline is a text that is not empty")
        if self.guidelines and self.guidelines[-1].text == text:
            return self.guidelines[-1]
        return self.put_guideline(Guideline(len(self.guidelines) + 1, text, time.time_ns() // 1000))

    def put_guideline(self, new: Guideline) -> Guideline:
        """One more version, as it is."""
        self.writer.change(lambda journal: journal.add_guideline(new))
        with self.lock:
            self.guidelines.append(new)
        return new

    def add_query(
        self, name: str, text: str = "", *, narrative: str = "", example: str | None = None, class_: str = ""
    ) -> Query:
        """One more thing to look for: in words, or like an item."""
        problems = (
            []
            if name.strip() and all(map(is_storable, (name, text, narrative, class_)))
            else ["a query has a name, and texts"]
        )
        problems += [f"there is a query '{name}' already"] if name in self.queries else []
        problems += [f"there is no item '{example}'"] if example is not None and example not in self.places else []
        if problems:
            raise SettingError.of(problems)
        new = Query(place=len(self.queries), id=name, text=text, narrative=narrative, example=example, class_=class_)
        self.writer.change(lambda journal: journal.add_query(new))
        with self.lock:
            self.queries[name] = new
        return new

    # pools

    def make_pool(self, method: str, *, budget: int | None = None, seed: int = 0) -> ProjectPool:
        """Freeze what is to be judged, as `depth(20)` or `bandit(100) + sample(101-1000:2%)`; it is used from now on.

        `budget`: how many items of each query an adaptive part judges.
        """
        from rankscope.workbench.pool_making import make_rows

        plan, rows = make_rows(self, method, budget, seed)
        runs = [
            {"name": name, "file": path}
            for name, path in zip(run_names(self.sources.runs), self.file.runs, strict=True)
        ]
        digest = pool_digest(str(plan), seed, budget, rows)
        design = Design(
            version=rows[0].version,
            method=str(plan),
            seed=seed,
            budget=budget,
            runs=json_text(runs),
            digest=digest,
            at_us=time.time_ns() // 1000,
        )
        return self.put_pool(design, rows)

    def put_pool(self, design: Design, rows: Sequence[Pooled]) -> ProjectPool:
        """One more pool, as it is; it is used from now on."""
        self.writer.change(lambda journal: journal.add_pool(design, rows))
        with self.lock:
            self.designs.append(design)
            return self._use_pool(design, rows)

    def pool_of(self, version: int) -> ProjectPool:
        """An earlier pool, or the one that is used."""
        if self.pool is not None and self.pool.design.version == version:
            return self.pool
        return ProjectPool(self.designs[version - 1], self._read(lambda journal: journal.pool(version)))

    def _use_pool(self, design: Design, rows: Sequence[Pooled]) -> ProjectPool:
        pool = self.pool = ProjectPool(design, rows)
        self.assignment.use_pool(pool)
        return pool

    def _draw_samples(self) -> None:
        if self.pool is None or not self.pool.plan.is_adaptive or self.pool.plan.sample is None:
            return
        with self.lock:
            due = self.assignment.draws_due()
        for query in due:
            key = f"draw {self.pool.design.version} {token_hash(query)[:32]}"
            self.save(Mark(assessor=PROJECT.id, key=key, kind="draw", query=query))

    # files

    def import_labels(self, labels: Any, assessor: str, kind: str = "human") -> Imported:
        """Labels of somebody, or of a machine, become marks: from a file, a table, or {query: {item: grade}}."""
        from rankscope.workbench.importing import import_labels

        return import_labels(self, labels, assessor, kind)

    def export(
        self, path: str | Path, *, assessor: str | None = None, probabilities: bool = False, names: bool = False
    ) -> Exported:
        """Write the judgements as qrels, or as a table to a .parquet file, and NAME.provenance.json beside it."""
        from rankscope.workbench.exporting import export

        return export(self, path, assessor=assessor, probabilities=probabilities, names=names)

    def export_journal(self, path: str | Path) -> str:
        """Write the whole journal as JSON lines, with people's names; returns its digest."""
        from rankscope.workbench.journal_files import write_journal

        with self.lock:
            return write_journal(self, path)

    def export_log(self, path: str | Path) -> int:
        """Write what was marked in sessions, as `rankscope feedback --log` reads it; how many sessions have marks."""
        from rankscope.workbench.log_files import write_log

        with self.lock:
            return write_log(self, path)

    def import_journal(self, path: str | Path) -> int:
        """Bring in a journal of the same collection; how many of its events were new."""
        from rankscope.workbench.journal_files import read_journal

        return read_journal(self, path)

    @property
    def journal_digest(self) -> str:
        """SHA-256 of all events, the same wherever the journal lies."""
        from rankscope.workbench.journal_files import journal_digest

        with self.lock:
            return journal_digest(self)

    def backup(self, path: str | Path) -> None:
        """A whole copy of judgements.db in a new file, also while people judge."""
        from rankscope.workbench.copying import copy_database

        copy_database(self._journal.database, Path(path))


def new_key() -> str:
    """A key for a mark that nobody else has."""
    return secrets.token_hex(12)
