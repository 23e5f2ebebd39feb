"""What becomes of marks when the database, its folder or the line to it goes away: real servers, real databases."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rankscope.core.errors import InputError
from rankscope.workbench.project import Project, new_key
from rankscope.workbench.store.events import Unavailable
from tests.fault_driver import no_permission
from tests.postgres import Cluster
from tests.workbench.served_processes import Line, judged_project, lost_marks, serving

if sys.platform == "win32":
    pytest.skip("files that are open cannot be moved", allow_module_level=True)


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """`rankscope` as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "rankscope", *map(str, arguments)], capture_output=True, text=True, timeout=60
    )


def restart(cluster: Cluster) -> None:
    cluster.kill()
    cluster.start()


# a server of a database that is started again


def test_who_lost_the_lock_to_another_server_answers_503_and_then_knows_its_marks(
    tmp_path: Path, cluster: Cluster
) -> None:
    folder, ann, bob = judged_project(tmp_path, cluster.address)
    with serving(folder) as first:
        one, two, three = ann.tasks(first, 3)
        assert ann.mark(first, one) == 204
        restart(cluster)
        with serving(folder) as second:
            four, five, *_ = [each for each in bob.tasks(second) if each not in (two, three)]
            assert bob.mark(second, four) == 204
            assert [ann.look(first).status_code, ann.mark(first, two), ann.mark(first, three)] == [503, 503, 503]
            assert bob.mark(second, five) == 204
        assert four not in ann.tasks(first)
        assert [ann.mark(first, two), ann.mark(first, three)] == [204, 204]
    assert lost_marks(folder, ann, bob) == []


def test_who_takes_the_lock_again_first_keeps_it(tmp_path: Path, cluster: Cluster) -> None:
    folder, ann, _ = judged_project(tmp_path, cluster.address)
    with serving(folder) as first:
        one, two, *_ = ann.tasks(first)
        assert ann.mark(first, one) == 204
        restart(cluster)
        assert ann.mark(first, two) == 204
        second = command("serve", folder, "--port", 0)
        assert (second.returncode, "is open in another process" in second.stderr) == (2, True)
    assert lost_marks(folder, ann) == []


def test_what_a_command_changed_meanwhile_is_known_before_the_next_answer(tmp_path: Path, cluster: Cluster) -> None:
    folder, ann, bob = judged_project(tmp_path, cluster.address)
    with serving(folder) as server:
        task, other, *_ = ann.tasks(server)
        assert command("project", "invite", folder, "ann", "--revoke").returncode == 2  # the server has the lock
        restart(cluster)
        revoked = command("project", "invite", folder, "ann", "--revoke")
        assert revoked.returncode == 0, revoked.stderr
        invited = command("project", "invite", folder, "eve", "--quiet")
        assert invited.returncode == 0, invited.stderr
        assert ann.look(server).status_code == 401
        assert ann.mark(server, task) in (401, 409)
        assert bob.mark(server, other) == 204
    with Project.open(folder) as project:
        assert project.assessor_named("eve").active
        assert not project.assessor_named("ann").active


def test_a_mark_for_a_pool_that_a_command_has_made_is_not_refused(tmp_path: Path, cluster: Cluster) -> None:
    folder, ann, _ = judged_project(tmp_path, cluster.address)
    with serving(folder) as server:
        (task, *_) = ann.tasks(server)
        restart(cluster)
        assert command("project", "pool", folder, "--method", "depth(1)").returncode == 0
        key = new_key()
        statuses = [ann.mark(server, task, key) for _ in range(2)]
        assert statuses[0] in (204, 503)
        assert len(ann.tasks(server)) < 24


def test_in_an_outage_no_page_names_the_database(tmp_path: Path, cluster: Cluster) -> None:
    folder, ann, _ = judged_project(tmp_path, cluster.address)
    with serving(folder) as server:
        (task, *_) = ann.tasks(server)
        cluster.kill()
        try:
            answers = [ann.look(server), ann.ask(server, "GET", "/")]
        finally:
            cluster.start()
        assert [each.status_code for each in answers] == [503, 503]
        for each in answers:
            assert "cannot be reached now" in each.text
            assert not [word for word in ("postgres", "rankscope_", str(cluster.folder), "socket") if word in each.text]
        assert ann.mark(server, task) == 204


def test_an_item_whose_mark_was_not_acknowledged_by_the_database_is_lent_to_nobody_again(
    tmp_path: Path, cluster: Cluster
) -> None:
    line = Line(cluster)
    folder, ann, bob = judged_project(tmp_path, line.address)
    with serving(folder) as server:
        task, other, *_ = ann.tasks(server)
        line.loses_answer_to = b"COMMIT"
        assert ann.mark(server, task) == 204
        assert line.lost == 1
        assert task not in ann.tasks(server)
        assert task not in bob.tasks(server)
        assert ann.mark(server, other) == 204
    assert lost_marks(folder, ann) == []


# a folder that goes away


def test_marks_for_a_folder_that_was_moved_are_saved_when_it_is_back(tmp_path: Path) -> None:
    folder, ann, _ = judged_project(tmp_path)
    with serving(folder) as server:
        one, two, *_ = ann.tasks(server)
        assert ann.mark(server, one) == 204
        folder.rename(tmp_path / "elsewhere")
        key = new_key()
        assert [ann.mark(server, two, key), ann.look(server).status_code] == [503, 503]
        assert lost_marks(tmp_path / "elsewhere", ann) == []
        (tmp_path / "elsewhere").rename(folder)
        assert ann.mark(server, two, key) == 204
        assert ann.look(server).status_code == 200
    assert lost_marks(folder, ann) == []


def test_marks_are_not_saved_into_an_older_copy_that_came_in_the_place_of_the_folder(tmp_path: Path) -> None:
    folder, ann, _ = judged_project(tmp_path)
    shutil.copytree(folder, tmp_path / "copy")
    with serving(folder) as server:
        one, two, *_ = ann.tasks(server)
        assert ann.mark(server, one) == 204
        folder.rename(tmp_path / "elsewhere")
        (tmp_path / "copy").rename(folder)
        assert [ann.mark(server, two), ann.look(server).status_code] == [503, 503]
    assert lost_marks(tmp_path / "elsewhere", ann) == []
    with Project.open(folder, readonly=True) as copy:
        assert copy.state.last == 0


def test_a_whole_copy_in_the_place_of_the_folder_is_gone_on_with(tmp_path: Path) -> None:
    folder, ann, _ = judged_project(tmp_path)
    with serving(folder) as server:
        one, two, three, *_ = ann.tasks(server)
        assert ann.mark(server, one) == 204
        shutil.copytree(folder, tmp_path / "copy")
        folder.rename(tmp_path / "elsewhere")
        (tmp_path / "copy").rename(folder)
        assert [ann.mark(server, two), ann.mark(server, three)] == [204, 204]
        assert command("project", "pool", folder, "--method", "depth(1)").returncode == 2  # the lock came along
    assert lost_marks(folder, ann) == []


def test_a_server_that_stops_leaves_the_log_of_another_journal_alone(tmp_path: Path) -> None:
    """SQLite removes the log by its name when it closes, and here that name is another journal's by now."""
    folder, ann, bob = judged_project(tmp_path)
    shutil.copytree(folder, tmp_path / "copy")
    with serving(folder) as server:
        (one, *_) = ann.tasks(server)
        assert ann.mark(server, one) == 204
        folder.rename(tmp_path / "elsewhere")
        (tmp_path / "copy").rename(folder)
        with serving(folder) as other:
            (two, *_) = bob.tasks(other)
            assert bob.mark(other, two) == 204
            server.end()
            assert bob.mark(other, bob.tasks(other)[0]) == 204
            other.kill()
    assert lost_marks(folder, bob) == []
    assert lost_marks(tmp_path / "elsewhere", ann) == []


@pytest.mark.parametrize("gone", ["project", "judgements.db", "judgements.db-wal", ".rankscope.lock"])
def test_no_mark_is_acknowledged_that_is_in_no_file(tmp_path: Path, gone: str) -> None:
    folder, ann, _ = judged_project(tmp_path)
    with serving(folder) as server:
        one, two, *_ = ann.tasks(server)
        assert ann.mark(server, one) == 204
        if gone == "project":
            shutil.rmtree(folder)
        else:
            (folder / gone).unlink()
        status = ann.mark(server, two)
        server.kill()
    if gone in ("project", "judgements.db"):
        assert status == 503
    else:  # what the log held is still known to the process, and is put into the database before that goes on
        assert status == 204
        assert lost_marks(folder, ann) == []


def test_a_project_that_may_not_be_written_says_so(tmp_path: Path) -> None:
    folder, _, _ = judged_project(tmp_path)
    with no_permission(folder), pytest.raises(Unavailable, match="the file and its folder must be yours to write"):
        Project.open(folder)
    with no_permission(folder), Project.open(folder, readonly=True) as project:
        assert len(project.items) == 14


def test_a_lock_that_may_not_be_had_is_not_said_to_be_another_process(tmp_path: Path) -> None:
    folder, _, _ = judged_project(tmp_path)
    (folder / ".rankscope.lock").chmod(0o400)
    (tmp_path / "none").mkdir()
    with no_permission(tmp_path / "none"), pytest.raises(Unavailable, match="Permission denied"):
        Project.open(folder)


def test_an_older_copy_put_back_is_refused_until_that_is_said_to_be_meant(tmp_path: Path) -> None:
    folder, ann, _ = judged_project(tmp_path)
    shutil.copy(folder / "judgements.db", tmp_path / "older.db")
    with serving(folder) as server:
        assert ann.mark(server, ann.tasks(server)[0]) == 204
    shutil.copy(tmp_path / "older.db", folder / "judgements.db")
    with pytest.raises(InputError, match="event 1 was acknowledged: 1 is lost"):
        Project.open(folder)
    (folder / "judgements.last").unlink()
    with Project.open(folder) as project:
        assert project.state.last == 0
