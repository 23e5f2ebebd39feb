"""`--sequential` as pipelines call it: exit codes, the file of looks, and what is refused."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope.commands.line.exits import exit_code
from rankscope.commands.line.main import cli
from rankscope.core.files import one_after_the_other

QUERIES = 40


def run_text(place: int, count: int) -> str:
    """The relevant item of each query at this place among five."""
    items = [f"x{n}" for n in range(1, 5)]
    items.insert(place - 1, "r")
    return "".join(f"q{q:02} Q0 {item} {n} {9 - n} t\n" for q in range(count) for n, item in enumerate(items, 1))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text("".join(f"q{q:02} 0 r 1\n" for q in range(QUERIES)))
    for name, place, count in (("old", 2, 40), ("worse", 4, 40), ("better", 1, 40), ("few", 4, 4), ("third", 3, 40)):
        (tmp_path / f"{name}.run").write_text(run_text(place, count))
    (tmp_path / "few-old.run").write_text(run_text(2, 4))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def look(command: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [command, "qrels.txt", *arguments, "--quiet"])


def exit_code_of(done: Result) -> int:
    """As the whole program ends."""
    return done.exit_code if done.exception is None else exit_code(done.exception)


@pytest.mark.parametrize(
    ("runs", "undecided", "code", "begins"),
    [
        (("old.run", "worse.run"), (), 1, "decided worse: RR changed by -.250 (worse) ["),
        (("old.run", "better.run"), ("--undecided", "3"), 0, "decided better: RR changed by +.500 (better) ["),
        (("few-old.run", "few.run"), (), 0, "not yet: RR changed by -.250 (worse) ["),
        (("few-old.run", "few.run"), ("--undecided", "3"), 3, "not yet: RR changed by -.250 (worse) ["),
    ],
)
def test_exit_code_1_only_where_it_is_decided_worse(
    folder: Path, runs: tuple[str, ...], undecided: tuple[str, ...], code: int, begins: str
) -> None:
    done = look("gate", *runs, "-m", "RR", "--sequential", "looks.json", *undecided)
    assert done.exit_code == code, done.output
    assert done.stdout.startswith(begins)


def test_files_may_grow_and_each_query_counts_once(folder: Path) -> None:
    few = look("gate", "few-old.run", "few.run", "-m", "RR", "--sequential", "looks.json", "--format", "json")
    assert json.loads(few.stdout)["decision"] == "not yet"
    assert json.loads(few.stdout)["checks"][0]["units_needed"] > 0
    whole = look("gate", "old.run", "worse.run", "-m", "RR", "--sequential", "looks.json", "--format", "json")
    found = json.loads(whole.stdout)
    assert (whole.exit_code, found["looks"], found["new"], found["again"]) == (1, 2, 36, 4)


def test_queries_that_are_not_there_yet_are_no_missing_answers(folder: Path) -> None:
    whole = ("qrels.txt", "few-old.run", "few.run", "-m", "RR", "--sequential", "looks.json")
    done = CliRunner().invoke(cli, ["gate", *whole])
    assert done.stdout.startswith("not yet: RR changed by -.250 (worse) [")
    assert "missing" not in done.stderr
    assert "count as 0" not in done.stdout


def test_another_baseline_ends_with_2_and_leaves_the_file(folder: Path) -> None:
    look("gate", "old.run", "worse.run", "-m", "RR", "--sequential", "looks.json")
    before = (folder / "looks.json").read_bytes()
    done = look("gate", "third.run", "worse.run", "-m", "RR", "--sequential", "looks.json")
    assert exit_code_of(done) == 2
    assert "rests on another baseline than third" in str(done.exception)
    assert (folder / "looks.json").read_bytes() == before
    again = look("gate", "old.run", "better.run", "-m", "RR", "--sequential", "looks.json")
    assert again.exit_code == 0
    assert "! better answers otherwise than before: a new candidate, which starts anew with its own 5%" in again.stdout


@pytest.mark.parametrize(
    ("command", "more", "says"),
    [
        ("gate", ("--sequential", "s.json", "--rule", "beyond"), "--rule: of the gate"),
        ("gate", ("--sequential", "s.json", "--self-test"), "--self-test: of the gate"),
        ("gate", ("--sequential", "s.json", "--history", "h.jsonl", "--build", "1"), "--history: of the gate"),
        ("gate", ("--sequential", "qrels.txt"), "this command reads it"),
        ("compare", ("--sequential", "s.json", "--test", "tukey", "--resamples", "500"), "--resamples, --test: of a"),
        ("compare", ("--sequential", "s.json", "-o", "table.tex"), "the format latex: of a comparison"),
        ("gate", ("-o", "looks.svg"), "writes no .svg file"),
        ("compare", ("--sequential", "s.json", "-o", "page.html"), "writes no .html file"),
    ],
)
def test_what_belongs_to_a_single_look_is_refused(folder: Path, command: str, more: tuple[str, ...], says: str) -> None:
    done = look(command, "old.run", "worse.run", "-m", "RR", *more)
    assert exit_code_of(done) == 2
    assert says in f"{done.exception}{done.output}"
    assert not (folder / "s.json").exists()


def test_a_comparison_of_three_in_markdown(folder: Path) -> None:
    done = look("compare", "old.run", "worse.run", "better.run", "-m", "RR", "--sequential", "s.json", "-o", "s.md")
    assert done.exit_code == 0, done.output
    text = (folder / "s.md").read_text()
    assert text.startswith("### 3 of 3 pairs decided on 40 queries\n")
    assert text.count("**decided ") == 3
    assert "one family of 3: each has its part of the 5% (Bonferroni)" in text


def test_writers_of_one_folder_come_one_after_the_other(tmp_path: Path) -> None:
    order: list[str] = []
    waiting = threading.Event()

    def second() -> None:
        waiting.set()
        with one_after_the_other(tmp_path / "state.json"):
            order.append("second")

    other = threading.Thread(target=second)
    with one_after_the_other(tmp_path / "state.json"):
        other.start()
        waiting.wait(5)
        other.join(0.2)
        order.append("first")
    other.join(5)
    assert order == ["first", "second"]
    assert list(tmp_path.iterdir()) == []


def test_all_looks_are_drawn(folder: Path) -> None:
    look("gate", "few-old.run", "few.run", "-m", "RR", "--sequential", "looks.json")
    done = look("gate", "old.run", "worse.run", "-m", "RR", "--sequential", "looks.json", "-o", "looks.svg")
    assert done.exit_code == 1
    assert done.stdout.startswith("decided worse: RR changed by -.250 (worse) [")
    drawn = (folder / "looks.svg").read_text()
    again = look("gate", "old.run", "worse.run", "-m", "RR", "--sequential", "looks.json", "-o", "looks.svg")
    assert again.exit_code == 1, again.output
    assert "RR: worse minus old" in drawn
    assert "2 looks; band: limits that hold at all of them together" in drawn
