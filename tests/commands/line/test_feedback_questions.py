"""The questions of `rankscope feedback`, from the command line and from Python."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankscope
from rankscope.commands.feedback import LabelledProblem, problem_of
from rankscope.commands.feedback_questions import QUESTIONS
from rankscope.commands.line.feedback_questions import ABOUT_QUESTIONS, EXAMPLES, question_command
from rankscope.commands.line.main import cli
from rankscope.feedback.answers import Answer, AnswerTable
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.methods.feature_weights import Mars
from rankscope.feedback.normalization.stored_baselines import load_store
from rankscope.feedback.study.results import load_results
from rankscope.feedback.study.sensitivity import stability

QUICK = {
    "efficiency": ["--repeats", "1", "--folds", "2", "--examples", "4"],
    "convergence": ["--repeats", "1", "--folds", "2", "--sizes", "1,4", "--approach", "I"],
    "examples": ["--repeats", "2", "--sizes", "1,4"],
    "consistency": ["--repeats", "2", "--gains", "4", "--examples", "4"],
    "resilience": ["--errors", "0.2", "--starts", "2", "--rounds", "1"],
    "stability": ["--starts", "3", "--rounds", "1"],
    "scalability": ["--halvings", "1", "--examples", "4"],
}


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["feedback", *map(str, words)])


def test_an_answer_says_its_warnings_after_its_tables() -> None:
    answer = Answer("stability", "120 items", (AnswerTable("Means", [{"method": "svm"}]),), None, ("few classes",))
    assert answer.text().splitlines()[-1] == "! few classes"
    assert answer.markdown().splitlines()[:3] == ["120 items", "", "## Means"]
    assert answer.markdown().splitlines()[-1] == "- few classes"


@pytest.fixture
def features(tmp_path: Path) -> Path:
    chance = np.random.default_rng(0)
    label = np.arange(120) % 3
    matrix = chance.normal(size=(3, 4))[label] * 2 + chance.normal(size=(120, 4))
    names = np.array(["cat", "dog", "sea cow"])[label]
    np.savez(tmp_path / "f.npz", features=matrix, labels=names)
    return tmp_path / "f.npz"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", QUICK)
def test_a_question_is_answered_as_in_python(name: str, features: Path) -> None:
    done = run(features, name, "--methods", "rocchio,query-point", *QUICK[name], "--format", "json")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.output)
    assert answer["question"] == name
    rows = answer["tables"][0]["rows"]
    assert [row["method"].partition(",")[0] for row in rows] == ["rocchio", "query-point"]
    if name == "stability":
        told = rankscope.ask_feedback(
            "stability", str(features), methods="rocchio,query-point", starts=3, rounds=1
        ).tables[0]
        assert [{**row} for row in told.rows] == rows


def test_every_question_has_its_line_its_example_and_its_function() -> None:
    assert [*ABOUT_QUESTIONS] == [*EXAMPLES] == [*QUESTIONS]


@pytest.mark.parametrize("name", QUESTIONS)
def test_options_and_parameters_are_the_same(name: str) -> None:
    parameters = inspect.signature(inspect.unwrap(QUESTIONS[name])).parameters
    options = {str(each.name): each for each in question_command(name).params if isinstance(each, click.Option)}
    own = set(options) - set(LabelledProblem.__annotations__) - {"output", "output_format", "quiet", "force", "debug"}
    assert own - {"methods"} == set(parameters) - {"features", "methods", "progress", "problem"}
    for each in own - {"methods"}:
        assert options[each].default == parameters[each].default or not parameters[each].default
    assert set(LabelledProblem.__annotations__) <= set(options)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_help_of_a_question_has_its_own_options_only(name: str) -> None:
    done = run(name, "--help")
    assert done.exit_code == 0
    assert EXAMPLES[name] in done.output
    assert "--keep-ranks" not in done.output


def test_the_help_of_the_study_lists_the_questions_and_groups_its_options() -> None:
    told = run("--help").output
    for word in (*ABOUT_QUESTIONS, "How a session goes:", "What decides:", "Questions"):
        assert word in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["adaption"], "did you mean 'adaptation'"),
        (["efficiency", "--rounds", "3"], "No such option '--rounds'"),
        (["efficiency", "--loss", "weigted(1,2)"], "did you mean 'weighted'"),
        (["efficiency", "--methods", "svm", "--approach", "II"], "at least two"),
        (["efficiency", "--approach", "II", "--form", "decisions"], "needs approach III"),
        (["convergence", "--sizes", "1,a"], "whole numbers of at least 1"),
        (["resilience", "--errors", "2"], "errors are shares from 0 to 1"),
        (["examples", "--sizes", "50"], "have nothing left to find"),
        (["scalability", "--halvings", "6"], "too few for"),
        (["adaptation"], "no topic was judged by two assessors"),
        (["stability", "--groups", "1,2"], "add up to all 4"),
        (["stability", "--start", "nowhere.run"], "nowhere.run"),
        ([], "Missing option '-o'"),
    ],
)
def test_bad_choices_are_told(features: Path, words: list[str], told: str) -> None:
    done = run(features, *words)
    assert done.exit_code != 0
    assert told in f"{done.output} {done.exception}"


def test_a_word_that_is_a_question_may_be_the_value_of_an_option(features: Path, tmp_path: Path) -> None:
    words = ["--topics", "stability", "-o", tmp_path / "o.parquet"]
    done = run(features, *words)
    assert "no item has the label 'stability'" in str(done.exception)


def test_an_answer_is_written_as_its_suffix_says(features: Path, tmp_path: Path) -> None:
    for suffix, begins in ((".json", "{"), (".md", "3 topics"), (".txt", "3 topics")):
        path = tmp_path / f"answer{suffix}"
        done = run(features, "stability", "--methods", "rocchio", "--starts", 2, "--rounds", 1, "-o", path)
        assert done.exit_code == 0, done.output
        assert path.read_text().startswith(begins)
        assert ("## " in path.read_text()) == (suffix == ".md")


def test_what_one_study_saves_the_next_one_reads(features: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    quick = [*QUICK["efficiency"], "--approach", "II"]
    done = run(features, "efficiency", "--methods", "random,parzen", *quick, "--save-baselines", first)
    assert done.exit_code == 0, done.output
    done = run(
        features,
        "efficiency",
        "--methods",
        "rocchio,svm",
        *quick,
        "--baselines",
        first,
        "--save-baselines",
        second,
    )
    assert done.exit_code == 0, done.output
    assert "stored" in done.output
    assert {each.method.partition(",")[0] for each in load_store(second).results} == {
        "random",
        "parzen",
        "rocchio",
        "svm",
    }


@pytest.mark.thorough
def test_the_page_of_a_study_leaves_baselines_for_the_next(features: Path, tmp_path: Path) -> None:
    small = ["--methods", "rocchio", "--starts", 1, "--rounds", 1, "--scope", 5, "--topics", "cat", "--on", "home"]
    done = run(features, *small, "-o", tmp_path / "a.parquet", "--report", tmp_path / "a.html")
    assert done.exit_code == 0, done.output
    left = tmp_path / "a.baselines.json"
    assert [each.topic for each in load_store(left).baselines] == ["cat"]
    again = ["-o", tmp_path / "b.parquet", "--report", tmp_path / "b.html", "--baselines", left]
    assert run(features, *small, *again).exit_code == 0
    assert (tmp_path / "b.baselines.json").read_bytes() == left.read_bytes()
    assert "Re-calibrated results" not in (tmp_path / "b.html").read_text()
    other = ["--methods", "parzen", *small[2:]]
    again = ["-o", tmp_path / "d.parquet", "--report", tmp_path / "d.html", "--baselines", left]
    assert run(features, *other, *again).exit_code == 0
    assert "Re-calibrated results" in (tmp_path / "d.html").read_text()
    assert {each.method for each in load_store(tmp_path / "d.baselines.json").results} == {
        "parzen, 8 + 8",
        "rocchio, 8 + 8",
    }
    done = run(features, *small, "-o", tmp_path / "c.parquet", "--baselines", left)
    assert "--baselines go with a page" in str(done.exception)


def test_assessors_are_one_file_each(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    where = chance.random((150, 2))
    ids = [f"i{number}" for number in range(150)]
    np.savez(tmp_path / "f.npz", features=where, ids=ids)
    for name, near in (("ann", where[:, 0] < 0.3), ("ben", where[:, 1] < 0.3)):
        lines = [f"near 0 {item} {int(good)}\n" for item, good in zip(ids, near, strict=True)]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    words = ["--qrels", tmp_path / "ann.txt", "--qrels", tmp_path / "ben.txt", "--methods", "svm,random"]
    done = run(tmp_path / "f.npz", "adaptation", *words, "--starts", 3, "--rounds", 2, "--format", "json")
    assert done.exit_code == 0, done.output
    adapted, overlaps = (each["rows"] for each in json.loads(done.output)["tables"])
    assert adapted[0]["adaptation"] > 0.1 > abs(adapted[1]["adaptation"])
    both, either = ((where < 0.3).all(axis=1).sum(), (where < 0.3).any(axis=1).sum())
    assert overlaps == [{"topic": "near", "assessors": 2, "mean overlap": pytest.approx(both / either)}]
    out = tmp_path / "study.parquet"
    done = run(tmp_path / "f.npz", *words, "--starts", 1, "--rounds", 1, "-o", out, "--on", "home")
    assert done.exit_code == 0, done.output
    assert set(load_results(out).frame["assessor"]) == {"ann", "ben"}


def test_a_keyword_run_begins_the_sessions(features: Path, tmp_path: Path) -> None:
    run_file = tmp_path / "words.run"
    run_file.write_text("".join(f"cat Q0 {3 * k} {k + 1} {50 - k} words\n" for k in range(20)))
    out = tmp_path / "o.parquet"
    words = ["--topics", "cat", "--start", run_file, "--starts", 2, "--rounds", 1, "--scope", 5, "--methods", "rocchio"]
    done = run(features, *words, "-o", out, "--on", "home")
    assert done.exit_code == 0, done.output
    assert load_results(out).values("actual precision", "rocchio")[:, 0].tolist() == [1.0, 1.0]  # every third is a cat
    done = run(features, "--topics", "dog", "--start", run_file, "-o", out)
    assert "ranks nothing for 'dog'; its queries: cat" in str(done.exception)


def test_groups_of_features_reach_the_methods_that_weigh_them(features: Path, tmp_path: Path) -> None:
    plain, grouped = (problem_of(str(features), groups=groups) for groups in (None, (1, 3)))
    examples = Examples.of([[0, 3, 6]], [[1, 2]])
    one, other = (Mars().scores(each.items, examples).values for each in (plain, grouped))
    assert not np.allclose(one, other)
    matrix = np.load(features)["features"]
    np.savez(tmp_path / "one.npz", features=matrix[:, :1], labels=np.load(features)["labels"])
    np.save(tmp_path / "three.npy", matrix[:, 1:])
    joined = problem_of(str(tmp_path / "one.npz"), also=[str(tmp_path / "three.npy")])
    np.testing.assert_array_equal(joined.items.matrix, grouped.items.matrix)
    assert joined.items.group_sizes == grouped.items.group_sizes == (1, 3)
    out = tmp_path / "o.parquet"
    words = ["--methods", "mars", "--starts", 1, "--rounds", 1, "--on", "home", "-o", out, "--groups", "1,3"]
    assert run(features, *words).exit_code == 0
    assert load_results(out).about["groups"] == [1, 3]


def test_other_items_cannot_be_further_features(features: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "few.npy", np.zeros((7, 2)))
    done = run(features, "stability", "--also", tmp_path / "few.npy")
    assert "these are not the 120 items" in str(done.exception)


def test_composite_topics_are_told_their_elementary_labels(tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    red, round_ = chance.random((2, 160)) < 0.4
    labels = [
        "|".join([*["red"] * a, *["round"] * b]) or "plain"
        for a, b in zip(red.astype(int).tolist(), round_.astype(int).tolist(), strict=True)
    ]
    np.savez(tmp_path / "f.npz", features=chance.normal(size=(160, 5)), labels=labels)
    words = ["consistency", "--topics", "red and round", "--separator", "|", "--elementary", "--gains", "4"]
    done = run(tmp_path / "f.npz", *words, "--methods", "wu-zhang", "--format", "json")
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.output)["tables"][0]["rows"]
    assert row["AP with, gain 4"] > row["AP without"] + 0.2


def test_stability_of_a_question_is_that_of_its_sessions(features: Path) -> None:
    answer = rankscope.ask_feedback("stability", str(features), methods="rocchio", starts=4, rounds=1)
    results = rankscope.simulate_feedback(str(features), methods="rocchio", starts=4, rounds=1, on="home")
    table = results.table("AP", methods=["rocchio"])
    wanted = stability(table.values[:, 0], table.labels)
    assert answer.tables[0].rows[0]["sd over starts"] == pytest.approx(wanted.sd)
    assert answer.tables[0].rows[0]["share of start"] == pytest.approx(wanted.share_of_start)
