"""`rankscope project`: from nothing to judgements with provenance, by commands alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError
from rankscope.workbench.project import Project
from tests.workbench.projects import judge_all, write_sources


def rankscope(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["project", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three runs of twelve texts, and a project of them."""
    write_sources(tmp_path)
    monkeypatch.chdir(tmp_path)
    runs = [part for number in range(3) for part in ("--runs", f"r{number}.run")]
    made = rankscope("new", "judging", "--texts", "docs.jsonl", "--topics", "topics.tsv", *runs, "--grades", "0,1")
    assert made.exit_code == 0, made.output
    assert "judging: 14 items, 2 queries, 3 runs" in made.output
    return tmp_path


def test_paths_are_kept_relative_so_that_both_folders_can_move(folder: Path) -> None:
    text = (folder / "judging" / "project.toml").read_text()
    assert 'texts = "../docs.jsonl"' in text
    assert str(folder) not in text


def test_from_a_pool_to_judgements(folder: Path) -> None:
    pooled = rankscope("pool", "judging", "--method", "sample(1-1:all, 2-5:50%)")
    assert "pool 1: sample(1-1:all,2-5:50%), 2 queries, 14 to judge\n" in pooled.output
    link = rankscope("invite", "judging", "Ann").stdout.strip()
    assert link.startswith("http://127.0.0.1:8384/enter/")
    with Project.open(folder / "judging") as project:
        found = project.assessor_of_token(link.rpartition("/")[2])
        assert found is not None
        assert found.name == "Ann"
        judge_all(project, found.id)
    done = rankscope("export", "judging", "-o", "qrels.txt", "--probabilities", "--journal", "journal.jsonl")
    assert "qrels.txt: 14 judged, 10 pooled and not judged" in done.output
    assert json.loads((folder / "qrels.txt.provenance.json").read_text())["pairs"]["judged"] == 14
    assert rankscope("import", "judging", "journal.jsonl").output.startswith("0 new events; journal ")
    assert rankscope("import", "judging", "qrels.txt", "--assessor", "Bob").exit_code == 0
    assert "is let in no more" in rankscope("invite", "judging", "Ann", "--revoke").output
    assert rankscope("backup", "judging", "-o", "copy.db").exit_code == 0


def test_a_sum_says_how_many_there_are_to_choose_from(folder: Path) -> None:
    done = rankscope("pool", "judging", "--method", "bandit(5) + sample(1-5:50%)", "--budget", 4)
    assert "pool 1: bandit(5) + sample(1-5:50%), 2 queries, 24 to choose from" in done.output


def test_a_guideline_has_versions(folder: Path) -> None:
    (folder / "guideline.md").write_text("Relevant is what helps.")
    assert "guideline 1" in rankscope("guideline", "judging", "guideline.md").output
    assert "guideline 1" in rankscope("guideline", "judging", "guideline.md").output
    (folder / "guideline.md").write_text("Relevant is what helps much.")
    assert "guideline 2" in rankscope("guideline", "judging", "guideline.md").output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["new", "judging", "--texts", "docs.jsonl"], "holds a project already"),
        (["new", "other"], "give images or texts"),
        (["new", "other", "--texts", "docs.jsonl", "--grades", "0,x"], "must each be a whole number"),
        (["new", "other", "--texts", "nothing.jsonl", "--runs", "r9.run"], "r9.run"),
        (["pool", "judging", "--method", "depht(3)"], "did you mean 'depth'"),
        (["pool", "judging", "--method", "depth(3)", "--budget", "3"], "takes no budget"),
        (["pool", "nowhere", "--method", "depth(3)"], "is no project"),
        (["invite", "judging", "project"], "choose another name"),
        (["invite", "judging", "Zoe", "--revoke"], "no assessor 'Zoe'"),
        (["import", "judging", "topics.tsv"], "--assessor NAME"),
        (["export", "judging"], "-o FILE"),
        (["export", "judging", "-o", "q.txt", "--probabilities"], "there is no pool"),
        (["export", "judging", "-o", "q.txt", "--assessor", "Zoe"], "no assessor 'Zoe'"),
        (["pool", "judging", "--method", "depth(3)", "--database", "judging"], "is no address of a database"),
    ],
)
def test_what_cannot_be_is_told(folder: Path, arguments: list[str], words: str) -> None:
    done = rankscope(*arguments)
    assert isinstance(done.exception, RankscopeError)
    assert words in str(done.exception)
    assert not (folder / "other").exists()


def test_where_assessors_differ_the_option_is_named(folder: Path) -> None:
    with Project.open(folder / "judging") as project:
        project.import_labels({"q1": {"a": 1}}, "Ann")
        project.import_labels({"q1": {"a": 0}}, "Bob")
    done = rankscope("export", "judging", "-o", "qrels.txt")
    assert str(done.exception).splitlines() == [
        "assessors differ, and 'majority' does not decide: 1 problem",
        "  query q1, item a: Ann 1, Bob 0",
        "Decide them on the page Adjudicate, give --open lower|higher|leave-out, or choose whose judgements to export: "
        "--assessor NAME.",
    ]
    assert not (folder / "qrels.txt").exists()
    assert rankscope("export", "judging", "-o", "qrels.txt", "--assessor", "Bob").exit_code == 0
