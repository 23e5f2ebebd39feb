"""Judging until two runs are decided: what counts, in which order, and when nothing more is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankscope.analysis.comparison.sequential import lower_limit, upper_limit
from rankscope.core.errors import SettingError
from rankscope.workbench.project import Project
from tests.workbench.projects import ANN, BOB

QUERIES = [f"q{number:02}" for number in range(30)]
GOOD, BAD, BOTH = "gh", "xy", "m"  # what the second run has, what the first has, what both have


def make_project(folder: Path, same: int = 0, per_item: int = 1) -> Project:
    """Two runs: the second finds two relevant items where the first has none; some queries are answered alike."""
    (folder / "docs.jsonl").write_text("\n".join(json.dumps({"id": each, "text": each}) for each in "ghxym"))
    (folder / "topics.tsv").write_text("".join(f"{query}\twords\n" for query in QUERIES))
    lists = {"old": BOTH + BAD, "new": GOOD + BOTH}
    runs = []
    for name, items in lists.items():
        rows = [
            f"{query} Q0 {item} {rank} {-rank} t"
            for number, query in enumerate(QUERIES)
            for rank, item in enumerate(lists["old"] if number < same else items, 1)
        ]
        (folder / f"{name}.run").write_text("\n".join(rows) + "\n")
        runs.append(folder / f"{name}.run")
    project = Project.new(
        folder / "project",
        texts=folder / "docs.jsonl",
        topics=folder / "topics.tsv",
        runs=runs,
        double=0.0,
        repeat=0.0,
        per_item=per_item,
    )
    project.make_pool("decide(3)", seed=7)
    project.invite("ann")
    project.invite("bob")
    return project


def judge(project: Project, *people: int, most: int = 1000) -> list[tuple[str, str]]:
    """Everybody in turn, until nobody gets anything; g and h are relevant."""
    done: list[tuple[str, str]] = []
    for turn in range(most):
        loans = project.next_items(people[turn % len(people)])
        if not loans:
            break
        for loan in loans:
            project.grade(people[turn % len(people)], loan.query, loan.item, int(loan.item in GOOD))
            done.append(loan.pair)
    return done


def test_judging_stops_as_soon_as_it_is_decided(tmp_path: Path) -> None:
    """Each query says +2/3. The capital of the largest bet is half of 1.6333^n: 40 is passed at the 9th query."""
    with make_project(tmp_path) as project:
        done = judge(project, ANN)
        assert project.is_decided
        compared = project.assignment.compared
        assert compared is not None
        counted = compared.decision().counted
        assert len(done) == 4 * counted
        changes = np.full(counted, 2 / 3)
        assert lower_limit(changes, 0.025) > 0 > lower_limit(changes[1:], 0.025)
        decision = compared.decision()
        assert (decision.low, decision.high) == (lower_limit(changes, 0.025), upper_limit(changes, 0.025))
        assert decision.sentence.startswith("decided: new is better; P@3 of new minus old: +.667 [+.0")
        assert project.next_items(BOB) == []
        assert project.progress().open == 0


def test_only_what_differs_is_judged_in_an_order_fixed_beforehand(tmp_path: Path) -> None:
    with make_project(tmp_path) as project:
        compared = project.assignment.compared
        assert compared is not None
        order = list(compared.order)
        done = judge(project, ANN, BOB)
        assert {item for _, item in done} == {*GOOD, *BAD}
        assert list(dict.fromkeys(query for query, _ in done)) == order[: compared.decision().counted]
        assert order != sorted(order)


def test_queries_answered_alike_count_without_a_judgement(tmp_path: Path) -> None:
    with make_project(tmp_path, same=len(QUERIES)) as project:
        assert judge(project, ANN) == []
        assert project.assignment.compared is not None
        decision = project.assignment.compared.decision()
        assert (decision.counted, decision.change, decision.is_decided) == (len(QUERIES), 0.0, False)
        assert "more like these never decide" in decision.sentence


def test_a_query_counts_when_all_before_it_are_judged_in_full(tmp_path: Path) -> None:
    """What is judged out of turn waits, so that quick queries have no advantage."""
    with make_project(tmp_path) as project:
        compared = project.assignment.compared
        assert compared is not None
        for item in GOOD + BAD:
            project.grade(ANN, compared.order[1], item, int(item in GOOD))
        assert compared.decision().counted == 0
        for item in GOOD + BAD:
            project.grade(ANN, compared.order[0], item, int(item in GOOD))
        assert compared.decision().counted == 2


def test_an_undo_opens_the_comparison_again(tmp_path: Path) -> None:
    with make_project(tmp_path) as project:
        judge(project, ANN)
        assert project.is_decided
        project.undo(ANN)
        assert not project.is_decided
        assert len(project.next_items(ANN)) == 1


def test_where_two_judge_an_item_both_must_have(tmp_path: Path) -> None:
    with make_project(tmp_path, per_item=2) as project:
        done = judge(project, ANN, BOB)
        assert project.assignment.compared is not None
        assert len(done) == 8 * project.assignment.compared.decision().counted


def test_what_was_skipped_by_all_who_saw_it_counts_as_not_relevant(tmp_path: Path) -> None:
    from rankscope.workbench.project import new_key
    from rankscope.workbench.store.events import MarkEvent

    with make_project(tmp_path) as project:
        compared = project.assignment.compared
        assert compared is not None
        query = compared.order[0]
        project.save(MarkEvent(assessor=ANN, key=new_key(), kind="skip", query=query, item="g"))
        for item in "hxy":
            project.grade(ANN, query, item, int(item in GOOD))
        assert compared.difference(query) == pytest.approx(1 / 3)
        project.grade(BOB, query, "g", 1)
        assert compared.difference(query) == pytest.approx(2 / 3)


def test_one_run_alone_decides_nothing(tmp_path: Path) -> None:
    with make_project(tmp_path) as project:
        project.sources = replace(project.sources, runs=project.sources.runs[:1])
        with pytest.raises(SettingError, match="decides between the first two runs"):
            project.make_pool("decide(3)")


def test_judges_see_that_it_is_decided_and_nothing_of_the_runs(tmp_path: Path) -> None:
    from tests.workbench.asgi_client import client_of
    from tests.workbench.pages.served import Served, Workbench, workbench_application

    with make_project(tmp_path) as project:
        bench = Workbench(project)
        with client_of(workbench_application(project, bench=bench)) as client:
            served = Served(project, bench, client)
            served.sign_in("cat")
            before = served.json("/judge", params={"tab": "t"})
            assert (before["decided"], before["left"]) == (False, 120)
            project.release(project.assessor_named("cat").id)
            judge(project, ANN)
            after = served.json("/judge", params={"tab": "t"})
            assert (after["decided"], after["tasks"], after["left"]) == (True, [], 0)
            page = client.get("/judge").text
            assert '<span id="decided">The comparison is decided.</span>' in page
            assert "new is better" not in page
            served.sign_in()
            assert served.json("/pool")["designs"][0]["decision"].startswith("decided: new is better; P@3 of new")
            assert "decided: new is better; P@3 of new minus old" in client.get("/pool").text
