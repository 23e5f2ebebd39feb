"""Relevance feedback in a page: any method, both example sets, each step in the journal, graphs of what is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankscope.core.errors import SettingError
from rankscope.feedback import Examples, Items
from rankscope.feedback.methods import ALL, METHODS
from rankscope.workbench.store.events import MarkEvent
from tests.workbench.pages.pictured import EACH, served_pictures
from tests.workbench.pages.served import JSON, Served, Workbench

RUN = "".join(f"red/0.png Q0 red/{rank}.png {rank} {-rank} t\n" for rank in range(1, 5))
SHOWN = 6


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A display has six items, so that there are several of them."""
    monkeypatch.setattr("rankscope.workbench.browsing.session_ranking.DISPLAY", SHOWN)
    with served_pictures(tmp_path) as found:
        yield found


def begin(served: Served, item: str = "red/0.png", **how: Any) -> dict[str, Any]:
    answer = served.change("/session", item=served.bench.number_of(item), **how)
    assert answer.status_code == 200, answer.text
    return served.json(f"/session/{answer.json()['session']}")


def mark_shown(served: Served, view: dict[str, Any], label: str = "red") -> None:
    """As somebody does who looks for a class: those are relevant, and the rest is not."""
    address = f"/session/{view['session']}/marks"
    for each in view["shown"]:
        if each["label"] == label:
            assert served.change(address, item=each["number"], opinion="relevant").status_code == 204
    assert served.change(address, opinion="not", rest=True).status_code == 204


def next_round(served: Served, number: int, method: str, **how: Any) -> dict[str, Any]:
    answer = served.change(f"/session/{number}/round", method=method, **how)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_session_begins_with_what_is_nearest(served: Served) -> None:
    view = begin(served, features="means.npz", metric="l2")
    near = served.json(f"/like/{served.bench.number_of('red/0.png')}?features=means.npz&metric=l2")["items"]
    assert [each["id"] for each in view["shown"]] == [each["id"] for each in near[:SHOWN]]
    assert [each["id"] for each in view["relevant"]] == ["red/0.png"]
    assert (view["round"], view["not_relevant"], view["features"], view["metric"]) == (0, [], "means.npz", "l2")


def test_a_round_is_what_the_method_says_of_both_sets(served: Served) -> None:
    view = begin(served, "green/2.png", features="means.npz")
    mark_shown(served, view, "green")
    marked = served.json("/session/1")
    after = next_round(served, 1, "rocchio(gamma=0.25)")
    places = served.project.places
    matrix = served.project.access.vectors("means.npz").matrix
    positives, negatives = ([places[each["id"]] for each in marked[side]] for side in ("relevant", "not_relevant"))
    examples = Examples.single(positives, negatives, query=matrix[places["green/2.png"]])
    scores = METHODS.parse("rocchio(gamma=0.25)").scores(Items.of(matrix), examples).values[0]
    seen = {places[each["id"]] for each in view["shown"]} | set(positives) | set(negatives)
    expected = [each for each in np.argsort(-scores, kind="stable").tolist() if each not in seen][:SHOWN]
    assert [places[each["id"]] for each in after["shown"]] == expected
    assert after["method"] == "rocchio(gamma=0.25)"
    assert after["rounds"][1]["relevant"] == len(positives)


def test_both_sets_can_be_edited(served: Served) -> None:
    view = begin(served)
    first, second = (each["number"] for each in view["shown"][:2])
    for number, opinion in ((first, "relevant"), (second, "not"), (first, "not"), (second, "open")):
        served.change("/session/1/marks", item=number, opinion=opinion)
    after = served.json("/session/1")
    assert [each["number"] for each in after["not_relevant"]] == [first]
    assert [each["id"] for each in after["relevant"]] == ["red/0.png"]
    assert [each["opinion"] for each in after["shown"][:2]] == ["not", "open"]
    served.change("/session/1/marks", item=served.bench.number_of("red/0.png"), opinion="open")
    assert next_round(served, 1, "svm")["note"] == "start ranking kept: no positive example"


def test_an_opinion_is_of_an_item_or_of_the_rest(served: Served) -> None:
    begin(served)
    for wrong in ({}, {"item": None}, {"item": 1, "rest": True}):
        assert served.change("/session/1/marks", opinion="not", **wrong).status_code == 400
    assert served.json("/session/1")["not_relevant"] == []


def test_every_step_is_in_the_journal_and_a_restart_loses_none(served: Served) -> None:
    view = begin(served)
    mark_shown(served, view)
    next_round(served, 1, "svm")
    before = served.json("/session/1")
    assert {event.kind for event in served.project.state.events} == {"round"}
    served.bench._kept.clear()
    again = Workbench(served.project)
    from rankscope.workbench.pages.session import Feedback

    assert again.keep(Feedback).sessions()[0].opinions
    assert served.json("/session/1") == before


def test_a_repeated_request_changes_nothing(served: Served) -> None:
    item = served.bench.number_of("red/0.png")
    numbers = {served.change("/session", item=item, key="one").json()["session"] for _ in range(2)}
    assert numbers == {1}
    rounds = [next_round(served, 1, "rocchio", key="two")["round"] for _ in range(2)]
    assert rounds == [1, 1]
    for _ in range(2):
        assert served.change("/session/1/marks", item=0, opinion="not", key="three").status_code == 204
    assert len(served.project.state.events) == 3


def test_undo_of_judging_leaves_sessions_alone(served: Served) -> None:
    begin(served)
    owner = served.project.assessor_named("owner").id
    told = served.client.post("/judge/undo", json={"key": "k"}, headers={**JSON, "origin": "http://127.0.0.1"})
    assert (told.status_code, told.json()["error"]) == (409, "there is nothing left to undo")
    served.project.add_query("q", "red things")
    served.project.save(MarkEvent(assessor=owner, key="g", kind="grade", query="q", item="red/1.png", grade=1))
    refused = served.change("/judge/undo", key="k2", of=served.project.state.events[0].key)
    assert "feedback session" in refused.json()["error"]
    assert served.json("/history")["lines"][0]["kind"] == "grade"
    assert len(served.json("/history")["lines"]) == 1


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", ALL)
def test_each_method_learns_or_says_why_not(served: Served, name: str) -> None:
    view = begin(served)
    mark_shown(served, view)
    told = next(each for each in view["methods"] if each["name"] == name)
    answer = served.change("/session/1/round", method=name)
    if told["why_not"]:
        assert answer.status_code == 400
        assert told["why_not"] in answer.json()["error"]
    else:
        assert answer.status_code == 200, answer.text
        assert len(answer.json()["shown"]) == SHOWN
        shown_before = {each["id"] for each in view["shown"]}
        assert not shown_before & {each["id"] for each in answer.json()["shown"]}


def test_methods_that_learn_from_others_get_what_others_marked(served: Served) -> None:
    from rankscope.workbench.browsing.session_ranking import with_log
    from rankscope.workbench.pages.session import Feedback

    mark_shown(served, begin(served, "blue/0.png"), "blue")
    feedback = served.bench.keep(Feedback)
    logged = with_log(feedback.ranker.items("moments.npz"), feedback.sessions())
    assert logged.log is not None
    marks = served.json("/session/1")
    assert (logged.log > 0).sum() == len(marks["relevant"])
    assert (logged.log < 0).sum() == len(marks["not_relevant"])


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_what_was_marked_is_exported_as_a_log_that_a_study_reads(served: Served, tmp_path: Path, suffix: str) -> None:
    from rankscope.inputs.feedback_logs import FeedbackLog
    from rankscope.workbench.browsing.session_ranking import with_log
    from rankscope.workbench.pages.session import Feedback

    mark_shown(served, begin(served, "blue/0.png"), "blue")
    mark_shown(served, begin(served, "red/0.png"))
    assert served.project.export_log(tmp_path / f"log.{suffix}") == 2
    feedback, ids = served.bench.keep(Feedback), [each.id for each in served.project.items]
    expected = with_log(feedback.ranker.items("moments.npz"), feedback.sessions()).log
    read = FeedbackLog.of(tmp_path / f"log.{suffix}", ids)
    assert read.sessions == ("1", "2")
    np.testing.assert_array_equal(read.marks, expected)
    page = served.client.get("/export/log")
    assert page.headers["content-type"].startswith("text/csv")
    (tmp_path / "page.csv").write_bytes(page.content)
    np.testing.assert_array_equal(FeedbackLog.of(tmp_path / "page.csv", ids).marks, expected)
    with pytest.raises(SettingError, match=r"NAME\.csv, NAME\.tsv or NAME\.jsonl"):
        served.project.export_log(tmp_path / "log.txt")


@pytest.mark.parametrize("method", ["rochio", "svm(C=-1)", "rocchio(beta=)", "svm)"])
def test_what_is_no_method_is_told(served: Served, method: str) -> None:
    begin(served)
    answer = served.change("/session/1/round", method=method)
    assert answer.status_code == 400
    assert answer.json()["error"]


# graphs


def graphs_of(view: dict[str, Any]) -> dict[str, Any]:
    return {each["kind"]: each for each in view["graphs"]}


def test_with_classes_all_graphs_are_drawn_and_the_page_says_whose_truth_it_is(served: Served) -> None:
    view = begin(served)
    mark_shown(served, view)
    after = next_round(served, 1, "svm")
    graphs = graphs_of(after)
    assert (after["truth"], after["label"], after["known_relevant"]) == ("class", "red", EACH - 1)
    assert {each["reason"] for each in graphs.values()} == {""}
    assert "The class <b>red</b> stands for the truth" in served.client.get("/session/1").text
    shares = [np.mean([each["label"] == "red" for each in shown["shown"]]) for shown in (view, after)]
    assert graphs["rounds"]["series"][0]["y"] == pytest.approx(shares)


def test_the_points_of_the_precision_recall_graph_are_those_of_the_list(served: Served) -> None:
    view = begin(served)
    mark_shown(served, view)
    after = next_round(served, 1, "rocchio")
    series = {each["name"]: each for each in graphs_of(after)["precision-recall"]["series"]}
    near = served.json(f"/like/{served.bench.number_of('red/0.png')}")["items"]
    near += served.json(f"/like/{served.bench.number_of('red/0.png')}?page=2")["items"]
    hits = np.flatnonzero([each["label"] == "red" for each in near]) + 1
    found = np.arange(1, EACH)
    assert series["before feedback"]["x"] == pytest.approx((found / found.size).tolist())
    assert series["before feedback"]["y"] == pytest.approx((found / hits).tolist())
    assert set(series) == {"before feedback", "with feedback"}


def test_with_marks_alone_what_is_not_known_says_why(served: Served) -> None:
    begin(served)
    empty = graphs_of(served.json("/session/1?truth=marks"))
    assert {kind for kind, each in empty.items() if each["reason"]} == set(empty)
    view = served.json("/session/1")
    for each in view["shown"][:4]:
        served.change("/session/1/marks", item=each["number"], opinion="relevant" if each["rank"] != 3 else "not")
    some = served.json("/session/1?truth=marks")
    graphs = graphs_of(some)
    assert graphs["precision-scope"]["series"][0]["y"] == pytest.approx([1, 1, 2 / 3, 3 / 4])
    assert graphs["precision-scope"]["series"][0]["x"] == [1, 2, 3, 4]
    assert "only 4 of 23 items are judged" in graphs["precision-recall"]["reason"]
    assert "only 4 of 23 items are judged" in graphs["grip"]["reason"]
    assert "no round is judged whole" in graphs["rounds"]["reason"]
    page = served.client.get("/session/1?truth=marks").text
    assert page.count("Not known:") == 3
    served.change("/session/1/marks", opinion="not", rest=True)
    assert graphs_of(served.json("/session/1?truth=marks"))["rounds"]["series"][0]["y"] == pytest.approx([0.5])


def test_when_all_is_judged_marks_tell_everything(served: Served) -> None:
    view = begin(served)
    for each in served.project.items:
        opinion = "relevant" if each.class_ == "red" else "not"
        if each.id != "red/0.png":
            served.change("/session/1/marks", item=served.bench.number_of(each.id), opinion=opinion)
    by_marks, by_class = (served.json(f"/session/1?truth={truth}") for truth in ("marks", "class"))
    assert [each["series"] for each in by_marks["graphs"]] == [each["series"] for each in by_class["graphs"]]
    assert view["others"] == by_marks["judged"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_graphs_are_pictures_that_do_nothing(served: Served, theme: str) -> None:
    begin(served)
    view = served.json("/session/1")
    answer = served.client.get(f"{view['graphs'][0]['picture']}&theme={theme}")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.text.startswith("<svg")
    assert "<script" not in answer.text
    page = served.client.get("/session/1").text
    assert all(f'alt="{each["text"]}"' in page for each in view["graphs"])


# who may


def test_a_session_is_its_owners_alone(served: Served) -> None:
    begin(served)
    token = served.project.invite("eve", "admin").token
    served.client.client.cookies.clear()
    theirs = {"authorization": f"Bearer {token}", **JSON}
    for path in ("/session/1", "/session/1/graphs", "/session/1/graph/rounds"):
        assert served.client.get(path, headers=theirs).status_code == 404
    assert served.client.post("/session/1/round", json={"method": "svm"}, headers=theirs).status_code == 404
    assert served.client.get("/session", headers=theirs).json()["sessions"] == []


def test_who_judges_a_query_has_no_session_on_it(tmp_path: Path) -> None:
    with served_pictures(tmp_path, {"r": RUN}) as served:
        served.project.make_pool("depth(4)")
        view = begin(served)
        assert served.json("/session")["queries"]
        owner = served.project.assessor_named("owner").id
        served.project.grade(owner, "red/0.png", "red/1.png", 1)
        assert served.client.get(f"/session/{view['session']}", headers=JSON).status_code == 403
        number = served.bench.query_number("red/0.png")
        assert served.change("/session", query=number).status_code == 403
        assert served.json("/session")["queries"] == served.json("/session")["sessions"] == []
        other = begin(served, "blue/1.png")
        assert (other["truth"], other["label"]) == ("marks", "")
        assert {each["id"] for each in other["shown"]} == {""}


def test_a_method_is_named_alone_with_its_parameters_beside_it(served: Served) -> None:
    view = begin(served)
    mark_shown(served, view)
    assert next_round(served, 1, "rocchio", parameters=" gamma=0.25 ")["method"] == "rocchio(gamma=0.25)"
    page = served.client.get("/session/1").text
    assert 'data-written="rocchio(' in page
    assert 'name="parameters" value="gamma=0.25"' in page
    assert served.change("/session/1/round", method="svm(C=1)", parameters="C=2").status_code == 400


def test_a_graph_of_one_search_speaks_of_no_means_and_its_words_keep_their_widths(served: Served) -> None:
    begin(served)
    picture = served.client.get("/session/1/graph/precision-scope").text
    assert re.search(
        rf"c = {EACH - 1}, d = \d+, G = [\d.]+, random level [\d.]+", " ".join(re.findall(">([^<]*)<", picture))
    )
    assert "queries" not in picture
    long_texts = re.findall(r"<text [^>]*>[^<]{2,}</text>", picture)
    assert all('textLength="' in each for each in long_texts)
    assert len(long_texts) > 5
