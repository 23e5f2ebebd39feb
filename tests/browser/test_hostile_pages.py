"""Names that would be mischief stay text on every kind of page: suite, history, feedback study and benchmark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from rankscope.analysis.comparison.gate_history import GateHistory
from rankscope.analysis.comparison.suite import compare_suite
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.feedback.methods import METHODS
from rankscope.feedback.normalization.generalisation import normalised
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.users.topics import Topics
from rankscope.reports.page import benchmark_page, feedback_page, result_pages
from tests.browser.opened import Opened
from tests.browser.test_safe_and_accessible import AXE, FOUND, NASTY
from tests.engines.images.pictures_folder import written
from tests.feedback.cases import clusters
from tests.reports.benchmark_examples import standings_of_folder
from tests.reports.page.test_history_page import history_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.thorough


def write_suite(path: Path) -> None:
    chance = np.random.default_rng(0)
    tables = {task: ScoreTable.make({name: chance.random(12) for name in NASTY[:3]}) for task in NASTY[3:6]}
    path.write_text(
        result_pages.render_suite([compare_suite(tables, resamples=200)], NASTY[1], NASTY[:2]), encoding="utf-8"
    )


def write_history(path: Path) -> None:
    told = [
        replace(
            each,
            build=name,
            baseline=NASTY[0],
            candidate=NASTY[1],
            reason=NASTY[2],
            checks=tuple(replace(check, measure=NASTY[5], label=NASTY[2]) for check in each.checks),
        )
        for each, name in zip(history_of(0.0, 0.03, -0.05).builds, NASTY, strict=False)
    ]
    path.write_text(result_pages.render_history(GateHistory(tuple(told)), NASTY[1]), encoding="utf-8")


def write_feedback(path: Path) -> None:
    items, topics = clusters(items=80, classes=2)
    named = {**dict(zip(NASTY, topics.targets, strict=False)), NASTY[2]: [1] + [0] * 79}  # the last cannot be learnt
    setting = Experiment.of(items, Topics.of(named), protocol=Protocol(scope=6, rounds=1))
    plan = StudyPlan.of(setting, [METHODS.parse("rocchio")], starts=2)
    path.write_text(feedback_page.render_study(study(plan, on="home"), normalised(plan)), encoding="utf-8")


def write_benchmark(path: Path) -> None:
    photos = written(path.parent / "photos", 4)
    for number, folder in enumerate(sorted(photos.iterdir())):
        folder.rename(photos / f'"><img src=x onerror="window.caught = {number}">')
    benchmark_page.write_benchmark_page(standings_of_folder(photos, path.parent / "out"), path, shown=4)


WRITERS = {"suite": write_suite, "history": write_history, "feedback": write_feedback, "benchmark": write_benchmark}


@pytest.mark.parametrize("kind", WRITERS)
def test_nothing_runs_and_axe_finds_nothing(browser: Browser, tmp_path: Path, kind: str) -> None:
    WRITERS[kind](tmp_path / "page.html")
    opened = Opened(browser, tmp_path / "page.html", viewport={"width": 1200, "height": 900})
    page = opened.page
    page.locator("summary").evaluate_all("all => all.forEach(each => each.click())")
    page.locator("th button").evaluate_all("all => all.forEach(each => each.click())")
    assert page.evaluate("window.caught") is None
    assert page.locator("img[src=x], svg[onload], a[href^='javascript:']").count() == 0
    assert "window.caught" in page.locator("body").inner_text()
    assert opened.said == []
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate(FOUND) == []
    opened.context.close()
