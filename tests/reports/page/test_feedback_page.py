from __future__ import annotations

import re
from pathlib import Path

import pytest

from rankscope.feedback.methods import METHODS
from rankscope.feedback.normalization.normalised import Normalised, normalised
from rankscope.feedback.study.protocol import Protocol
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.setting import Experiment
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.users.topics import Topics
from rankscope.reports.page.feedback_page import render, sections_of, write_page
from tests.feedback.cases import clusters
from tests.reports.page.test_html import data_of


@pytest.fixture(scope="module")
def made() -> tuple[Results, Normalised, StudyPlan]:
    items, topics = clusters(items=160, classes=3)
    rare = {**dict(zip(topics.names, topics.targets, strict=True)), "lonely": [1] + [0] * 159}
    setting = Experiment.of(items, Topics.of(rare), protocol=Protocol(scope=8, rounds=2))
    plan = StudyPlan.of(setting, [METHODS.parse(name) for name in ("rocchio", "svm")], starts=2)
    return study(plan, on="home"), normalised(plan), plan


@pytest.mark.thorough
def test_the_page_tells_rounds_efficiency_consistency_and_times(made: tuple[Results, Normalised, StudyPlan]) -> None:
    page = render(*made[:2])
    for words in ("Round by round", "Mean efficiency (MAE)", "Consistency", "Response time", "Settings", "no-feedback"):
        assert words in page
    assert set(re.findall(r'data-kind="([a-z-]+)"', page)) == {"rounds", "efficiency"}
    assert not re.search(r'(?:src|href)="https?:', page)


def test_a_topic_that_cannot_be_learnt_is_set_apart_with_the_reason(
    made: tuple[Results, Normalised, StudyPlan],
) -> None:
    _, about, _ = made
    assert "lonely" not in about.feasible
    assert "lonely" not in about.mae_table().queries
    parts = dict(sections_of(made[0], about))["How much of the possible"]
    (lost,) = [part for part in parts if part.heading.startswith("Topics that cannot")]
    told = [row for row in lost.grid.rows if row[0].text == "lonely"]
    assert "no folds can be made" in told[0][1].text


def test_mean_efficiency_is_the_mean_of_topics(made: tuple[Results, Normalised, StudyPlan]) -> None:
    _, about, _ = made
    table = about.mae_table()
    curves = {each.method: each for each in about.mean_curves()}
    for name in ("rocchio", "svm"):
        assert curves[name].mae == pytest.approx(table.values[:, table.number(name)].mean())


def test_the_page_is_written_whole(made: tuple[Results, Normalised, StudyPlan], tmp_path: Path) -> None:
    size = write_page(made[0], made[1], tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size == size


def test_cumulative_recall_comes_first_and_a_method_has_one_number_in_every_graph(
    made: tuple[Results, Normalised, StudyPlan],
) -> None:
    page = render(*made[:2])
    figures = re.findall(r'data-figure="([a-z-]+)"', page)
    assert figures[0] == "rounds-recall"
    names = data_of(page, "systems")["names"]
    assert names[0] == "no-feedback"
    numbers: dict[str, set[int]] = {}
    for id in figures:
        for graph in data_of(page, id)["graphs"]:
            for mark in graph["marks"]:
                if "system" in mark:
                    numbers.setdefault(mark["name"], set()).add(mark["system"])
    assert {"rocchio", "svm"} <= set(numbers)
    assert all(found == {names.index(name)} for name, found in numbers.items())
