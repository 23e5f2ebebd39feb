"""The one writer of a journal: a thread that takes whatever waits, commits it at once, and only then acknowledges.

A commit costs a wait for the disk, however many events it holds; so fifty people who mark at the same time share one
wait instead of queueing for fifty.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, TypeVar

from rankscope.core.errors import InputError, RankscopeError
from rankscope.workbench.store.databases import ConnectionLostError
from rankscope.workbench.store.events import Event, MarkEvent, Refused, State, Unavailable, without_collecting
from rankscope.workbench.store.journal import Journal

AT_ONCE: Final = 500  # events of one commit
T = TypeVar("T")
ALONE: Final = frozenset({"undo", "draw"})  # kinds that depend on everything before them, and change it


class Rules:
    """What a project adds to the journal's own rules; this one adds nothing."""

    def read_again(self, journal: Journal) -> bool:
        """Read the tables next to the events, which another process may have changed; whether one did."""
        return False

    def complete(self, mark: MarkEvent) -> MarkEvent:
        """Refuse a mark, or add what only the state can say; all marks before it count already."""
        return mark

    def applied(self, events: Sequence[Event]) -> None:
        """These events are on the disk and in the state."""


class Saved(NamedTuple):
    """A mark that is on the disk; `again`: it was there before this request."""

    event: Event
    again: bool = False


@dataclass(frozen=True, eq=False)
class Waiting:
    """A mark that waits, or work on the other tables; without either somebody waits to know what is on the disk.

    Work is done between two commits, in a transaction of its own. `known` is how often another process had written, as
    far as the one who changes something knew; None where it is only read.
    """

    done: Future[Any]
    mark: MarkEvent | None = None
    work: Callable[[Journal], Any] | None = None
    known: int | None = None


class Writer:
    """Writes marks to a journal in the order in which they come, and keeps the state up to date.

    `rules` look at each mark in that order. `state` may be read by other threads while they hold `lock`; the rules are
    asked while the writer does.
    """

    def __init__(
        self,
        journal: Journal,
        rules: Rules | None = None,
        *,
        clock: Callable[[], int] = lambda: time.time_ns() // 1000,
        patience: float | None = None,
    ) -> None:
        self.journal, self.rules, self._clock = journal, rules or Rules(), clock
        self._patience = journal.database.patience if patience is None else patience
        with without_collecting():
            self.state = State.of(journal.events())
        journal.acknowledge()
        self.lock = threading.RLock()
        self._behind = False  # the connection was lost, and what is there now was not read yet
        self.elsewhere = 0  # how often it was found that another process had written
        self._waiting: SimpleQueue[Waiting | None] = SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="rankscope writer", daemon=True)
        self._thread.start()

    def send(self, mark: MarkEvent) -> Future[Saved]:
        """Let a mark be written; the result is there when it is on the disk, or the reason why it is not."""
        done: Future[Saved] = Future()
        self._put(Waiting(done, mark))
        return done

    def save(self, mark: MarkEvent) -> Saved:
        return self.send(mark).result()

    def change(self, work: Callable[[Journal], T]) -> T:
        """Change other tables, in one transaction; returns when that is on the disk.

        `Unavailable` where another process changed something that the one who asks could not know.
        """
        done: Future[T] = Future()
        self._put(Waiting(done, work=work, known=self.elsewhere))
        return done.result()

    def ask(self, work: Callable[[Journal], T]) -> T:
        """Read other tables, between two commits."""
        done: Future[T] = Future()
        self._put(Waiting(done, work=work))
        return done.result()

    def look(self) -> None:
        """Make sure that this process is the one that writes and knows all that was written.

        `Unavailable` where it is not, and cannot be made so at once.
        """
        if self._behind or not self.journal.database.is_ours():
            done: Future[None] = Future()
            self._put(Waiting(done))
            done.result()

    def stop(self) -> None:
        """Write what waits, then end. Later marks are refused."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._waiting.put(None)
        self._thread.join()

    def _put(self, new: Waiting) -> None:
        with self._closing:
            if self._closed:
                raise Unavailable("the project was closed: nothing is written any more")
            self._waiting.put(new)

    def _run(self) -> None:
        going = True
        while going:
            taken = self._take()
            going = taken[-1] is not None
            for part in _parts([each for each in taken if each is not None]):
                self._write(part)

    def _take(self) -> list[Waiting | None]:
        """Everything that waits, at least one; None last is the end."""
        taken = [self._waiting.get()]
        with suppress(Empty):
            while taken[-1] is not None and len(taken) < AT_ONCE:
                taken.append(self._waiting.get_nowait())
        return taken

    def _write(self, part: list[Waiting]) -> None:
        try:
            self._with_patience(part)
        except BaseException as error:
            for each in part:
                if not each.done.done():
                    each.done.set_exception(error)

    def _with_patience(self, part: list[Waiting]) -> None:
        """Again where the connection was lost: what then turns out to be in the journal is not written twice."""
        only_looks = part[0].mark is None and part[0].work is None
        ends = time.monotonic() + (0.0 if only_looks else self._patience)
        again = False
        while True:
            self._catch_up(ends)
            try:
                self._do(part)
                break
            except ConnectionLostError as lost:
                self._behind = True
                if again and time.monotonic() > ends:
                    raise Unavailable(str(lost)) from None
                again = True

    def _do(self, part: list[Waiting]) -> None:
        first = part[0]
        if first.mark is not None:
            self._commit(part)
        elif first.work is not None:
            if first.known is not None and first.known != self.elsewhere:
                raise Unavailable("another process changed the project meanwhile: look at it again, then do this again")
            first.done.set_result(self.journal.change(first.work))
        else:
            if not self.journal.database.is_ours():
                raise ConnectionLostError("another process has written into the journal")
            first.done.set_result(None)

    def _catch_up(self, ends: float) -> None:
        """Where the connection was lost: have it again, with the lock, and know what was written meanwhile."""
        pause = 0.05
        while self._behind:
            try:
                self.journal.database.connect()
                self.journal.database.lock()
                with self.lock:
                    changed = self.rules.read_again(self.journal)
                    events = self.journal.news()
                    self.state.apply(events)
                    self.rules.applied(events)
                    self.elsewhere += changed or bool(events)
                self.journal.acknowledge()
                self._behind = False
            except InputError as error:
                raise Unavailable(str(error)) from None
            except (Unavailable, ConnectionLostError) as lost:
                if time.monotonic() + pause > ends:
                    raise Unavailable(str(lost)) from None
                time.sleep(pause)
                pause = min(1.0, 2 * pause)

    def _commit(self, marks: Sequence[Waiting]) -> None:
        events: list[tuple[Waiting, Event]] = []
        for each in marks:
            if each.done.done() or each.mark is None:
                continue
            try:
                planned = self._planned(each.mark, len(events), events[-1][1].at_us if events else self.state.at_us)
            except RankscopeError as error:
                each.done.set_exception(error)
                continue
            if isinstance(planned, Saved):
                each.done.set_result(planned)
            else:
                events.append((each, planned))
        if not events:
            return
        self.journal.append([event for _, event in events])
        with self.lock:
            self.state.apply(event for _, event in events)
            self.rules.applied([event for _, event in events])
        for each, event in events:
            each.done.set_result(Saved(event))

    def _planned(self, mark: MarkEvent, ahead: int, at_least: int) -> Saved | Event:
        """The event of a mark, behind so many of the same commit; or the one that its key made before.

        Time never goes back in a journal, even if the clock of the machine does.
        """
        known = self.state.known(mark.assessor, mark.key)
        if known is not None:
            _need_same(mark, known)
            return Saved(known, again=True)
        with self.lock:
            whole = self.rules.complete(mark)
            of = self.state.to_be_undone(whole) if whole.kind == "undo" else None
        return Event(
            id=self.state.last + ahead + 1,
            at_us=int(max(self._clock() if whole.at_us is None else whole.at_us, at_least)),
            assessor=int(whole.assessor),
            key=whole.key,
            kind=whole.kind,
            query=whole.query if of is None else of.query,
            item=whole.item if of is None else of.item,
            grade=None if whole.grade is None else int(whole.grade),
            ms=whole.ms,
            of=None if of is None else of.id,
            detail=whole.detail_text,
            pool=whole.pool,
            guideline=whole.guideline,
        )


def _need_same(mark: MarkEvent, known: Event) -> None:
    """A key stands for one mark; two different ones under the same key cannot both be answered with yes."""
    same = (mark.kind, mark.grade) == (known.kind, known.grade)
    if mark.kind == "undo":
        same = same and mark.of in (None, known.of)
    else:
        same = same and (mark.query, mark.item) == (known.query, known.item)
    if mark.kind == "prefer":
        same = same and mark.detail_text == known.detail
    if not same:
        raise Refused(f"the key '{mark.key}' was used for another mark: choose a new one for each")


def _parts(taken: Sequence[Waiting]) -> Iterator[list[Waiting]]:
    """What can be committed together: no event of a part depends on another event of it."""
    part: list[Waiting] = []
    seen: set[object] = set()  # what marks have in common with those that they could depend on: key, and item
    for each in taken:
        mark = each.mark
        traces = set() if mark is None else {("key", mark.assessor, mark.key), ("pair", mark.query, mark.item)}
        alone = mark is None or mark.kind in ALONE
        if part and (alone or seen & traces):
            yield part
            part, seen = [], set()
        if alone:
            yield [each]
        else:
            part.append(each)
            seen |= traces
    if part:
        yield part
