"""The writer: in order, once each, together where several wait, and honest when the disk is not."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from rankscope.workbench.store.databases import SQLite
from rankscope.workbench.store.events import Event, MarkEvent, NoRoom, Refused, State, Unavailable
from rankscope.workbench.store.journal import Journal, Writer
from tests.workbench.projects import ITEMS, small_project
from tests.workbench.store.journals import mark, open_writer, undo
from tests.workbench.store.killing import ROOT


def test_the_same_key_twice_is_the_same_mark(tmp_path: Path) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        first, again = writer.save(mark("k")), writer.save(mark("k"))
        assert (first.again, again.again) == (False, True)
        assert first.event == again.event
        assert writer.state.last == 1


def test_a_key_belongs_to_its_assessor(tmp_path: Path) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        writer.save(mark("k"))
        assert writer.save(mark("k", assessor=2)).event.id == 2


@pytest.mark.parametrize("other", [mark("k", grade=2), mark("k", item="b"), undo("k")], ids=["grade", "item", "kind"])
def test_a_key_that_was_used_for_another_mark_is_refused(tmp_path: Path, other: MarkEvent) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        writer.save(mark("k"))
        with pytest.raises(Refused, match="used for another mark"):
            writer.save(other)


def test_a_repeated_key_is_known_after_a_restart(tmp_path: Path) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        writer.save(mark("k"))
    with open_writer(tmp_path / "j.db") as writer:
        assert writer.save(mark("k")).again


def test_undo_goes_back_step_by_step_and_says_when_nothing_is_left(tmp_path: Path) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        for number, item in enumerate("abb"):
            writer.save(mark(f"k{number}", item, grade=number))
        taken = [writer.save(undo(f"u{number}")).event.of for number in range(3)]
        assert taken == [3, 2, 1]
        assert writer.state.answers == {("q1", "a"): {}, ("q1", "b"): {}}
        with pytest.raises(Refused, match="nothing left"):
            writer.save(undo("u3"))


def test_an_undo_brings_back_what_stood_before(tmp_path: Path) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        for number in range(3):
            writer.save(mark(f"k{number}", grade=number))
        writer.save(undo("u1", of=2))
        answer = writer.state.answer(1, ("q1", "a"))
        assert answer is not None
        assert answer.grade == 2
        writer.save(undo("u2"))
        answer = writer.state.answer(1, ("q1", "a"))
        assert answer is not None
        assert answer.grade == 0


@pytest.mark.parametrize(
    ("of", "words"), [(1, "none of yours"), (9, "none of yours"), (3, "an undo itself"), (2, "before")]
)
def test_an_undo_that_cannot_be_is_refused(tmp_path: Path, of: int, words: str) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        writer.save(mark("k", assessor=2))
        writer.save(mark("k"))
        writer.save(undo("u"))
        with pytest.raises(Refused, match=words):
            writer.save(undo("v", of=of))
        assert writer.state.last == 3


class Counted(Journal):
    """Notes how many events came with each commit, and waits before the first until it may."""

    def __init__(self, database: SQLite) -> None:
        super().__init__(database)
        self.sizes: list[int] = []
        self.may_go = threading.Event()

    def append(self, events: Sequence[Event]) -> None:
        self.may_go.wait(60)
        self.sizes.append(len(events))
        super().append(events)


def test_what_waits_is_committed_together_and_in_order(tmp_path: Path) -> None:
    database = SQLite(tmp_path / "j.db")
    database.connect()
    journal = Counted(database)
    journal.create({}, [], [])
    writer = Writer(journal)
    waiting = [writer.send(mark(f"k{number}", item=f"i{number}")) for number in range(50)]
    journal.may_go.set()
    assert [each.result().event.id for each in waiting] == list(range(1, 51))
    assert len(journal.sizes) <= 2
    writer.stop()
    database.close()


def test_what_depends_on_an_earlier_mark_waits_for_it(tmp_path: Path) -> None:
    database = SQLite(tmp_path / "j.db")
    database.connect()
    journal = Counted(database)
    journal.create({}, [], [])
    writer = Writer(journal)
    marks = [mark("first"), mark("k"), mark("k"), undo("u"), mark("l", "b"), undo("v"), undo("w")]
    waiting = [writer.send(each) for each in marks]
    journal.may_go.set()
    done = [each.result() for each in waiting]
    assert [each.again for each in done] == [False, False, True, False, False, False, False]
    assert [each.event.of for each in done if each.event.kind == "undo"] == [2, 3 + 1, 1]
    writer.stop()
    database.close()
    assert writer.state.answers == {("q1", "a"): {}, ("q1", "b"): {}}


def test_time_does_not_go_back_in_a_journal(tmp_path: Path) -> None:
    times = iter([1000, 400, 1200, 3])
    with open_writer(tmp_path / "j.db", clock=lambda: next(times)) as writer:
        for number in range(4):
            writer.save(mark(f"k{number}"))
        assert [each.at_us for each in writer.state.events] == [1000, 1000, 1200, 1200]
    with open_writer(tmp_path / "j.db", clock=lambda: 5) as writer:
        assert writer.save(mark("later")).event.at_us == 1200


def test_a_full_disk_is_told_and_the_same_mark_can_be_sent_again(tmp_path: Path) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        writer.save(mark("before"))
        pages = writer.change(lambda journal: journal.database.execute("PRAGMA page_count")[0][0])
        writer.change(lambda journal: journal.database.execute(f"PRAGMA max_page_count = {pages}"))
        saved, refused = _save_until_full(writer)
        assert refused
        assert writer.state.last == saved + 1
        writer.change(lambda journal: journal.database.execute("PRAGMA max_page_count = 1000000"))
        assert not writer.save(mark(refused, item=refused)).again
    with open_writer(tmp_path / "j.db") as writer:
        assert writer.state.last == saved + 2
        assert writer.journal.database.check() == "ok"


def _save_until_full(writer: Writer) -> tuple[int, str]:
    for number in range(10_000):
        try:
            writer.save(mark(f"k{number}", item=f"k{number}"))
        except NoRoom:
            return number, f"k{number}"
    return 0, ""


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX's")
def test_a_limit_on_files_reads_as_a_full_disk_and_loses_nothing(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        project.grade(1, "q1", "a", 1)
    size = (tmp_path / "project" / "judgements.db").stat().st_size
    lines = "".join(f"1 k{number} q1 {ITEMS[number % 12]} 1\n" for number in range(400))
    limit = (size + 40_000) // 1024
    command = f"ulimit -f {limit}; exec {sys.executable} -m tests.workbench.store.kill_driver {tmp_path / 'project'}"
    paths = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    done = subprocess.run(["bash", "-c", command], input=lines, text=True, capture_output=True, cwd=ROOT, env=paths)
    said = [line.split(maxsplit=1) for line in done.stdout.splitlines()[1:]]
    kept = {key for key, answer in said if not answer.startswith("!")}
    full = [answer for _, answer in said if answer.startswith("!")]
    assert kept
    assert full
    assert all("disk full" in answer for answer in full)
    database = SQLite(tmp_path / "project" / "judgements.db")
    database.connect()
    assert kept <= {each.key for each in Journal(database).events()}
    assert database.check() == "ok"
    database.close()


def test_a_writer_that_has_stopped_takes_no_more(tmp_path: Path) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        waiting = writer.send(mark("k"))
        writer.stop()
        assert waiting.result().event.id == 1
        with pytest.raises(Unavailable):
            writer.send(mark("l"))


def test_a_clean_stop_leaves_one_file(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        project.grade(1, "q1", "a", 1)
        assert (tmp_path / "project" / "judgements.db-wal").exists()
    assert not list((tmp_path / "project").glob("judgements.db-*"))


def test_a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    def work(journal: Journal) -> None:
        journal.database.insert("meta", [("a", "b")])
        raise Refused("no")

    with open_writer(tmp_path / "j.db") as writer:
        with pytest.raises(Refused):
            writer.change(work)
        assert "a" not in writer.journal.meta()
        writer.save(mark("k"))


def test_a_journal_with_a_hole_is_not_taken_for_whole(tmp_path: Path) -> None:
    with open_writer(tmp_path / "j.db") as writer:
        for number in range(3):
            writer.save(mark(f"k{number}"))
        events = writer.state.events
    with pytest.raises(Refused, match="it was changed"):
        State.of([events[0], events[2]])


@pytest.mark.parametrize("key", ["", "x" * 65, "a\0b", "\ud800"])
def test_a_key_that_no_database_takes_is_refused(key: str) -> None:
    with pytest.raises(Refused):
        mark(key)
