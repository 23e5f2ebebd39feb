"""Agreement, adjudication and comparing over HTTP: who may, what is never told, and that answers are kept once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankscope.workbench.project import Project
from tests.workbench.pages.served import JSON, Served, served_project

SIDE, MIXED = "side by side", "interleaved"


def graded(project: Project, name: str, **grades: int) -> int:
    who = project.invite(name).assessor.id
    for item, grade in grades.items():
        project.grade(who, "q1", item, grade)
    return who


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Two people who differ about b (relevant or not) and c (how relevant); a machine too."""
    with served_project(tmp_path, "depth(5)", per_item=2, double=0.0, repeat=0.0) as found:
        graded(found.project, "ann", a=2, b=1, c=1, d=0)
        graded(found.project, "bob", a=2, b=0, c=2, d=0)
        found.project.import_labels({"q1": {"a": 2, "b": 2, "c": 2, "d": 0}}, "robot", "machine")
        found.bench.changes.burst = found.bench.changes.rate = 1e9
        yield found


@pytest.mark.parametrize(
    ("role", "allowed"),
    [("judge", {"/compare"}), ("adjudicator", {"/compare", "/agreement", "/adjudicate"})],
)
def test_who_may_open_what(served: Served, role: str, allowed: set[str]) -> None:
    served.sign_in("zoe", role)
    for path in ("/compare", "/agreement", "/adjudicate", "/compare/results"):
        assert (served.client.get(path).status_code == 200) == (path in allowed), path


def test_agreement_is_that_of_the_project_and_the_page_has_its_numbers(served: Served) -> None:
    served.sign_in("eve", "adjudicator")
    view = served.json("/agreement?measure=P@2")
    between = next(each for each in view["two"] if each["assessors"] == ["ann", "bob"])
    values = {each["name"]: each["value"] for each in between["coefficients"]}
    found = served.project.agreement().found
    assert found is not None
    assert values == pytest.approx(
        {each.name: each.value for each in found.between("ann", "bob").coefficients}, nan_ok=True
    )
    assert (between["pairs"], between["is_thin"], view["disputed"]) == (4, True, 2)
    assert view["machines"][0]["assessors"] == ["robot", "people together"]
    assert {each["first"] for each in view["orders"]} == {"ann", "bob"}
    page = served.client.get("/agreement?measure=P@2").text
    assert f"{values['raw']:.3f}" in page
    assert view["words"][0].replace("'", "&#39;") in page
    assert served.client.get("/agreement?measure=nonsense", headers=JSON).status_code == 400


def test_agreement_follows_the_journal(served: Served) -> None:
    served.sign_in("eve", "adjudicator")
    assert served.json("/agreement")["disputed"] == 2
    served.project.grade(served.project.assessor_named("bob").id, "q1", "b", 1)
    assert served.json("/agreement")["disputed"] == 1


def test_disagreements_come_without_names_the_important_one_first_and_are_decided_once(served: Served) -> None:
    served.sign_in("eve", "adjudicator")
    view = served.json("/adjudicate")
    assert (view["open"], view["decided"]) == (2, 0)
    assert sorted(each["grade"] for each in view["dispute"]["said"]) == [0, 1]  # b: over relevance itself
    text = served.client.get("/adjudicate").text + str(view)
    assert not [name for name in ("ann", "bob", "robot") if name in text]
    for _ in range(2):
        answer = served.change("/adjudicate", task=view["dispute"]["task"], grade=1, key="once")
        assert answer.status_code == 204
    assert served.project.state.ruling(("q1", "b")).grade == 1  # type: ignore[union-attr]
    assert len(served.project.state.rulings["q1", "b"]) == 1
    later = served.json("/adjudicate")
    assert (later["open"], later["decided"]) == (1, 1)
    assert served.change("/adjudicate/undo").status_code == 204
    assert served.json("/adjudicate")["open"] == 2
    assert served.change("/adjudicate/undo").status_code == 409


def test_only_what_is_disputed_can_be_decided_and_only_by_who_may(served: Served) -> None:
    served.sign_in("eve", "adjudicator")
    agreed = f"{served.bench.query_number('q1')}-{served.bench.number_of('a')}"
    assert served.change("/adjudicate", task=agreed, grade=1, key="k").status_code == 400
    task = served.json("/adjudicate")["dispute"]["task"]
    assert served.change("/adjudicate", task=task, grade=9, key="k").status_code == 409
    served.sign_in("zoe")
    assert served.change("/adjudicate", task=task, grade=1, key="k").status_code == 403


def test_who_still_judges_a_query_does_not_see_what_others_say_of_it(served: Served) -> None:
    served.sign_in("eve", "adjudicator")
    eve = served.project.assessor_named("eve").id
    loan = served.project.next_items(eve, query="q1")[0]
    served.project.grade(eve, loan.query, loan.item, 0)
    view = served.json("/adjudicate")
    assert (view["dispute"], view["open"], view["held_back"]) == (None, 0, 2)
    task = f"{served.bench.query_number('q1')}-{served.bench.number_of('b')}"
    assert served.change("/adjudicate", task=task, grade=1, key="k").status_code == 403


def secrets_in(text: str) -> list[str]:
    return [word for word in ("r0", "r1", "r2", ".run", "score") if word in text]


@pytest.mark.parametrize("mode", [SIDE, MIXED])
def test_comparing_tells_nothing_of_the_systems(served: Served, mode: str) -> None:
    served.sign_in("zoe")
    view = served.json("/compare", params={"mode": mode})
    assert view["open"] > 0
    assert secrets_in(str(view)) == []
    page = served.client.get("/compare", params={"mode": mode}).text
    assert secrets_in(page) == []
    numbers = [each["number"] for each in (*view["left"], *view["right"], *view["items"])]
    assert numbers
    assert view == {**served.json("/compare", params={"mode": mode}), "key": view["key"]}


def answer_all(served: Served, mode: str, **how: Any) -> int:
    count = 0
    while (view := served.json("/compare", params={"mode": mode}))["task"]:
        done = served.change("/compare", task=view["task"], key=f"{mode}{count}", mode=mode, **how)
        assert done.status_code == 204, done.text
        count += 1
    return count


def test_a_whole_round_of_comparing_gives_results_by_name(served: Served) -> None:
    served.sign_in("zoe")
    count = answer_all(served, SIDE, choice="left", why="fresher", ms=800)
    assert count >= 6
    mixed = served.json("/compare", params={"mode": MIXED})
    clicked = [mixed["items"][0]["number"]]
    assert served.change("/compare", task=mixed["task"], key="m", mode=MIXED, clicked=clicked).status_code == 204
    assert served.json("/compare")["answered"] == count
    served.sign_in()
    results = served.json("/compare/results")
    assert results["answers"] == count + 1
    assert {(each["first"], each["second"]) for each in results["rates"]} == {("r0", "r1"), ("r0", "r2"), ("r1", "r2")}
    assert results["sides"]["left_share"] == 1.0
    assert (results["sides"]["twice"] == 0) or results["sides"]["follows"] == 1.0
    page = served.client.get("/compare/results").text
    assert results["words"][0] in page


def test_an_answer_is_kept_once_and_taken_back(served: Served) -> None:
    served.sign_in("zoe")
    task = served.json("/compare")["task"]
    for _ in range(2):
        assert served.change("/compare", task=task, key="k", choice="equal").status_code == 204
    assert served.change("/compare", task=task, key="k", choice="left").status_code == 409
    assert len(served.project.preferences()) == 1
    assert served.change("/compare/undo").status_code == 204
    assert served.json("/compare")["task"] == task
    assert served.change("/compare/undo").status_code == 409


def test_what_cannot_be_answered_is_refused(served: Served) -> None:
    served.sign_in("zoe")
    view = served.json("/compare")
    assert served.change("/compare", task=view["task"], key="k").status_code == 400
    assert served.change("/compare", task="0123456789abcdef", key="k", choice="left").status_code == 404
    mixed = served.json("/compare", params={"mode": MIXED})
    foreign = max(each["number"] for each in mixed["items"]) + 1000
    told = served.change("/compare", task=mixed["task"], key="k", mode=MIXED, clicked=[foreign])
    assert told.status_code == 400
    task_of_zoe = view["task"]
    served.sign_in("yan")
    assert served.change("/compare", task=task_of_zoe, key="k", choice="left").status_code == 404


def test_queries_that_somebody_judges_are_not_compared_meanwhile(served: Served) -> None:
    served.sign_in("zoe")
    whole = served.json("/compare")["open"]
    zoe = served.project.assessor_named("zoe").id
    loan = served.project.next_items(zoe, query="q2")[0]
    served.project.grade(zoe, loan.query, loan.item, 0)
    view = served.json("/compare")
    assert view["open"] + view["held_back"] == whole
    assert view["held_back"] > 0


def test_the_export_page_merges(served: Served) -> None:
    served.sign_in()
    assert served.client.get("/export/qrels", headers=JSON).status_code == 409
    assert served.client.get("/export/qrels?merge=any", headers=JSON).status_code == 200
    assert served.client.get("/export/qrels?open_pairs=lower", headers=JSON).status_code == 200
    assert served.client.get("/export/qrels?merge=best", headers=JSON).status_code == 400
