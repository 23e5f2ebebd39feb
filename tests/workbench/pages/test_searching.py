"""Words: the text engine where there is an index, names elsewhere; and what is inside the index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankscope.engines.text import Index
from tests.workbench.asgi_client import client_of
from tests.workbench.pages.pictured import served_pictures
from tests.workbench.pages.served import JSON, Project, Reach, Served, Workbench, served_project, workbench_application

TEXTS = [
    {"id": "one", "title": "Foxes", "body": "The red fox sleeps in its den. Snow & <b>night</b>."},
    {"id": "two", "title": "Dogs", "body": "A dog barks at the red fox, and at a second fox."},
    {"id": "three", "title": "Rivers", "body": "Water runs over stones."},
] + [{"id": f"more{number}", "title": f"Leaf {number}", "body": f"wind and leaf {number}"} for number in range(24)]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Twenty-seven texts with an index, and topics in words."""
    folder = tmp_path_factory.mktemp("texts")
    (folder / "docs.jsonl").write_text("\n".join(json.dumps(each) for each in TEXTS))
    (folder / "topics.tsv").write_text("q1\tred fox\nq2\twater\n")
    Index.build(TEXTS, folder / "index")
    sources: dict[str, Any] = {"texts": folder / "docs.jsonl", "topics": folder / "topics.tsv"}
    with Project.new(folder / "project", **sources, index=folder / "index") as project:
        bench = Workbench(project, Reach(rate=1000))
        with client_of(workbench_application(project, bench=bench)) as client:
            found = Served(project, bench, client)
            found.sign_in()
            yield found


def test_the_index_is_asked_and_words_are_marked(served: Served) -> None:
    view = served.json("/search?q=red fox")
    hits = list(Index.open(served.project.sources.index).search("red fox"))  # type: ignore[arg-type]
    assert [(each["id"], each["score"]) for each in view["items"]] == hits
    assert [each["text"] for each in view["items"][0]["pieces"] if each["marked"]][:2] == ["red", "fox"]
    page = served.client.get("/search?q=fox").text
    assert "<mark>fox</mark>" in page
    assert "<b>night</b>" not in page


def test_results_come_by_twenty(served: Served) -> None:
    pages = [served.json(f"/search?q=leaf&page={page}") for page in (1, 2)]
    assert [len(each["items"]) for each in pages] == [20, 4]
    assert [each["rank"] for each in pages[1]["items"]] == [21, 22, 23, 24]
    assert pages[0]["total"] == 24


def test_a_query_that_cannot_be_read_is_told_beside_the_words(served: Served) -> None:
    view = served.json("/search?q=(fox")
    assert view["problem"]
    assert view["items"] == []
    assert served.client.get("/search?q=(fox").status_code == 200


def test_without_an_index_names_and_titles_are_searched(tmp_path: Path) -> None:
    with served_pictures(tmp_path) as served:
        view = served.json("/search?q=GREEN 3")
        assert [each["id"] for each in view["items"]] == ["green/3.png"]
        assert (view["by"], view["items"][0]["score"]) == ("names", None)
        assert "no index" in served.client.get("/look").text
        assert served.json("/search?q=nothing")["total"] == 0


def test_who_judges_searches_nothing(tmp_path: Path) -> None:
    with served_project(tmp_path) as served:
        served.sign_in()
        assert served.json("/search?q=a")["total"] == 1
        loan = served.project.next_items(served.project.assessor_named("owner").id)[0]
        served.project.grade(served.project.assessor_named("owner").id, loan.query, loan.item, 1)
        for path in ("/search?q=a", "/look"):
            assert served.client.get(path, headers=JSON).status_code == 403


# look


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("", ["27 documents", "body"]),
        ("view=terms&field=body", ["leaf", "wind"]),
        ("view=terms&prefix=fo", ["fox"]),
        ("view=postings&words=foxes&field=body", ["one", "[fox]"]),
        ("view=document&id=one", ["The red fox sleeps"]),
        ("view=document&id=one&rebuild=true", ["red fox"]),
        ("view=explain&words=fox&id=two", ["rank 1 of 2"]),
        ("view=analyse&words=The foxes", ["fox"]),
        ("view=query&words=fox AND den", ["2 documents"]),
    ],
)
def test_each_view_shows_what_the_command_shows(served: Served, asked: str, words: list[str]) -> None:
    view = served.json(f"/look?{asked}")
    assert view["found"]
    assert all(each in view["text"] for each in words), view["text"]
    assert "<pre" in served.client.get(f"/look?{asked}").text


def test_what_is_not_there_is_told(served: Served) -> None:
    assert "no term 'fxo'" in served.json("/look?view=postings&words=fxo&field=body")["problem"]
    assert served.json("/look?view=document&id=nobody")["problem"]
    assert served.json("/look?view=postings")["text"] == ""


# feedback on words


@pytest.mark.parametrize("method", ["text-rm3", "text-rocchio"])
def test_methods_that_learn_words_take_the_index(served: Served, method: str) -> None:
    number = served.bench.query_number("q1")
    session = served.change("/session", query=number).json()["session"]
    view = served.json(f"/session/{session}")
    assert {each["id"] for each in view["shown"][:2]} == {"one", "two"}
    one = next(each["number"] for each in view["shown"] if each["id"] == "one")
    served.change(f"/session/{session}/marks", item=one, opinion="relevant")
    answer = served.change(f"/session/{session}/round", method=method)
    assert answer.status_code == 200, answer.text
    assert answer.json()["truth"] == "marks"
    told = {each["name"]: each["why_not"] for each in answer.json()["methods"]}
    assert told[method] == ""
    assert "the project names none" in told["svm"]


def test_the_navigation_names_the_index_where_there_is_one(served: Served, tmp_path: Path) -> None:
    assert '<a href="/look"' in served.client.get("/").text
    with served_pictures(tmp_path) as pictures:
        assert '<a href="/look"' not in pictures.client.get("/").text
        assert pictures.client.get("/look").status_code == 200
