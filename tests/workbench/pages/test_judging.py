"""Judging over HTTP: tasks without ids, marks once each, undo, loans, blindness, a full disk."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankscope.workbench.project import new_key
from rankscope.workbench.store.events import ANSWERS, NoRoom, Unavailable
from tests.workbench.pages.served import JSON, Served, served_project
from tests.workbench.projects import ITEMS, RELEVANT


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_project(tmp_path, double=0.0, repeat=0.0) as found:
        found.sign_in("ann")
        yield found


def tasks(served: Served, tab: str = "t", **asked: Any) -> list[str]:
    return [each["task"] for each in served.json("/judge", params={"tab": tab, **asked})["tasks"]]


def mark(served: Served, task: str, grade: int | None = 1, **more: Any) -> Any:
    return served.change("/judge/marks", **{"key": new_key(), "kind": "grade", "task": task, "grade": grade, **more})


def standing(served: Served) -> dict[str, int | None]:
    """What ann says of each item now, by query and item."""
    ann = served.project.assessor_named("ann").id
    said = served.project.state.answers.items()
    return {"".join(pair): each[ann].grade for pair, each in said if ann in each}


def test_a_task_has_numbers_its_text_and_its_query_and_no_id(served: Served) -> None:
    view = served.json("/judge", params={"tab": "t", "count": 3})
    assert [each["name"] for each in view["grades"]] == ["not relevant", "relevant", "most relevant"]
    assert len(view["tasks"]) == 3
    queries = {each["query"]: each["text"] for each in view["queries"]}
    for each in view["tasks"]:
        assert re.fullmatch(r"\d+-\d+", each["task"])
        assert each["task"] == f"{each['query']}-{each['item']['number']}"
        assert each["item"]["text"].startswith("text of ")
        assert queries[each["query"]] in ("foxes", "dogs")
    assert not {"q1", "q2", "r0", "r1", "r2"} & set(re.findall(r"\w+", json.dumps(view)))


def test_without_a_tab_nothing_is_lent(served: Served) -> None:
    assert served.json("/judge")["tasks"] == []
    assert served.project.assignment.loans == {}


def test_a_mark_is_on_the_disk_when_it_is_acknowledged_and_once(served: Served) -> None:
    task = tasks(served)[0]
    key = new_key()
    for _ in range(3):
        answer = mark(served, task, 2, key=key, ms=1500)
        assert (answer.status_code, answer.content) == (204, b"")
    written = served.project._journal.database.execute("SELECT kind, grade, ms, key FROM event")
    assert written == [("grade", 2, 1500, key)]


def test_the_same_key_for_another_mark_is_refused(served: Served) -> None:
    first, second = tasks(served)[:2]
    key = new_key()
    assert mark(served, first, key=key).status_code == 204
    assert mark(served, second, key=key).status_code == 409
    assert mark(served, first, 0, key=key).status_code == 409
    assert len(standing(served)) == 1


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"task": "99999999-1"}, 400, "no task"),
        ({"task": "1"}, 400, "task"),
        ({"task": "../../x"}, 400, "no task"),
        ({"grade": 7}, 409, "none of the grades"),
        ({"grade": None}, 409, "a grade is missing"),
        ({"grade": "2"}, 400, "grade: must be a whole number"),
        ({"kind": "draw"}, 400, "kind: must be one of"),
        ({"kind": "undo"}, 400, "kind: must be one of"),
        ({"kind": "unsure", "grade": 1}, 409, "has no grade"),
        ({"kind": "comment", "grade": None, "text": ""}, 409, "a comment has"),
        ({"key": ""}, 400, "key: must have 1 to 64 signs"),
        ({"key": "\ud800"}, 400, "the body is not JSON"),
        ({"assessor": 1}, 400, "there is no 'assessor' to ask for"),
        ({"ms": -1}, 400, "ms: must be a whole number"),
    ],
)
def test_a_mark_that_cannot_be_says_why_and_changes_nothing(
    served: Served, change: dict[str, Any], status: int, words: str
) -> None:
    body = {"key": new_key(), "kind": "grade", "task": tasks(served)[0], "grade": 1, **change}
    answer = served.client.post(
        "/judge/marks",
        content=json.dumps(body),
        headers={**JSON, "origin": "http://127.0.0.1", "content-type": "application/json"},
    )
    assert (answer.status_code, words in answer.json()["error"]) == (status, True), answer.text
    assert served.project.state.last == 0


def test_all_that_is_wrong_is_told_at_once(served: Served) -> None:
    answer = served.change("/judge/marks", kind="no", grade="x", wrong=1)
    assert answer.status_code == 400
    lines = answer.json()["error"].splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "there is no 'wrong' to ask for here",
        "key",
        "kind",
        "task",
        "grade",
    ]


def test_undo_goes_back_one_by_one_and_gives_the_item_back(served: Served) -> None:
    first, second = tasks(served)[:2]
    assert mark(served, first, 1).status_code == 204
    assert mark(served, second, 2).status_code == 204
    assert mark(served, second, 0).status_code == 204
    told = [served.change("/judge/undo", key=new_key(), tab="t").json() for _ in range(3)]
    assert [(each["task"]["task"], each["grade"]) for each in told] == [(second, 0), (second, 2), (first, 1)]
    assert standing(served) == {}
    refused = served.change("/judge/undo", key=new_key())
    assert (refused.status_code, "nothing left to undo" in refused.text) == (409, True)
    assert first in tasks(served)


def test_an_undo_names_its_mark_by_key_and_may_be_sent_twice(served: Served) -> None:
    first, second = tasks(served)[:2]
    key, undo = new_key(), new_key()
    assert mark(served, first, key=key).status_code == 204
    assert mark(served, second).status_code == 204
    for _ in range(2):
        assert served.change("/judge/undo", key=undo, of=key).json()["task"]["task"] == first
    assert len(standing(served)) == 1
    assert served.change("/judge/undo", key=new_key(), of="nobody's").status_code == 409


def test_unsure_skip_and_comment_are_kept_as_such(served: Served) -> None:
    first, second = tasks(served)[:2]
    assert mark(served, first, None, kind="unsure").status_code == 204
    assert mark(served, second, None, kind="skip").status_code == 204
    assert mark(served, first, None, kind="comment", text="a <b>fox</b>?").status_code == 204
    assert [event.kind for event in served.project.state.events] == ["unsure", "skip", "comment"]
    assert served.project.state.events[2].details == {"text": "a <b>fox</b>?"}
    page = served.client.get("/history").text
    assert "a &lt;b&gt;fox&lt;/b&gt;?" in page
    assert not set(tasks(served)) & {first, second}


def test_two_tabs_of_one_judge_show_different_items(served: Served) -> None:
    one, other = tasks(served, "one", count=4), tasks(served, "other", count=4)
    assert len({*one, *other}) == 8
    assert tasks(served, "one", count=4) == one
    served.change("/judge/away", tab="one")
    assert set(one) <= set(tasks(served, "third", count=24))


def test_a_tab_goes_on_after_a_restart_and_others_do_not_get_its_items(tmp_path: Path) -> None:
    with served_project(tmp_path, double=0.0) as served:
        served.sign_in("ann")
        shown = tasks(served, count=5)
        served.project.assignment.loans.clear()  # they live in memory
        assert tasks(served, count=5, hold=",".join(shown)) == shown
        served.sign_in("bob")
        assert not set(tasks(served, "b", count=24)) & set(shown)


def test_what_others_took_meanwhile_is_not_held(served: Served) -> None:
    shown = tasks(served, count=5)
    served.project.assignment.loans.clear()
    served.sign_in("bob")
    mark(served, shown[0])
    served.sign_in("ann")
    kept = tasks(served, count=5, hold=",".join([*shown, "1-1", "x", "99999999-0"]))
    assert shown[0] not in kept
    assert kept[:4] == shown[1:]


def test_a_late_mark_is_kept_as_surplus(served: Served) -> None:
    task = tasks(served)[0]
    served.project.assignment.loans.clear()
    served.sign_in("bob")
    assert mark(served, task, 0).status_code == 204
    token = served.project.invite("ann").token
    served.client.client.cookies.clear()
    assert served.client.get(f"/enter/{token}").status_code == 303
    assert mark(served, task, 2).status_code == 204
    assert [event.is_surplus for event in served.project.state.events] == [False, True]


def test_a_full_disk_answers_507_and_the_mark_can_be_sent_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, key = tasks(served)[0], new_key()
    append = served.project.writer.journal.append

    def full(events: Any) -> None:
        raise NoRoom("cannot write: the disk is full")

    monkeypatch.setattr(served.project.writer.journal, "append", full)
    assert mark(served, task, key=key).status_code == 507
    monkeypatch.setattr(served.project.writer.journal, "append", append)
    assert standing(served) == {}
    assert mark(served, task, key=key).status_code == 204
    assert len(standing(served)) == 1


def test_a_database_that_is_away_answers_503(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    task = tasks(served)[0]

    def away(events: Any) -> None:
        raise Unavailable("cannot reach the database")

    monkeypatch.setattr(served.project.writer.journal, "append", away)
    assert mark(served, task).status_code == 503


def test_a_judge_opens_only_the_own_part(served: Served) -> None:
    for path in ("/", "/judge", "/guidelines", "/history", "/me"):
        assert served.client.get(path).status_code == 200, path
    for path in ("/pool", "/people", "/export", "/export/qrels", "/export/journal", "/export/log"):
        assert served.client.get(path).status_code == 403, path
    for path in ("/pool", "/people", "/people/revoke", "/guidelines"):
        body = {"method": "depth(1)", "name": "eve", "text": "x"}
        assert served.client.post(path, json=body, headers={**JSON, "origin": "http://127.0.0.1"}).status_code == 403
    assert "/pool" not in served.client.get("/").text
    home = served.json("/")
    assert home["people"] == []
    assert {each["done"] for each in home["queries"]} == {None}


def answers_before_marking(folder: Path, swap: bool) -> list[bytes]:
    """Everything a judge can open before the first mark, in one of two projects that differ in what is hidden.

    Other ranks and scores (the runs' lines are turned around), other names of systems, other labels of a machine,
    other grades of somebody else.
    """
    from rankscope.workbench.project import Project
    from tests.workbench.projects import write_sources

    folder.mkdir()
    sources = write_sources(folder)
    names = ["alpha", "beta", "gamma"] if swap else ["r0", "r1", "r2"]
    runs = []
    for number, path in enumerate(sources["runs"]):
        rows = [line.split() for line in path.read_text().splitlines()]
        if swap:
            rows = [[row[0], "Q0", row[2], str(6 - int(row[3])), str(float(row[3]) * 3), names[number]] for row in rows]
        runs.append(folder / f"{names[number]}.run")
        runs[-1].write_text("\n".join(" ".join(row) for row in rows) + "\n")
    with Project.new(folder / "project", **{**sources, "runs": runs}, secret=b"s" * 32, per_item=2) as project:
        project.make_pool("depth(5)")
        machine = {query: {item: int(swap) for item in "abc"} for query in ("q1", "q2")}
        project.import_labels(machine, "machine", "machine")
        bob = project.add_assessor("bob")
        for item in "abcdefg":
            project.grade(bob.id, "q1", item, int((item in RELEVANT) != swap), ms=1000)
        return visit_everything(project)


def visit_everything(project: Any) -> list[bytes]:
    from tests.workbench.asgi_client import client_of
    from tests.workbench.pages.served import Workbench, workbench_application

    bench = Workbench(project)
    found = []
    with client_of(workbench_application(project, bench=bench)) as client:
        token = project.invite("ann").token
        assert client.get(f"/enter/{token}").status_code == 303
        for headers in ({}, JSON):
            for path in ("/", "/judge", "/judge?tab=t&count=24", "/history", "/guidelines", "/me", "/judge?tab=t"):
                answer = client.get(path, headers=headers)
                assert answer.status_code == 200
                found.append(answer.content + repr(sorted(answer.headers.items())).encode())
    return found


def test_before_the_mark_nothing_hidden_changes_a_byte(tmp_path: Path) -> None:
    one, other = (answers_before_marking(tmp_path / name, name == "other") for name in ("one", "other"))
    assert one == other
    tasks_seen = json.loads(one[9].partition(b"[('")[0])["tasks"]
    assert len(tasks_seen) == 24  # 12 of each query: nobody but bob took a place


def test_numbers_of_items_follow_no_order_and_no_id(tmp_path: Path) -> None:
    with served_project(tmp_path) as served:
        numbers = [served.bench.number_of(item) for item in ITEMS]
        assert sorted(numbers) == list(range(len(ITEMS)))
        assert numbers != sorted(numbers)
        assert {served.bench.item_of(number) for number in numbers} == set(ITEMS)


def test_numbers_of_queries_stay_when_queries_are_added(tmp_path: Path) -> None:
    with served_project(tmp_path) as served:
        before = {name: served.bench.query_number(name) for name in served.project.queries}
        served.project.add_query("q3", "cats")
        assert {name: served.bench.query_number(name) for name in before} == before
        assert served.bench.query_of(served.bench.query_number("q3")) == "q3"


def test_a_whole_pool_is_judged_and_the_pages_say_so(served: Served) -> None:
    while todo := tasks(served, count=24):
        for each in todo:
            assert mark(served, each, ms=2000).status_code == 204
            served.bench.changes._left.clear()
    assert served.json("/")["left"] == 0
    assert "All done" in served.client.get("/").text
    assert (
        served.json("/")["marks"] == len([each for each in served.project.state.events if each.kind in ANSWERS]) == 16
    )
