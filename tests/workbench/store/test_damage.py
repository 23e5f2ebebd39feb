"""Damaged journals: refused where they break, or the same answer; what is before a break can be read."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError, RankscopeError
from rankscope.workbench.project import Project
from rankscope.workbench.store.databases import APPEND_ONLY, PostgreSQL
from tests.postgres import Cluster
from tests.workbench.projects import judge_all, small_project, write_sources
from tests.workbench.store.killing import ROOT

FLIPS = 200


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """A project with people, guidelines, two pools, comments, undone marks and a sample."""
    with small_project(tmp_path) as project:
        fill(project)
    return tmp_path / "project"


def fill(project: Project) -> None:
    project.add_guideline("Relevant is what says fox.")
    project.make_pool("depth(2)")
    project.make_pool("mtf(3) + sample(4-5:50%)", budget=4)
    ann, bob = (project.invite(name).assessor.id for name in ("ann", "bob"))
    judge_all(project, ann, bob)
    project.undo(ann)
    project.adjudicate(1, "q1", "a", 2)
    project.add_query("q3", "cats", narrative="Any cat.")
    project.add_guideline("Relevant is what is about foxes.")


def exported(folder: Path, target: Path) -> bytes:
    """The whole journal as a reader gets it."""
    with Project.open(folder, readonly=True) as project:
        project.export_journal(target)
    return target.read_bytes()


def flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def believed_damage(judged: Path, scratch: Path, flips: int, seed: int) -> tuple[list[int], int]:
    """The flips after which a journal was read that is another one, and how many were refused."""
    whole, chance = exported(judged, scratch / "whole.jsonl"), random.Random(seed)
    wrong, refused = [], 0
    for number in range(flips):
        copy = scratch / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(judged, copy)
        damaged = [
            path for path in sorted(copy.glob("judgements.*")) if path.suffix != ".db-shm" and path.stat().st_size
        ]
        flip(chance.choices(damaged, [path.stat().st_size for path in damaged])[0], chance)
        try:
            wrong += [number] if exported(copy, scratch / "copy.jsonl") != whole else []
        except RankscopeError:
            refused += 1
    return wrong, refused


@pytest.mark.thorough
def test_a_flipped_bit_is_refused_or_changes_nothing(judged: Path, tmp_path: Path) -> None:
    wrong, refused = believed_damage(judged, tmp_path, FLIPS, seed=1)
    assert wrong == []
    assert refused > FLIPS // 20


@pytest.mark.thorough
def test_a_flipped_bit_in_what_a_killed_process_left_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    wrong, refused = believed_damage(killed(tmp_path), tmp_path, FLIPS, seed=2)
    assert wrong == []
    assert refused > FLIPS // 20


def test_some_flipped_bits(judged: Path, tmp_path: Path) -> None:
    assert believed_damage(judged, tmp_path, 20, seed=3)[0] == []


def killed(folder: Path) -> Path:
    """A project whose server was killed: most of its journal is in the log."""
    small_project(folder).close()
    program = (
        "import os, signal, sys; from rankscope.workbench.project import Project; "
        "from tests.workbench.store.test_damage import fill; "
        "project = Project.open(sys.argv[1]); fill(project); os.kill(os.getpid(), signal.SIGKILL)"
    )
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", program, str(folder / "project")], cwd=ROOT, env=paths, timeout=60)
    assert done.returncode == -signal.SIGKILL
    return folder / "project"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.parametrize("keep", [0.25, 0.5, 0.9])
def test_a_log_that_was_cut_after_a_kill_is_a_lost_end(tmp_path: Path, keep: float) -> None:
    folder = killed(tmp_path)
    log = folder / "judgements.db-wal"
    os.truncate(log, int(keep * log.stat().st_size))
    with pytest.raises(InputError, match="lost"):
        Project.open(folder, readonly=True)
    with pytest.raises(InputError, match="lost"):
        Project.open(folder)


def test_a_change_beside_the_events_that_is_lost_with_the_log_is_found(tmp_path: Path) -> None:
    small_project(tmp_path).close()
    folder = tmp_path / "project"
    shutil.copy(folder / "judgements.db", tmp_path / "before.db")
    with Project.open(folder) as project:
        project.invite("ann")
    shutil.copy(tmp_path / "before.db", folder / "judgements.db")
    with pytest.raises(InputError, match="the last changes are lost"):
        Project.open(folder)


# what SQL can do

CHANGES = {
    "a grade": "UPDATE event SET grade = 1 - grade WHERE id = 3 AND grade < 2",
    "a time": "UPDATE event SET at_us = at_us + 1 WHERE id = 5",
    "a detail": "UPDATE event SET detail = '{{}}' WHERE id = 4",
    "a key": "UPDATE event SET key = 'another' WHERE id = 2",
    "who": "UPDATE event SET assessor = 1 WHERE id = 6",
    "a digest": "UPDATE event SET digest = '{zeros}' WHERE id = 6",
    "one gone": "DELETE FROM event WHERE id = 7",
    "the first gone": "DELETE FROM event WHERE id = 1",
    "the last gone": "DELETE FROM event WHERE id = (SELECT max(id) FROM event)",
    "all gone": "DELETE FROM event",
    "two exchanged": "UPDATE event SET id = -id WHERE id IN (3, 4); UPDATE event SET id = id + 7 WHERE id < 0",
    "a name": "UPDATE assessor SET name = 'eve' WHERE name = 'ann'",
    "a role": "UPDATE assessor SET role = 'admin' WHERE name = 'bob'",
    "somebody gone": "DELETE FROM assessor WHERE name = 'bob'",
    "a query": "UPDATE query SET text = 'dogs and cats' WHERE id = 'q2'",
    "a guideline": "UPDATE guideline SET text = 'Everything is.' WHERE version = 1",
    "a guideline gone": "DELETE FROM guideline WHERE version = 2",
    "an item": "UPDATE item SET id = 'ä' WHERE id = 'a'",
    "a pool": "UPDATE design SET seed = 1 WHERE version = 1",
    "a candidate": "UPDATE pool SET stratum = 'x' WHERE version = 2 AND place = 1",
    "a candidate gone": "DELETE FROM pool WHERE version = 2 AND place = 2",
    "a secret": "UPDATE meta SET value = '00' WHERE name = 'secret'",
    "digests gone": "DELETE FROM meta WHERE name = 'digests'",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_sql_changed_in_sqlite_is_refused(judged: Path, change: str) -> None:
    base = sqlite3.connect(judged / "judgements.db")
    for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        base.execute(f"DROP TRIGGER {name}")
    before = base.total_changes
    base.executescript(change.format(zeros="0" * 64))
    assert base.total_changes > before
    base.commit()
    base.close()
    with pytest.raises(InputError):
        Project.open(judged, readonly=True)
    with pytest.raises(InputError):
        Project.open(judged)


@pytest.fixture(scope="module")
def on_postgresql(running_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A filled project, closed; tests put back what they change."""
    folder = tmp_path_factory.mktemp("postgresql")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGPASSWORD", running_cluster.password)
        with Project.new(folder / "project", **write_sources(folder), database=running_cluster.address) as project:
            fill(project)
        yield folder / "project"


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_sql_changed_in_postgresql_is_refused(on_postgresql: Path, cluster: Cluster, change: str) -> None:
    with Project.open(on_postgresql, readonly=True) as project:
        name, events = project.file.id, project.state.events
    base = PostgreSQL(cluster.address, name)
    base.connect()
    tables = ("event", "assessor", "query", "guideline", "item", "design", "pool", "meta")
    for table in tables:
        base.execute(f"CREATE TABLE saved_{table} AS SELECT * FROM {table}")
    base.execute("ALTER TABLE event DISABLE TRIGGER ALL")
    try:
        for statement in change.format(zeros="0" * 64).split("; "):
            base.execute(statement)
        with pytest.raises(InputError):
            Project.open(on_postgresql, readonly=True)
        with pytest.raises(InputError):
            Project.open(on_postgresql)
    finally:
        for table in tables:
            base.execute(f"DELETE FROM {table}")
            base.execute(f"INSERT INTO {table} SELECT * FROM saved_{table}")
            base.execute(f"DROP TABLE saved_{table}")
        base.execute("ALTER TABLE event ENABLE TRIGGER ALL")
        base.close()
    with Project.open(on_postgresql, readonly=True) as project:
        assert project.state.events == events


# what can still be read


def run(*arguments: object) -> tuple[int, str]:
    found = CliRunner().invoke(cli, list(map(str, arguments)))
    if isinstance(found.exception, RankscopeError):
        return 2, f"{found.output}{found.exception}"
    return found.exit_code, found.output


def without_triggers(path: Path, work: Callable[[sqlite3.Connection], object]) -> None:
    base = sqlite3.connect(path)
    for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        base.execute(f"DROP TRIGGER {name}")
    work(base)
    base.commit()
    base.close()


def test_a_whole_journal_is_said_to_be_whole(judged: Path) -> None:
    with Project.open(judged, readonly=True) as project:
        events = project.state.last
    code, said = run("project", "check", judged)
    assert (code, said) == (0, f"{judged}: {events} events, all as they were written\n")


def test_the_events_before_a_break_go_into_a_journal_that_can_be_imported(judged: Path, tmp_path: Path) -> None:
    with Project.open(judged, readonly=True) as project:
        events = project.state.events
    without_triggers(judged / "judgements.db", lambda base: base.execute("UPDATE event SET at_us = 5 WHERE id = 8"))
    code, said = run("project", "export", judged, "--journal", tmp_path / "no.jsonl")
    assert (code, "event 8 is damaged" in said.replace(":", "")) == (2, True), said
    assert "The 7 events before it are whole" in said
    code, said = run("project", "check", judged, "--journal", tmp_path / "whole.jsonl")
    assert (code, "event 8" in said, "7 events are whole" in said) == (2, True, True), said
    lines = (tmp_path / "whole.jsonl").read_text().splitlines()
    assert [json.loads(line)["event"]["key"] for line in lines if line.startswith('{"event"')] == [
        each.key for each in events[:7]
    ]
    (tmp_path / "new").mkdir()
    with small_project(tmp_path / "new") as again:
        assert again.import_journal(tmp_path / "whole.jsonl") == 7


def test_a_missing_event_is_named(judged: Path) -> None:
    without_triggers(judged / "judgements.db", lambda base: base.execute("DELETE FROM event WHERE id = 4"))
    code, said = run("project", "check", judged)
    assert (code, "event 4: is gone: event 5 follows" in said) == (2, True), said


# journals of the version before


def as_before(base: sqlite3.Connection) -> None:
    """The tables as version 1 had them."""
    base.execute("ALTER TABLE event DROP COLUMN digest")
    base.execute("UPDATE meta SET value = '1' WHERE name = 'schema'")
    base.execute("DELETE FROM meta WHERE name = 'digests'")
    base.execute(f"CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END")


def test_a_journal_without_digests_is_read_and_gets_them_when_it_is_written(judged: Path, tmp_path: Path) -> None:
    whole = exported(judged, tmp_path / "whole.jsonl")
    without_triggers(judged / "judgements.db", as_before)
    (judged / "judgements.last").unlink()
    assert exported(judged, tmp_path / "before.jsonl") == whole
    code, said = run("project", "check", judged)
    assert (code, "no digests yet" in said, "can be read" in said) == (0, True, True), said
    with Project.open(judged) as project:
        assert [note for note in project.notes if "it has them from now on" in note]
        project.grade(1, "q1", "z", 0)
        events = project.state.last
    assert run("project", "check", judged) == (0, f"{judged}: {events} events, all as they were written\n")
    base = sqlite3.connect(judged / "judgements.db")
    with pytest.raises(sqlite3.IntegrityError, match=APPEND_ONLY):
        base.execute("UPDATE event SET grade = 2")
    base.close()


def test_a_journal_without_digests_in_postgresql_gets_them_too(tmp_path: Path, cluster: Cluster) -> None:
    with Project.new(tmp_path / "project", **write_sources(tmp_path), database=cluster.address) as project:
        fill(project)
        events, name = project.state.events, project.file.id
    base = PostgreSQL(cluster.address, name)
    base.connect()
    base.execute("ALTER TABLE event DROP COLUMN digest")
    base.execute("UPDATE meta SET value = '1' WHERE name = 'schema'")
    base.execute("DELETE FROM meta WHERE name = 'digests'")
    base.close()
    (tmp_path / "project" / "judgements.last").unlink()
    with Project.open(tmp_path / "project", readonly=True) as project:
        assert project.state.events == events
    with Project.open(tmp_path / "project") as project:
        assert project.state.events == events
        project.grade(1, "q1", "z", 0)
    assert run("project", "check", tmp_path / "project")[0] == 0
