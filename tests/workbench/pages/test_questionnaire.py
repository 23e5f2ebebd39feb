"""The page of ten statements: asked when nothing is left, saved in the journal, changed by answering again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rankscope.workbench.usability import STATEMENTS
from tests.workbench.pages.served import JSON, OURS, Served, served_project

ANSWERS = {f"s{number}": answer for number, answer in enumerate([5, 4, 2, 1, 2, 3, 2, 4, 5, 2], 1)}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_project(tmp_path, "depth(1)", repeat=0.0, double=0.0) as found:
        found.sign_in("Ann")
        yield found


def test_it_is_asked_when_nothing_is_left_until_it_is_answered(served: Served) -> None:
    ann = served.project.assessor_named("Ann").id
    assert "/questionnaire" not in served.client.get("/").text
    loans = served.project.next_items(ann, 50)
    served.project.grade(ann, loans[0].query, loans[0].item, 1, ms=900)
    assert "Stopping here?" in served.client.get("/").text
    for loan in loans[1:]:
        served.project.grade(ann, loan.query, loan.item, 1)
    assert "How was it? Ten short questions" in served.client.get("/").text
    assert served.json("/")["asks"] is True
    assert served.change("/questionnaire", **ANSWERS).status_code in (200, 204)
    assert "How was it?" not in served.client.get("/").text
    assert served.json("/")["asks"] is False


def test_a_page_of_ten_statements_by_form(served: Served) -> None:
    page = served.client.get("/questionnaire").text
    assert all(each in page for each in STATEMENTS)
    assert page.count('type="radio"') == 50
    assert "checked" not in page
    assert "After feedback sessions" not in page  # a judge has none
    sent = served.client.post("/questionnaire", data={**ANSWERS, "task": "judging"}, headers=OURS)
    assert sent.status_code == 303
    assert served.project.questionnaires()[0].mean == 55
    page = served.client.get("/questionnaire").text
    assert page.count(" checked") == 10
    assert "the last ones count" in page
    view = served.json("/questionnaire")
    assert [each["answer"] for each in view["statements"]] == list(ANSWERS.values())
    assert served.change("/questionnaire", **(ANSWERS | {"s2": 1})).status_code in (200, 204)
    assert [each.mean for each in served.project.questionnaires()] == [62.5]


def test_an_admin_also_answers_for_searching_and_replies_are_ones_own(served: Served) -> None:
    served.change("/questionnaire", **ANSWERS)
    served.sign_in()
    assert served.json("/questionnaire")["at_us"] is None
    assert "After feedback sessions" in served.client.get("/questionnaire").text
    assert served.change("/questionnaire", **ANSWERS, task="searching").status_code in (200, 204)
    assert [each.task for each in served.project.questionnaires()] == ["judging", "searching"]


@pytest.mark.parametrize(
    "wrong", [{"s3": 6}, {"s3": 0}, {"s3": "many"}, {"s3": None}, {"task": "sleeping"}, {"s11": 3}, {"s1": 2.5}]
)
def test_other_answers_are_refused_and_nothing_is_saved(served: Served, wrong: dict[str, object]) -> None:
    assert served.change("/questionnaire", **(ANSWERS | wrong)).status_code == 400
    lacking = {name: value for name, value in ANSWERS.items() if name != "s10"}
    assert served.client.post("/questionnaire", json=lacking, headers={**JSON, **OURS}).status_code == 400
    assert served.project.questionnaires() == []
