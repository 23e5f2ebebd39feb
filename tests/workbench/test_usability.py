"""Questionnaires and task times: worked values, and what the journal keeps of them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError, SettingError
from rankscope.workbench.browsing.sessions import FeedbackSession, begin_mark, opinion_mark, round_mark
from rankscope.workbench.project import Project, new_key
from rankscope.workbench.store.events import MarkEvent, Refused
from rankscope.workbench.usability import STATEMENTS, survey_mark, sus_score
from tests.test_tutorials import DOCS, steps
from tests.workbench.projects import small_project

PAGE = DOCS / "how-to" / "judge-in-a-browser.md"
BROOKE = [5, 4, 2, 1, 2, 3, 2, 4, 5, 2]  # the worked example of Brooke 1996: 22 points, 55
BEST, WORST = [5, 1] * 5, [1, 5] * 5


@pytest.mark.parametrize(("answers", "score"), [(BROOKE, 55), ([3] * 10, 50), (BEST, 100), (WORST, 0), ([5] * 10, 50)])
def test_published_and_extreme_scores(answers: list[int], score: float) -> None:
    assert sus_score(answers) == score


def test_the_score_is_the_formula_of_sums() -> None:
    chance = np.random.default_rng(0)
    for answers in chance.integers(1, 6, (50, 10)).tolist():
        odd, even = sum(answers[0::2]), sum(answers[1::2])
        assert sus_score(answers) == 2.5 * ((odd - 5) + (25 - even))


@pytest.mark.parametrize(
    "answers", [[3] * 9, [3] * 11, [0, *[3] * 9], [6, *[3] * 9], [True, *[3] * 9], [2.5, *[3] * 9]]
)
def test_other_answers_are_refused(answers: list[Any]) -> None:
    with pytest.raises(SettingError, match="10 answers from 1 to 5"):
        sus_score(answers)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with small_project(tmp_path, repeat=0.0) as found:
        found.make_pool("depth(3)")
        yield found


def people(project: Project, count: int) -> list[int]:
    return [project.invite(name).assessor.id for name in ("Ann", "Bob", "=Cleo", "Dan")[:count]]


def answer(project: Project, who: int, answers: list[int], task: str = "judging") -> int:
    return project.save(survey_mark(who, new_key(), task, answers)).event.id


def told(project: Project, *words: str) -> str:
    done = CliRunner().invoke(cli, ["project", words[0], str(project.folder), *words[1:]])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_mean_has_the_t_interval_of_people_and_the_last_answers_count(project: Project) -> None:
    ann, bob, cleo = people(project, 3)
    answer(project, ann, WORST)
    answer(project, ann, BROOKE)
    answer(project, bob, [3] * 10)
    answer(project, cleo, [4, 2] * 5)  # 75
    answer(project, cleo, BEST, "searching")
    judging, searching = project.questionnaires()
    assert [each.score for each in judging.replies] == [55, 50, 75]
    low, high = stats.t.interval(0.95, 2, loc=60, scale=stats.sem([55, 50, 75]))
    assert (judging.mean, *judging.interval) == pytest.approx((60, low, high), abs=1e-9)
    assert (searching.mean, len(searching.replies)) == (100, 1)
    assert all(math.isnan(each) for each in searching.interval)
    assert sum(judging.contributions) * 2.5 == pytest.approx(60)


def test_limits_stop_at_0_and_100_and_equal_scores_have_none(project: Project) -> None:
    ann, bob = people(project, 2)
    answer(project, ann, WORST)
    answer(project, bob, BEST)
    assert project.questionnaires()[0].interval == (0, 100)
    answer(project, ann, BEST)
    assert all(math.isnan(each) for each in project.questionnaires()[0].interval)
    assert "no interval, all 2 people have the same score" in told(project, "questionnaire")


def test_a_questionnaire_stays_in_the_journal_and_is_not_undone(project: Project, tmp_path: Path) -> None:
    (ann,) = people(project, 1)
    loan = project.next_items(ann)[0]
    marked = project.grade(ann, loan.query, loan.item, 1)
    number = answer(project, ann, BROOKE)
    with pytest.raises(Refused, match="answer it again"):
        project.undo(ann, number)
    assert project.undo(ann).event.of == marked.event.id  # the last that can be undone
    project.export_journal(tmp_path / "journal.jsonl")
    (tmp_path / "again").mkdir()
    with small_project(tmp_path / "again") as again:
        again.import_journal(tmp_path / "journal.jsonl")
        assert again.questionnaires()[0].mean == 55
        assert again.journal_digest == project.journal_digest


@pytest.mark.parametrize(
    "detail",
    [
        None,
        {"form": "sus", "task": "judging", "answers": [3] * 9},
        {"form": "sus", "task": "judging", "answers": "3333333333"},
        {"form": "sus", "task": "sleeping", "answers": [3] * 10},
        {"form": "umux", "task": "judging", "answers": [3] * 10},
    ],
)
def test_what_cannot_be_counted_does_not_enter_the_journal(project: Project, detail: Any) -> None:
    (ann,) = people(project, 1)
    with pytest.raises(Refused):
        project.save(MarkEvent(assessor=ann, key="k", kind="survey", detail=detail))
    assert project.questionnaires() == []
    assert "Nobody has answered" in told(project, "questionnaire")


def test_scores_as_text_json_and_csv(project: Project, tmp_path: Path) -> None:
    ann, bob, cleo = people(project, 3)
    for who, answers in ((ann, BROOKE), (bob, [3] * 10), (cleo, [4, 2] * 5)):
        answer(project, who, answers)
    text = told(project, "questionnaire")
    low, high = project.questionnaires()[0].interval
    assert f"judging       3  60.0  {low:.1f}  {high:.1f}" in text
    assert all(each in text for each in STATEMENTS)
    assert "Ann" not in text
    assert "Ann" in told(project, "questionnaire", "--names")
    whole = json.loads(told(project, "questionnaire", "--format", "json"))
    assert (whole["format"], whole["version"]) == ("rankscope.questionnaire", 1)
    assert whole["tasks"][0]["replies"][0]["answers"] == BROOKE
    told(project, "questionnaire", "--names", "-o", str(tmp_path / "answers.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "answers.csv").read_text())))
    assert [(each["person"], float(each["score"])) for each in rows] == [("Ann", 55), ("Bob", 50), ("'=Cleo", 75)]
    assert [int(rows[0][f"s{number}"]) for number in range(1, 11)] == BROOKE


def judge(project: Project, who: int, *seconds: float) -> None:
    for loan, each in zip(project.next_items(who, len(seconds)), seconds, strict=True):
        project.grade(who, loan.query, loan.item, 1, ms=round(1000 * each))


def test_times_of_people_queries_and_all(project: Project) -> None:
    ann, bob = people(project, 2)
    judge(project, ann, 1, 2, 6)
    judge(project, bob, 8, 4, 400)
    project.undo(bob)
    times = project.task_times()
    assert (times.people[ann].median, times.people[ann].total) == (2, 9)
    assert (times.people[bob].median, times.people[bob].total) == (8, 312)  # what was undone took its time; 300 at most
    assert (times.whole.median, times.whole.seconds.size, times.longest) == (5, 6, 1)
    assert sum(each.seconds.size for each in times.queries.values()) == 6
    logs = np.log([2, 8])
    low, high = stats.t.interval(0.95, 1, loc=logs.mean(), scale=stats.sem(logs))
    assert times.typical == pytest.approx((4, math.exp(low), math.exp(high)))
    text = told(project, "times")
    assert "A typical person takes 4.0 s for a judgement, 95 % limits" in text
    assert "1 of them were cut at five minutes" in text


def test_labels_from_a_file_have_no_time_and_an_empty_journal_says_so(project: Project) -> None:
    assert told(project, "times") == "The journal holds no time of any judgement, and no search.\n"
    project.import_labels({"q1": {"a": 1}}, "Zoe")
    assert project.task_times().untimed == 1
    (ann,) = people(project, 1)
    judge(project, ann, 3)
    text = told(project, "times")
    assert "1 judgement has no time" in text
    assert "takes 3.0 s for a judgement (geometric" in text


def test_a_search_lasts_from_its_beginning_to_its_last_step(project: Project) -> None:
    (ann,) = people(project, 1)
    session = FeedbackSession(1, "k", ann, None, 0, "", "")
    begin = project.save(begin_mark(session, [1, 2])).event
    project.save(opinion_mark(session, "m", [1], "relevant"))
    last = project.save(round_mark(session, "r", "rocchio", [3])).event
    (search,) = project.task_times().searches
    assert (search.session, search.rounds, search.relevant) == (1, 1, 1)
    assert search.seconds == pytest.approx((last.at_us - begin.at_us) / 1e6)
    rows = list(csv.DictReader(io.StringIO(told(project, "times", "--format", "csv"))))
    assert [(each["kind"], each["rounds"]) for each in rows] == [("search", "1")]
    assert json.loads(told(project, "times", "--format", "json"))["rows"][0]["kind"] == "search"


def test_three_mistakes_are_told(project: Project, tmp_path: Path) -> None:
    for words, told_so in (
        (["times", str(tmp_path / "nowhere")], "nowhere"),
        (["questionnaire", str(project.folder), "-o", str(tmp_path / "x.pdf")], "writes no .pdf file"),
        (["times", str(project.folder), "--format", "xml"], "'xml' is not one of"),
    ):
        done = CliRunner().invoke(cli, ["project", *words])
        assert isinstance(done.exception, RankscopeError | SystemExit)  # the program says either, and ends with 2
        assert told_so in f"{done.output}{done.exception}"


def test_the_commands_of_the_page_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bob = people(project, 2)
    answer(project, ann, BROOKE)
    judge(project, bob, 2, 3)
    monkeypatch.chdir(project.folder.rename(project.folder.with_name("judging")).parent)
    commands = [each for each, _ in steps(PAGE) if each.startswith(("rankscope project q", "rankscope project t"))]
    assert len(commands) == 4
    for command in commands:
        done = CliRunner().invoke(cli, command.split()[1:])
        assert done.exit_code == 0, (command, done.output, done.exception)
