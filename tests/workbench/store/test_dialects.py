"""Both databases: append-only whatever one tries, one writer, and no password in any message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

from rankscope.core.errors import SettingError
from rankscope.workbench.project import Project
from rankscope.workbench.store.databases import Database, PostgreSQL, SQLite, check_address, mask
from rankscope.workbench.store.events import NoRoom, StoreError, Unavailable
from rankscope.workbench.store.journal import Writer
from tests.postgres import Cluster
from tests.workbench.projects import judge_all, write_sources
from tests.workbench.store.journals import mark, new_journal


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty one of each sort."""
    if request.param == "sqlite":
        found: Database = SQLite(tmp_path / "j.db")
    else:
        found = PostgreSQL(request.getfixturevalue("cluster").address, f"{crc32(request.node.name.encode()):x}")
    yield found
    found.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET grade = 2",
        "DELETE FROM event",
        "DELETE FROM event WHERE id = 1",
        "INSERT INTO event (id, at_us, assessor, key, kind) SELECT id, 9, assessor, 'other', kind FROM event",
        "INSERT INTO event (id, at_us, assessor, key, kind) SELECT id + 9, 9, assessor, key, kind FROM event",
    ],
)
def test_the_journal_is_append_only(database: Database, statement: str) -> None:
    journal = new_journal(database)
    writer = Writer(journal)
    writer.save(mark("k"))
    writer.stop()
    before = journal.events()
    with pytest.raises(StoreError):
        database.execute(statement)
    assert journal.events() == before


def test_replacing_a_row_is_no_way_around_it(tmp_path: Path) -> None:
    database = SQLite(tmp_path / "j.db")
    writer = Writer(new_journal(database))
    writer.save(mark("k"))
    writer.stop()
    with pytest.raises(StoreError, match="append-only"):
        database.execute("INSERT OR REPLACE INTO event (id, at_us, assessor, key, kind) VALUES (1, 1, 1, 'x', 'grade')")
    database.close()


def test_truncating_is_refused_too(cluster: Cluster) -> None:
    database = PostgreSQL(cluster.address, "trunc")
    new_journal(database)
    with pytest.raises(StoreError, match="append-only"):
        database.execute("TRUNCATE event")
    database.close()


def test_a_project_on_postgresql_is_the_same_when_it_is_opened_again(tmp_path: Path, cluster: Cluster) -> None:
    with Project.new(tmp_path / "project", **write_sources(tmp_path), database=cluster.address) as project:
        project.make_pool("mtf(3) + sample(4-5:50%)", budget=4)
        judge_all(project, project.invite("ann").assessor.id, project.invite("bob").assessor.id)
        with pytest.raises(Unavailable, match="open in another process"):
            Project.open(tmp_path / "project")
        with Project.open(tmp_path / "project", readonly=True) as reader:
            assert reader.state.last == project.state.last
    assert not (tmp_path / "project" / "judgements.db").exists()
    with Project.open(tmp_path / "project", database=cluster.address) as again:
        assert again.state == project.state
        assert again.integrity() == "ok"


def test_commits_on_postgresql_wait_for_the_disk(cluster: Cluster) -> None:
    database = PostgreSQL(cluster.address, "sync")
    database.connect()
    assert database.execute("SHOW synchronous_commit") == [("on",)]
    assert database.execute("SHOW fsync") == [("on",)]
    database.close()


def test_a_full_disk_of_postgresql_is_told(cluster: Cluster) -> None:
    database = PostgreSQL(cluster.address, "full")
    new_journal(database)
    with pytest.raises(NoRoom, match="no room"):
        database.execute("DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$")
    database.close()


def test_a_server_that_is_away_is_told_and_marks_go_on_when_it_is_back(cluster: Cluster) -> None:
    database = PostgreSQL(cluster.address, "away")
    writer = Writer(new_journal(database), patience=0.3)
    writer.save(mark("first"))
    cluster.kill()
    with pytest.raises(Unavailable, match="cannot reach"):
        writer.save(mark("lost", "b"))
    cluster.start()
    assert not writer.save(mark("lost", "b")).again
    assert writer.state.last == 2
    writer.stop()
    database.close()


def test_a_project_that_cannot_be_finished_leaves_no_schema(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, folder: Path) -> None:
        raise SettingError("no room")

    database = PostgreSQL(cluster.address, "count")
    database.connect()
    schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'rankscope%'"
    before = database.execute(schemas)
    monkeypatch.setattr("rankscope.workbench.project_folder.ProjectFile.write", fail)
    with pytest.raises(SettingError, match="no room"):
        Project.new(tmp_path / "project", **write_sources(tmp_path), database=cluster.address)
    assert database.execute(schemas) == before
    database.close()


SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:{SECRET}@127.0.0.1:1/db",
        f"postgresql://ann:{SECRET}@127.0.0.1:nonsense/db",
        f"postgresql://ann:{SECRET}%zz@127.0.0.1:1/db",
        f"host=127.0.0.1 port=1 user=ann password={SECRET}",
        f"host=127.0.0.1 port=1 user=ann password='{SECRET} with spaces' nonsense=1",
        f"postgresql://127.0.0.1:1/db?password={SECRET}&user=ann",
    ],
)
def test_no_message_has_the_password(tmp_path: Path, address: str) -> None:
    with pytest.raises(Unavailable) as caught:
        PostgreSQL(address, "x").connect()
    assert SECRET not in str(caught.value)
    assert "***" in str(caught.value)


@pytest.mark.parametrize("address", ["mysql://a:s3cr3t@b/c", "judgements.db", ""])
def test_an_address_of_something_else_is_refused(address: str) -> None:
    with pytest.raises(SettingError) as caught:
        check_address(address)
    assert SECRET not in str(caught.value)


def test_a_service_and_an_address_without_password_stay_as_they_are() -> None:
    for address in ("service=judging", "postgresql://ann@db.example.org/judging?sslmode=require"):
        assert mask(check_address(address)) == address
