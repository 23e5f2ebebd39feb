"""Saved ranks are read by one loader: what they have no use for is refused alike by every command and in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rankscope
from rankscope.commands.scores import OPTIONS_OF_FILES
from rankscope.core.errors import SettingError
from tests.commands.line.inside import finished, runs_in

GIVEN: dict[str, tuple[str, Any]] = {  # each choice that is about files: its option, and a value
    "junk": ("--junk", "absent.txt"),
    "subtopics": ("--subtopics", "absent.txt"),
    "format": ("--input-format", "csv"),
    "encoding": ("--encoding", "utf-8"),  # the default too, where it is given by hand
    "max_ratio": ("--max-ratio", 100.0),
    "columns": ("--map", "query=q"),
    "map_qrels": ("--map-qrels", "query=q"),
    "map_runs": ("--map-runs", "query=q"),
    "roll_up": ("--roll-up", "^(.*)#"),
}
COMMANDS = {
    "evaluate": (1, ()),
    "compare": (2, ()),
    "gate": (2, ()),
    "report": (1, ("-o", "x.html")),
    "graph": (1, ("-o", "x.svg")),
    "forecast": (1, ("--to", "2x", "--collection-size", "1000")),
    "homogeneity": (1, ()),
}


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(runs_in(tmp_path))
    for name in "ab":
        assert finished("evaluate", "qrels.txt", f"{name}.run", "-o", f"{name}.ranks.parquet").returncode == 0
    return ["a.ranks.parquet", "b.ranks.parquet"]


def test_every_choice_about_files_is_known_here() -> None:
    assert set(GIVEN) == set(OPTIONS_OF_FILES)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_and_python_refuse_the_same_choices_all_at_once(saved: list[str], command: str) -> None:
    count, rest = COMMANDS[command]
    head = [command, "precision-recall"] if command == "graph" else [command]
    asked = [str(word) for option in GIVEN.values() for word in option]
    done = finished(*head, *saved[:count], *rest, *asked)
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert not Path("x.html").exists()
    assert not Path("x.svg").exists()
    options = ", ".join(GIVEN[name][0] for name in OPTIONS_OF_FILES)
    assert f"{options}: saved ranks hold their judgements already" in said


@pytest.mark.parametrize("name", GIVEN)
def test_one_choice_alone_is_refused_by_both(saved: list[str], name: str) -> None:
    option, value = GIVEN[name]
    done = finished("evaluate", saved[0], option, value)
    assert done.returncode == 2
    assert f"{option}: saved ranks hold" in done.stderr.decode()
    with pytest.raises(SettingError, match=f"^{name}: saved ranks hold"):
        rankscope.evaluate(saved[0], **{name: value})


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate", "report", "graph"])
def test_how_comments_were_read_is_fixed_when_ranks_are_saved(saved: list[str], command: str) -> None:
    count, rest = COMMANDS[command]
    head = [command, "precision-recall"] if command == "graph" else [command]
    done = finished(*head, *saved[:count], *rest, "--no-comments")
    assert done.returncode == 2
    assert b"--no-comments: a was ranked with --comments; reduce again from the run file" in done.stderr
    Path("q.run").write_text("#q Q0 d1 1 1 t\n" + Path("a.run").read_text())
    assert finished("evaluate", "qrels.txt", "q.run", "--no-comments", "-o", "q.ranks.parquet").returncode == 0
    again = ["q.ranks.parquet"] * count if count == 1 else ["q.ranks.parquet", saved[1]]
    done = finished(*head, *again, *rest, "--comments")
    assert b"--comments: q was ranked with --no-comments; reduce again from the run file" in done.stderr
    assert finished("evaluate", "q.ranks.parquet", "--no-comments").returncode == 0


def test_both_levels_is_refused_by_both(saved: list[str]) -> None:
    assert b"--both-levels: saved ranks hold" in finished("evaluate", saved[0], "--both-levels").stderr
    with pytest.raises(SettingError, match=r"^both_levels: saved ranks hold"):
        rankscope.evaluate(saved[0], both_levels=True)


def test_the_encoding_of_topics_is_no_choice_about_ranks(saved: list[str]) -> None:
    words = "".join(f"q{q}\tcaf\xe9 {q}\n" for q in range(6))
    Path("topics.tsv").write_bytes(words.encode("latin-1"))
    asked = ("--topics", "topics.tsv", "--encoding", "latin-1")
    done = finished("report", saved[0], *asked, "-o", "x.html")
    assert done.returncode == 0, done.stderr
    assert "caf\xe9" in Path("x.html").read_text()
    assert "caf\xe9" in rankscope.report(saved[0], topics="topics.tsv", encoding="latin-1")
    scores = rankscope.evaluate(saved[0])
    assert "caf\xe9" in rankscope.report(scores, topics="topics.tsv", encoding="latin-1")
    with pytest.raises(SettingError, match=r"^junk: saved ranks hold"):
        rankscope.report(saved[0], topics="topics.tsv", encoding="latin-1", junk="absent.txt")


def test_systems_of_one_name_are_distinguished_by_their_files_in_both(saved: list[str]) -> None:
    files = []
    for place in ("main", "branch"):
        Path(place).mkdir()
        files.append(f"{place}/a.ranks.parquet")
        Path(files[-1]).write_bytes(Path(saved[0]).read_bytes())
    shown = finished("evaluate", *files, "--format", "csv").stdout.decode()
    names = [each.name for each in rankscope.evaluate(files).systems]
    assert names == ["main/a", "branch/a"]
    assert all(name in shown for name in names)
    assert [each.name for each in rankscope.evaluate({"old": files[0], "new": files[1]}).systems] == ["old", "new"]


SUITE = '[[task]]\nname = "t"\nqrels = "qrels.txt"\nruns = { a = "a.run", b = "b.run" }\n'


@pytest.mark.parametrize("source", ["suite", "history"])
def test_a_report_of_a_suite_or_a_history_takes_no_choice_about_runs(saved: list[str], source: str) -> None:
    Path("s.toml").write_text(SUITE)
    assert finished("gate", *saved, "--history", "h.jsonl", "--build", "1").returncode in (0, 1)
    file = {"suite": "s.toml", "history": "h.jsonl"}[source]
    asked = ("--latex", "paper", "--topics", "absent", "--depth", "10", "--system", "x", "--encoding", "latin-1")
    done = finished("report", f"--{source}", file, *asked, "-o", "x.html")
    assert done.returncode == 2
    said = done.stderr.decode()
    assert all(option in said for option in asked[::2])
    assert f"of a report of runs; leave it out, or --{source}" in said
    assert not Path("x.html").exists()
    given: dict[str, Any] = {source: file}
    with pytest.raises(SettingError, match=r"^topics, depth: of a report of runs"):
        rankscope.report(**given, topics="absent", depth=10)
    if source == "history":
        with pytest.raises(SettingError, match=r"^measures, baseline: of a report of runs"):
            rankscope.report(**given, measures=["AP"], baseline="a")
    assert finished("report", f"--{source}", file, "--title", "T", "-o", "x.html").returncode == 0
    assert "T</title>" in rankscope.report(**given, title="T")
