"""`rankscope agreement`: files and projects, the order of systems, merging, and what is said to mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rankscope import agreement, evaluate
from rankscope.commands.line.main import cli
from tests.workbench.projects import small_project

QUERIES = range(15)


def called(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments], standalone_mode=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ann and Bob differ about every fifth item; Eve is Bob turned round. Two runs, and classes of queries."""
    where = tmp_path_factory.mktemp("agree")
    for name, differs in (("ann", 0), ("bob", 1)):
        lines = [f"q{q} 0 d{i} {(q + i + differs * (i % 5 == 0)) % 3}\n" for q in QUERIES for i in range(8)]
        (where / f"{name}.txt").write_text("".join(lines))
    (where / "eve.txt").write_text("".join(f"q{q} 0 d{i} {2 - (q + i) % 3}\n" for q in QUERIES for i in range(8)))
    for name, sign in (("up", 1), ("down", -1)):
        lines = [f"q{q} Q0 d{i} 0 {sign * ((q + i) % 3) + i / 100} {name}\n" for q in QUERIES for i in range(8)]
        (where / f"{name}.run").write_text("".join(lines))
    (where / "kinds.csv").write_text("query,class\n" + "".join(f"q{q},{'xy'[q % 2]}\n" for q in QUERIES))
    return where


def files(folder: Path, *names: str) -> list[str]:
    return [str(folder / name) for name in names]


def test_the_tables_and_their_words(folder: Path) -> None:
    shown = called("agreement", *files(folder, "ann.txt", "bob.txt"), "--by", folder / "kinds.csv")
    assert shown.exit_code == 0, shown.output
    for title in ("Every two assessors", "All together", "By class, every two assessors"):
        assert title in shown.output
    value = agreement(files(folder, "ann.txt", "bob.txt")).two[0]["kappa"].value
    assert f"{value:.4f}" in shown.output


def test_json_has_every_coefficient_with_its_limits(folder: Path) -> None:
    told = json.loads(called("agreement", *files(folder, "ann.txt", "bob.txt", "eve.txt"), "--format", "json").output)
    assert told["format"] == "rankscope.agreement"
    assert {(row["assessors"], row["coefficient"]) for row in told["two"]} >= {("ann, bob", "AC2, quadratic")}
    found = agreement(files(folder, "ann.txt", "bob.txt", "eve.txt"))
    expected = {each.name: each.low for each in found.together.coefficients}
    assert {row["coefficient"]: row["low"] for row in told["together"]} == pytest.approx(expected)


def test_verdicts_that_turn_round_are_said_aloud(folder: Path) -> None:
    runs = ["--runs", folder / "up.run", "--runs", folder / "down.run"]
    shown = called("agreement", *files(folder, "ann.txt", "eve.txt"), *runs, "-m", "nDCG@3")
    assert "! verdicts turn round between ann and eve (1)" in shown.output
    same = called("agreement", *files(folder, "ann.txt", "bob.txt"), *runs, "-m", "nDCG@3")
    assert "No verdict turns round: 1 of 1 stand under both assessors, 0 under one alone" in same.output


def test_merged_judgements_are_written_with_where_they_come_from(folder: Path, tmp_path: Path) -> None:
    paths, target = files(folder, "ann.txt", "bob.txt", "eve.txt"), tmp_path / "merged.txt"
    stopped = called("agreement", *paths, "--merge", "majority", "-o", target)
    assert stopped.exit_code != 0
    assert not target.exists()
    done = called("agreement", *paths, "--merge", "majority", "--open", "leave-out", "-o", target)
    assert done.exit_code == 0, done.output
    evaluate(str(target), str(folder / "up.run"), "AP")
    told = json.loads(Path(f"{target}.provenance.json").read_text())
    assert [each["assessor"] for each in told["sources"]] == ["ann", "bob", "eve"]
    assert len(target.read_text().splitlines()) + told["left out"] == 15 * 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ann.txt"], "needs two assessors"),
        (["ann.txt", "bob.txt", "--merge", "majority"], "belong together"),
        (["ann.txt", "bob.txt", "--merge", "mode", "-o", "OUT.txt"], "no rule 'mode'"),
        (["ann.txt", "nowhere.txt"], "nowhere.txt"),
        (["ann.txt", "bob.txt", "--runs", "up.run"], "two runs at least"),
        (["ann.txt", "bob.txt", "--merge", "weighted(zoe=2)", "-o", "OUT.txt"], "no assessor 'zoe'"),
    ],
)
def test_mistakes_are_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(folder)
    found = called("agreement", *(each.replace("OUT", str(tmp_path / "out")) for each in arguments))
    assert found.exit_code != 0
    assert words in f"{found.output}{found.exception}"


def test_a_project_by_both_ways(tmp_path: Path) -> None:
    with small_project(tmp_path, per_item=2, repeat=0.0) as project:
        project.make_pool("depth(5)")
        for name, shift in (("ann", 0), ("bob", 1)):
            who = project.invite(name).assessor.id
            for place, item in enumerate("abcdefghijk"):
                project.grade(who, "q1", item, (place + shift * (place == 3)) % 3)
        project.import_labels({"q1": dict.fromkeys("abcd", 1)}, "robot", "machine")
        folder = project.folder
    one, two = called("agreement", folder), called("project", "agreement", folder)
    assert one.exit_code == 0, one.output
    assert one.output == two.output
    assert "Order of systems, AP" in one.output
    assert "Machines against people together" in one.output
    told: dict[str, Any] = json.loads(called("project", "agreement", folder, "--format", "json").output)
    assert {row["assessors"] for row in told["machines"]} == {"robot, people together"}


def test_a_project_where_nobody_has_judged_is_told(tmp_path: Path) -> None:
    with small_project(tmp_path) as project:
        folder = project.folder
    assert "no two assessors" in str(called("agreement", folder).exception)


@pytest.mark.thorough
def test_a_report_has_the_agreement_of_assessors_and_the_order_of_systems(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    runs = files(folder, "up.run", "down.run")
    people = [part for name in ("ann.txt", "eve.txt") for part in ("--assessor", folder / name)]
    done = called("report", folder / "ann.txt", *runs, "-m", "nDCG@3", *people, "-o", page, "--quiet")
    assert done.exit_code == 0, done.output
    text = page.read_text()
    found = agreement(files(folder, "ann.txt", "eve.txt"), runs, "nDCG@3")
    assert "Would another assessor say the same?" in text
    assert f"{found.two[0]['kappa'].value:.4f}" in text
    assert f"{found.orders[0].tau:.4f}" in text
    assert "verdicts turn round between ann and eve" in text
    called("report", folder / "ann.txt", *runs, "-m", "nDCG@3", "-o", page, "--quiet")
    assert "Would another assessor" not in page.read_text()
