"""Projects: made whole or not at all, opened by one writer, and the same again after closing."""

from __future__ import annotations

import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.workbench import Project
from rankscope.workbench.store.events import Invitation, MarkEvent, Query, Refused, Unavailable
from tests.workbench.projects import ITEMS, judge_all, small_project, write_sources


def test_a_new_project_has_items_queries_and_settings(tmp_path: Path) -> None:
    with small_project(tmp_path, grades=(0, 1), double=0.0) as project:
        assert "".join(each.id for each in project.items) == ITEMS
        assert [(each.id, each.text) for each in project.queries.values()] == [("q1", "foxes"), ("q2", "dogs")]
        assert project.file.grades == (0, 1)
    assert {each.name for each in (tmp_path / "project").iterdir()} == {
        ".rankscope.lock",
        "judgements.db",
        "judgements.last",
        "project.toml",
        "sessions.key",
    }


def test_a_project_is_the_same_when_it_is_opened_again(tmp_path: Path) -> None:
    with small_project(tmp_path, double=0.5) as project:
        project.make_pool("bandit(3) + sample(4-5:50%)", budget=4)
        judge_all(project, project.invite("ann").assessor.id, project.invite("bob").assessor.id)
        project.undo(2)
    with Project.open(tmp_path / "project") as again:
        assert again.state == project.state
        assert again.assessors == project.assessors
        assert again.designs == project.designs
        assert again.state.draws


def test_bad_input_is_told_whole_and_nothing_is_made(tmp_path: Path) -> None:
    given = write_sources(tmp_path)
    (tmp_path / "r0.run").write_text("q1 Q0 a 1 1 t\nq1 Q0 nobody 2 0 t\n")
    (tmp_path / "r1.run").write_text("q1 Q0 a 1 high t\n")
    (tmp_path / "topics.tsv").write_text("q1\tfoxes\nq1\tdogs\n")
    with pytest.raises(InputError) as caught:
        Project.new(tmp_path / "project", **given)
    assert "r1.run" in str(caught.value)
    assert "topics.tsv" in str(caught.value)
    assert not (tmp_path / "project").exists()


def test_items_of_a_run_that_are_not_in_the_collection_are_told(tmp_path: Path) -> None:
    given = write_sources(tmp_path)
    (tmp_path / "r0.run").write_text("q1 Q0 a 1 1 t\nq1 Q0 nobody 2 0 t\n")
    (tmp_path / "r2.run").write_text("q9 Q0 a 1 1 t\n")
    with pytest.raises(InputError, match="nobody") as caught:
        Project.new(tmp_path / "project", **given)
    assert "r2: 1 problem\n  answers none of the topics" in str(caught.value)


def test_settings_that_cannot_be_are_all_told(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as caught:
        Project.new(tmp_path / "p", **write_sources(tmp_path), grades=(2, 1), double=3, per_item=0)
    assert len(caught.value.problems) == 3


def test_a_second_project_does_not_replace_the_first(tmp_path: Path) -> None:
    small_project(tmp_path).close()
    with pytest.raises(SettingError, match="holds a project already"):
        small_project(tmp_path)


def test_an_attempt_that_was_killed_does_not_stand_in_the_way(tmp_path: Path) -> None:
    small_project(tmp_path).close()
    (tmp_path / "project" / "project.toml").unlink()
    small_project(tmp_path).close()


def test_judgements_without_their_project_file_are_not_replaced(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        project.grade(1, "q1", "a", 1)
    (tmp_path / "project" / "project.toml").unlink()
    with pytest.raises(SettingError, match=r"holds a judgements\.db already"):
        small_project(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="there a folder has no lock")
def test_only_one_process_writes_and_others_read(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        project.grade(1, "q1", "a", 1)
        with pytest.raises(Unavailable, match="open in another process"):
            Project.open(tmp_path / "project")
        with Project.open(tmp_path / "project", readonly=True) as reader:
            assert reader.state.last == 1
            with pytest.raises(Unavailable, match="read only"):
                reader.grade(1, "q1", "b", 1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("per_item = 0", "per_item=0: must be a whole number"),
        ("per_itm = 2", "no setting 'per_itm' (did you mean 'per_item'?)"),
        ("grades = [0]", "two or more"),
        ("relevant = 7", "must be one of the grades above the lowest"),
        ("single = maybe", "cannot be read"),
    ],
)
def test_what_cannot_be_in_the_project_file_is_told(tmp_path: Path, line: str, words: str) -> None:
    small_project(tmp_path).close()
    path = tmp_path / "project" / "project.toml"
    name = line.partition(" =")[0]
    kept = [each for each in path.read_text().splitlines() if not each.startswith(f"{name} =")]
    path.write_text("\n".join([*kept, line]))
    with pytest.raises(InputError) as caught:
        Project.open(tmp_path / "project")
    assert words in str(caught.value)


def test_a_password_is_not_kept_in_the_project_file(tmp_path: Path) -> None:
    small_project(tmp_path).close()
    path = tmp_path / "project" / "project.toml"
    path.write_text(path.read_text().replace("# database =", 'database = "postgresql://ann:hush@h/d"'))
    with pytest.raises(InputError, match="PGPASSWORD") as caught:
        Project.open(tmp_path / "project")
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "item", "grade"), [("q9", "a", 1), ("q1", "nobody", 1), ("q1", "a", 7)], ids=["query", "item", "grade"]
)
def test_a_mark_of_something_unknown_is_refused(tmp_path: Path, query: str, item: str, grade: int) -> None:
    with small_project(tmp_path) as project:
        with pytest.raises(Refused):
            project.grade(1, query, item, grade)
        assert project.state.last == 0


def test_a_revoked_assessor_gets_in_no_more_and_keeps_the_marks(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        ann = project.invite("ann")
        project.grade(ann.assessor.id, "q1", "a", 1)
        project.revoke("ann")
        assert project.assessor_of_token(ann.token) is None
        with pytest.raises(Refused, match="taken out"):
            project.grade(ann.assessor.id, "q1", "b", 1)
        assert project.state.last == 1


def test_a_second_invitation_ends_the_first(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        first, second = project.invite("ann"), project.invite("ann", "admin")
        assert project.assessor_of_token(first.token) is None
        found = project.assessor_of_token(second.token)
        assert found is not None
        assert (found.id, found.role) == (first.assessor.id, "admin")
        assert second.token not in (tmp_path / "project" / "judgements.db").read_bytes().decode("latin-1")


def test_invitations_and_queries_of_the_same_moment_all_count(tmp_path: Path) -> None:
    names = [f"person {number}" for number in range(8)]
    ready = threading.Barrier(len(names))

    def invite_and_ask(name: str) -> tuple[Invitation, Query]:
        ready.wait()
        return project.invite(name), project.add_query(f"of {name}")

    with small_project(tmp_path) as project, ThreadPoolExecutor(len(names)) as pool:
        made = list(pool.map(invite_and_ask, names))
    with Project.open(tmp_path / "project") as project:
        for name, (invitation, query) in zip(names, made, strict=True):
            assert project.assessor_of_token(invitation.token) == invitation.assessor
            assert invitation.assessor.name == name
            assert project.queries[f"of {name}"] == query
        assert len({query.place for query in project.queries.values()}) == len(project.queries)


def test_a_machine_is_not_invited(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        project.import_labels({"q1": {"a": 1}}, "robot", "machine")
        with pytest.raises(SettingError, match="is a machine"):
            project.invite("robot")


def test_no_flag_comes_from_outside(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        project.make_pool("depth(5)")
        given = {"surplus": True, "repeat": True, "import": "x", "own": 1}
        mark = MarkEvent(assessor=1, key="k", kind="grade", query="q1", item="a", grade=1, detail=given, at_us=5)
        event = project.save(mark).event
        assert event.details == {"own": 1}
        assert event.at_us > 5


def test_what_was_made_goes_where_the_rest_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, folder: Path) -> None:
        raise SettingError("no room")

    monkeypatch.setattr("rankscope.workbench.project_folder.ProjectFile.write", fail)
    with pytest.raises(SettingError, match="no room"):
        small_project(tmp_path)
    assert not (tmp_path / "project").exists()


def test_a_journal_that_a_killed_process_left_can_be_read(tmp_path: Path) -> None:
    """Its log lies next to it, with or without the index of the log."""
    with small_project(tmp_path) as project:
        project.grade(1, "q1", "a", 1)
        for number, endings in enumerate((("", "-wal", "-shm"), ("", "-wal"))):
            copy = tmp_path / f"copy{number}"
            copy.mkdir()
            shutil.copy(tmp_path / "project" / "project.toml", copy)
            for ending in endings:
                shutil.copy(tmp_path / "project" / f"judgements.db{ending}", copy)
            with Project.open(copy, readonly=True) as reader:
                assert reader.state.last == 1
            with Project.open(copy) as writer:
                assert writer.state.last == 1


@pytest.mark.parametrize("name", ["", " ann", "a\nb", "project", "x" * 81])
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    with small_project(tmp_path) as project, pytest.raises(RankscopeError):
        project.invite(name)
