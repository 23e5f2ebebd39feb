from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.methods import METHODS
from rankscope.feedback.methods.method import rank_sessions
from rankscope.feedback.normalization.efficiency import efficiency
from rankscope.feedback.normalization.example_sets import ExampleSets, topic_seed
from rankscope.feedback.normalization.generalisation import Normalised, normalised
from rankscope.feedback.study.experiment import Experiment, Protocol
from rankscope.feedback.study.results import Results
from rankscope.feedback.study.study import StudyPlan, study
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import USERS, uniform
from rankscope.reports.page.feedback_page import render_study, study_figures, study_sections, write_study_page
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
    page = render_study(*made[:2])
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
    parts = dict(study_sections(made[0], about))["How much of the possible"]
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
    size = write_study_page(made[0], made[1], tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size == size


def test_cumulative_recall_comes_first_and_a_method_has_one_number_in_every_graph(
    made: tuple[Results, Normalised, StudyPlan],
) -> None:
    page = render_study(*made[:2])
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


@cache
def erring_study(user: str) -> tuple[Results, Normalised, StudyPlan]:
    items, topics = clusters(items=120, classes=3)
    setting = Experiment.of(items, topics, USERS.parse(user), protocol=Protocol(scope=8, rounds=1, k_pos=2))
    plan = StudyPlan.of(setting, [METHODS.parse(name) for name in ("rocchio", "svm")], starts=2, controls=False)
    return study(plan, on="home"), normalised(plan), plan


@pytest.mark.thorough
def test_sections_are_about_the_users_of_the_study() -> None:
    _, about, plan = erring_study("noisy(0.4,0.1)")
    _, exact, _ = erring_study("consistent")
    assert (about.users, exact.users, exact.right) == ("noisy(0.4,0.1)", "consistent", ())
    assert np.array_equal(about.mae_table(right=True).values, exact.mae_table().values)
    assert (about.mae_table().values < exact.mae_table().values).all()  # two of five errs on what is relevant
    assert about.learnt is not None
    assert about.learnt.store.results == about.right  # what others can be held against
    # by hand: every example of a fold shown once to a user whose chance of error is drawn for session and item
    best, target, method = about.baselines[1], plan.setting.topics.targets[1], METHODS.parse("rocchio")
    assert best.folds is not None
    sets = ExampleSets.drawn(target, 3, (8, 8), pool=~best.folds.tested, seed=topic_seed(best.topic, 0))
    given, picked, rejected = sets.of_size(8, 8), [], []
    for seed, own in zip(given.seeds.tolist(), given, strict=True):
        shown = np.concatenate([own.positives, own.negatives])
        wrong = uniform(np.full(16, seed), shown, "look error") < np.where(target[shown], 0.4, 0.1)
        picked.append(np.sort(shown[target[shown] ^ wrong]))
        rejected.append(np.sort(shown[~(target[shown] ^ wrong)]))
    fold = np.repeat(np.arange(best.folds.count), 3)
    told = Examples.of(picked, rejected, seeds=given.seeds, truth=[np.flatnonzero(target)] * len(given))
    ranks = rank_sessions(method, plan.setting.items, told, target, best.folds.tested[fold], topic=best.topic)
    found = next(each for each in about.efficiencies if each.topic == best.topic and each.method.startswith("rocchio"))
    assert found.mae == pytest.approx(efficiency(ranks, best).mae, abs=1e-12)
    plain = {each.method: each.average_precision for each in exact.consistencies if each.topic == best.topic}
    assert all(each.average_precision != plain[each.method] for each in about.consistencies if each.topic == best.topic)


@pytest.mark.thorough
def test_words_say_who_marked_the_examples_and_what_few_topics_can_show() -> None:
    for user, words in (
        ("noisy(0.4,0.1)", "as the users of the study mark them (noisy(0.4,0.1))"),
        ("consistent", "that are all marked rightly"),
    ):
        results, about, _ = erring_study(user)
        parts = dict(study_sections(results, about))
        means, by_topic = parts["How much of the possible"]
        assert words in means.note
        assert words in parts["With the answer among the features"][0].note
        assert "3 topics cannot make any difference significant: the smallest p-value possible is .25" in means.note
        assert ("marked rightly" in means.grid.header) == (user != "consistent")
        (graph,) = [each for each in study_figures(results, about) if each.id == "efficiency"]
        assert f"user {user}" in graph.subtitle
        both = [about.mae_table(corrected).values for corrected in (False, True)]
        for row, topic, values in zip(by_topic.grid.rows, about.feasible, np.stack(both, axis=2), strict=True):
            assert [cell.text for cell in row] == [topic, *(f"{value:.4f}" for value in values.ravel())]
