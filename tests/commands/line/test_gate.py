"""`rankscope gate` as people and their build servers call it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankscope.commands.line.main import cli
from rankscope.core.errors import InputError, SettingError
from rankscope.ranks.storage import load_ranks, save_ranks

QUERIES = 30


def run_lines(places: list[list[int]], queries: range, tag: str) -> str:
    """Twenty items for each query; relevant ones at these places."""
    lines = []
    for query in queries:
        relevant = iter(f"r{number}" for number in range(3))
        for place in range(1, 21):
            item = next(relevant) if place in places[query] else f"n{place}"
            lines.append(f"q{query:02} Q0 {item} {place} {100 - place} {tag}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Judgements, a run, one like it, one much worse, and one that answered half of the queries."""
    chance = np.random.default_rng(0)
    places = [sorted(chance.choice(range(1, 9), 3, replace=False).tolist()) for _ in range(QUERIES)]
    like = [sorted(chance.choice(range(1, 9), 3, replace=False).tolist()) for _ in range(QUERIES)]
    worse = [[each + 6 for each in some] for some in places]
    judged = "".join(f"q{query:02} 0 r{number} 1\n" for query in range(QUERIES) for number in range(3))
    (tmp_path / "qrels.txt").write_text(judged)
    for name, some, answered in (
        ("old", places, range(QUERIES)),
        ("like", like, range(QUERIES)),
        ("worse", worse, range(QUERIES)),
        ("half", places, range(15)),
    ):
        (tmp_path / f"{name}.run").write_text(run_lines(some, answered, name))
    (tmp_path / "other.run").write_text(run_lines(places, range(QUERIES), "other").replace("q", "x"))
    return tmp_path


def saved(folder: Path, name: str) -> Path:
    target = folder / f"{name}.ranks.parquet"
    files = [str(each) for each in (folder / "qrels.txt", folder / f"{name}.run", "-o", target)]
    CliRunner().invoke(cli, ["evaluate", *files], catch_exceptions=False)
    return target


def called(folder: Path, *arguments: str) -> Result:
    files = [
        str(folder / each) if each.endswith((".run", ".txt", ".parquet", ".md", ".csv")) else each for each in arguments
    ]
    return CliRunner().invoke(cli, ["gate", *files], catch_exceptions=False)


def test_a_candidate_like_the_baseline_is_undecided_with_its_reason(folder: Path) -> None:
    done = called(folder, "qrels.txt", "old.run", "like.run", "-m", "AP", "--min-effect", "0.01", "--quiet")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].startswith("undecided: AP changed by ")
    assert "on 30 queries; " in done.stdout
    assert "30 queries catch a true loss of ." in done.stdout


@pytest.mark.parametrize(("format", "kept"), [("text", False), ("markdown", False), ("json", True)])
def test_quiet_leaves_out_what_people_are_warned_of(folder: Path, format: str, kept: bool) -> None:
    arguments = ("qrels.txt", "old.run", "like.run", "-m", "AP", "--format", format)
    loud, quiet = called(folder, *arguments).stdout, called(folder, *arguments, "--quiet").stdout
    remark = "no test can see it"
    assert remark in loud
    assert (remark in quiet) == kept
    called(folder, *arguments, "--quiet", "-o", "gate.md")
    assert (folder / "gate.md").read_text() == quiet


def test_a_candidate_that_is_worse_fails(folder: Path) -> None:
    done = called(folder, "qrels.txt", "old.run", "worse.run", "-m", "nDCG@10")
    assert done.exit_code == 1
    assert done.stdout.startswith("fail: nDCG@10 changed by -.")
    assert "a loss is shown, its mean is beyond .01" in done.stdout


def test_a_loss_that_does_not_matter_passes(folder: Path) -> None:
    done = called(folder, "qrels.txt", "old.run", "worse.run", "--min-effect", "0.9")
    assert done.exit_code == 0
    assert "pass: " in done.stdout
    assert "a loss is shown, one beyond .9 is ruled out" in done.stdout


@pytest.mark.parametrize(("more", "code"), [((), 0), (("--undecided", "0"), 0), (("--undecided", "3"), 3)])
def test_what_is_undecided_ends_as_asked(folder: Path, more: tuple[str, ...], code: int) -> None:
    done = called(folder, "qrels.txt", "old.run", "like.run", "-m", "AP", "--min-effect", "0.01", *more)
    assert (done.exit_code, done.stdout[:11]) == (code, "undecided: ")
    for candidate, same in (("worse.run", 1), ("old.run", 0)):
        assert called(folder, "qrels.txt", "old.run", candidate, "-m", "AP", *more).exit_code == same


def test_by_the_rule_beyond_a_loss_fails_that_is_shown_to_be_beyond(folder: Path) -> None:
    files = ("qrels.txt", "old.run", "worse.run", "-m", "AP", "--format", "json", "--quiet")
    (check,) = json.loads(called(folder, *files).stdout)["checks"]
    between = -(check["change"] + check["high"]) / 2  # a smallest effect between the mean and its upper limit
    for rule, code, finding in (("mean", 1, "its mean is beyond"), ("beyond", 0, "but none beyond")):
        done = called(folder, *files[:-2], "text", "--min-effect", str(between), "--rule", rule)
        assert (done.exit_code, finding in done.stdout) == (code, True)
    done = called(folder, *files, "--min-effect", str(-check["high"] / 2), "--rule", "beyond")
    whole = json.loads(done.stdout)
    assert (done.exit_code, whole["verdict"], whole["rule"]) == (1, "fail", "beyond")
    assert "a loss beyond" in whole["reason"]
    assert whole["reason"].endswith("is shown")


def test_the_whole_program_ends_with_the_code(folder: Path) -> None:
    command = [sys.executable, "-m", "rankscope", "gate", "qrels.txt", "old.run"]
    for candidate, code in (("like.run", 0), ("worse.run", 1), ("nothing.run", 2)):
        done = subprocess.run([*command, candidate], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr


def test_several_measures_must_all_pass(folder: Path) -> None:
    done = called(folder, "qrels.txt", "old.run", "worse.run", "-m", "AP,P@20", "-m", "RR", "--min-effect", "0.01")
    assert done.exit_code == 1
    assert done.stdout.startswith("fail: 2 of 3 checks: AP changed by")
    assert "  pass: P@20 changed by +.000" in done.stdout
    assert "family of 3 tests" in done.stdout


def test_programs_get_json_and_pages_markdown(folder: Path) -> None:
    whole = json.loads(called(folder, "qrels.txt", "old.run", "worse.run", "--format", "json", "--quiet").stdout)
    assert (whole["format"], whole["verdict"], whole["checks"][0]["queries"]) == ("rankscope.gate", "fail", 30)
    done = called(folder, "qrels.txt", "old.run", "like.run", "-o", "gate.md", "--self-test=100")
    assert done.stdout.count("\n") == 1
    assert (folder / "gate.md").read_text().startswith("### Gate: undecided, `like` against `old`")
    assert "false alarms in 100 trials" in (folder / "gate.md").read_text()


def test_the_self_test_says_how_often_it_errs(folder: Path) -> None:
    done = called(folder, "qrels.txt", "old.run", "like.run", "--self-test")
    assert "false alarms in 1,000 trials with labels swapped at random" in done.stdout


def test_saved_ranks_need_no_judgements(folder: Path) -> None:
    saved(folder, "old")
    saved(folder, "worse")
    done = called(folder, "old.ranks.parquet", "worse.ranks.parquet", "-m", "AP")
    assert done.exit_code == 1


def test_queries_that_the_candidate_did_not_answer_are_told(folder: Path) -> None:
    done = called(folder, "qrels.txt", "old.run", "half.run", "-m", "AP")
    assert done.exit_code == 1
    assert "half did not answer 15 queries that old answered; they count as 0" in done.stdout
    answered = called(folder, "qrels.txt", "old.run", "half.run", "-m", "AP", "--queries", "answered")
    assert answered.exit_code == 0
    assert "left out: 15 queries with a value for one system only" in answered.stdout


def test_a_system_that_did_not_run_has_not_scored_zero(folder: Path) -> None:
    with pytest.raises(InputError, match="no query of the run is judged"):
        called(folder, "qrels.txt", "old.run", "other.run")
    ranks = load_ranks(saved(folder, "old"))
    silent = replace(ranks.cut(0), answered=np.zeros_like(ranks.answered), distractors=None, system="nothing")
    save_ranks(silent, folder / "nothing.ranks.parquet")
    with pytest.raises(SettingError, match="nothing answered none of 30 judged queries: it did not run"):
        called(folder, "old.ranks.parquet", "nothing.ranks.parquet")


def test_classes_are_checked_each(folder: Path) -> None:
    rows = "".join(f"q{query:02},{'short' if query < 15 else 'long'}\n" for query in range(QUERIES))
    (folder / "classes.csv").write_text("query,class\n" + rows)
    done = called(folder, "qrels.txt", "old.run", "half.run", "-m", "AP", "--by", "classes.csv")
    assert done.exit_code == 1
    assert "fail: AP of long changed by" in done.stdout
    assert "pass: AP of short changed by +.000" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("qrels.txt", "old.run"), "compares two systems"),
        (("qrels.txt", "old.run", "like.run", "worse.run"), "got 4 files"),
        (("qrels.txt", "old.run", "like.run", "--format", "html"), "There are: text, json, markdown"),
        (("qrels.txt", "old.run", "like.run", "-m", "num_ret"), "means over queries"),
        (("qrels.txt", "old.run", "like.run", "--mean", "geometric"), "means over queries"),
        (("old.ranks.parquet", "old.run", "like.run"), "hold their judgements already"),
    ],
)
def test_what_cannot_be_compared_is_a_clear_error(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        called(folder, *arguments)


def test_four_queries_are_too_few(folder: Path) -> None:
    few = "".join(line + "\n" for line in (folder / "qrels.txt").read_text().splitlines() if line < "q04")
    (folder / "few.txt").write_text(few)
    with pytest.raises(SettingError, match="4 queries cannot show a loss"):
        called(folder, "few.txt", "old.run", "worse.run")
