"""`rankscope prefer`: answers from files and projects, interleaved lists and their clicks, and mistakes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope import interleave_runs, prefer
from rankscope.commands.line.main import cli
from rankscope.workbench.preferences import Comparing, mark_of_choice
from tests.workbench.projects import small_project


def called(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments])


def answers(folder: Path, form: str = "csv") -> Path:
    """The worked example: 14 won, 6 lost, 10 ties."""
    said = ["right"] * 14 + ["left"] * 6 + ["tie"] * 10
    rows = [{"query": f"q{place}", "left": "old", "right": "new", "choice": each} for place, each in enumerate(said)]
    path = folder / f"answers.{form}"
    if form == "csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_answers_from_a_file(tmp_path: Path, form: str) -> None:
    told = json.loads(called("prefer", "score", answers(tmp_path, form), "--format", "json").output)
    (row,) = told["rows"]
    assert (row["first"], row["second"]) == ("new", "old")
    assert (row["won"], row["lost"], row["tied"]) == (6, 14, 10)
    assert row["win rate"] == pytest.approx(1 - 0.633333, abs=1e-6)
    assert row["p (sign)"] == pytest.approx(0.115318, abs=5e-7)
    assert (
        told["words"][0]
        == "No significant preference between new and old: old won 6 answers, lost 14, tied 10; 30 queries."
    )


def test_a_system_may_be_named_and_classes_have_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("topic,a,b,winner\n" + "".join(f"q{n},x,y,y\n" for n in range(20)))
    (tmp_path / "k.csv").write_text("query,class\n" + "".join(f"q{n},{'st'[n % 2]}\n" for n in range(20)))
    shown = called("prefer", "score", tmp_path / "a.csv", "--by", tmp_path / "k.csv")
    assert "y is preferred to x: y won 20 answers, lost 0, tied 0; 20 queries." in shown.output
    assert [line.split()[2] for line in shown.output.splitlines() if line.startswith("x  ")] == ["all", "s", "t"]


def test_answers_of_a_project(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        folder, ann = project.folder, project.invite("ann").assessor.id
        for place, shown in enumerate(Comparing.of(project).plan(ann, "side by side")):
            project.save(mark_of_choice(ann, f"k{place}", shown, "left"))
    result = called("prefer", "score", folder)
    assert result.exit_code == 0, result.output
    assert result.output.count("No significant preference between") == 3
    assert "left of all" in result.output


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    for name, shift in (("one", 0), ("two", 3)):
        lines = [f"q{q} Q0 d{(i + shift) % 12} 0 {-i} x\n" for q in range(12) for i in range(12)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return [tmp_path / "one.run", tmp_path / "two.run"]


@pytest.mark.parametrize("method", ["team-draft", "balanced"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_clicks_in_interleaved_lists_find_the_run_that_people_like(
    tmp_path: Path, runs: list[Path], method: str, form: str
) -> None:
    lists = tmp_path / f"lists.{form}"
    done = called("prefer", "interleave", *runs, "-o", lists, "--method", method, "--impressions", 2)
    assert done.exit_code == 0, done.output
    assert "24 lists of 12 queries" in done.output
    first = lists.read_bytes()
    called("prefer", "interleave", *runs, "-o", lists, "--method", method, "--impressions", 2)
    assert lists.read_bytes() == first
    rows = interleave_runs(*map(str, runs), method=method, impressions=2)
    liked = [row for row in rows if row["second"] and row["second"] <= 3]  # type: ignore[operator]
    clicks = tmp_path / "clicks.csv"
    clicks.write_text(
        "query,item,impression\n" + "".join(f"{r['query']},{r['item']},{r['impression']}\n" for r in liked)
    )
    shown = called("prefer", "clicks", lists, clicks)
    assert "two is preferred to one" in shown.output


def test_lists_of_a_run_that_is_a_moved_one_keep_the_order_of_the_names(tmp_path: Path, runs: list[Path]) -> None:
    """Every item is in both runs: only the names in the file say which is the first."""
    lists = tmp_path / "lists.csv"
    called("prefer", "interleave", *runs, "-o", lists, "--depth", 12)
    (tmp_path / "clicks.csv").write_text("query,item\nq0,d3\n")
    told = json.loads(called("prefer", "clicks", lists, tmp_path / "clicks.csv", "--format", "json").output)
    assert (told["rows"][0]["first"], told["rows"][0]["second"]) == ("one", "two")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("query,left,right,choice\nq1,a,b,best\nq2,a,a,left\n", ["line 2", "got 'best'", "line 3", "both 'a'"]),
        ("query,left,right\nq1,a,b\n", ["no column for the choice"]),
        ("query,left,right,choice\n", ["no preferences"]),
        ("", ["empty"]),
    ],
)
def test_bad_answers_are_told_whole(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "a.csv").write_text(text)
    found = called("prefer", "score", tmp_path / "a.csv")
    assert found.exit_code != 0
    assert [word for word in words if word not in f"{found.output}{found.exception}"] == []


def test_bad_lists_and_clicks_are_told(tmp_path: Path, runs: list[Path]) -> None:
    lists = tmp_path / "lists.csv"
    assert "lists are written as" in str(called("prefer", "interleave", *runs, "-o", tmp_path / "l.txt").exception)
    called("prefer", "interleave", *runs, "-o", lists)
    (tmp_path / "clicks.csv").write_text("query,item\nq0,nothing\nq77,d3\n")
    told = str(called("prefer", "clicks", lists, tmp_path / "clicks.csv").exception)
    assert "'nothing' was not shown for query 'q0'" in told
    assert "'d3' was not shown for query 'q77'" in told
    lists.write_text(lists.read_text().replace("q0,1,1,", "q0,1,x,"))
    assert "rank must be a whole number" in str(called("prefer", "clicks", lists, tmp_path / "clicks.csv").exception)


def test_python_and_the_command_say_the_same(tmp_path: Path) -> None:
    path = answers(tmp_path)
    told = json.loads(called("prefer", "score", path, "--format", "json").output)
    assert told["rows"] == [each.row() for each in prefer(str(path)).rates]
