"""`rankscope components`, `plan` and `stability`: what they take, what they print, and what is said to mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError

QUERIES, ITEMS = range(12), range(40)


def called(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments], standalone_mode=True)


def told(done: Result) -> str:
    """What is printed, or what `rankscope` would print of the error."""
    return f"{done.output}{done.exception or ''}"


def fill(where: Path) -> None:
    """Three assessors who differ, four runs of two systems, a table of lengths and one of classes."""
    chance = np.random.default_rng(7)
    truth = chance.random((12, 40)) < 0.25
    truth[:, 0] = True
    for name in ("qrels", "ann", "bob", "eve"):
        marks = truth ^ (chance.random(truth.shape) < (0 if name == "qrels" else 0.08))
        lines = [f"q{q} 0 d{i} {int(marks[q, i])}\n" for q in QUERIES for i in ITEMS]
        (where / f"{name}.txt").write_text("".join(lines))
    for name, noise in (("bm25", 1.2), ("dense", 0.9), ("dense2", 0.9), ("dense3", 0.9)):
        scores = truth + chance.normal(0, noise, truth.shape)
        lines = [f"q{q} Q0 d{i} 0 {scores[q, i]:.6f} {name}\n" for q in QUERIES for i in ITEMS]
        (where / f"{name}.run").write_text("".join(lines))
    (where / "lengths.csv").write_text("query,length\n" + "".join(f"q{q},{1 + q % 4}\n" for q in QUERIES))
    (where / "kinds.csv").write_text("query,class\n" + "".join(f"q{q},{'xyz'[q % 3]}\n" for q in QUERIES))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("plan")
    fill(where)
    return where


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


PEOPLE = ("--assessor", "ann.txt", "--assessor", "bob.txt", "--assessor", "eve.txt")
BOTH = ("qrels.txt", "bm25.run", "dense.run")


def test_components_of_systems_and_of_their_difference(here: Path) -> None:
    shown = called("components", *BOTH, "--by", "kinds.csv", "--explain-by", "lengths.csv", "--covariate", "class-size")
    assert shown.exit_code == 0, shown.output
    for words in (
        "AP of bm25",
        "AP of dense",
        "AP, dense minus bm25",
        "length",
        "class-size (log 2)",
        "query ",
        "class",
    ):
        assert words in shown.output


def test_assessors_and_seeds_have_components_of_their_own(here: Path) -> None:
    told = json.loads(called("components", "bm25.run", "dense.run", *PEOPLE, "--format", "json").output)
    assert [row["source"] for row in told["parts"][2]["components"]] == ["query", "assessor", "query x assessor"]
    found = rankscope.variance_components(
        runs={"bm25": "bm25.run", "dense": "dense.run"}, assessors=["ann.txt", "bob.txt", "eve.txt"]
    )
    assert told["parts"][2]["error"] == pytest.approx(found[2].error)
    seeds = ("old=bm25.run", "new=dense.run", "new=dense2.run", "new=dense3.run")
    parts = json.loads(called("components", "qrels.txt", *seeds, "--format", "json").output)["parts"]
    assert {part["of"]: [row["source"] for row in part["components"]] for part in parts} == {
        "AP of old": ["query"],
        "AP of new": ["query", "seed", "query x seed"],
        "AP, new minus old": ["query"],
    }


def test_a_table_of_values_gives_what_its_files_give(here: Path) -> None:
    done = called("evaluate", *BOTH, "-m", "AP", "--per-query", "--format", "csv", "-o", "values.csv")
    assert done.exit_code == 0, done.output
    from_table = rankscope.variance_components("values.csv")
    from_files = rankscope.variance_components("qrels.txt", ["bm25.run", "dense.run"])
    assert [each.what for each in from_table] == [each.what for each in from_files]
    assert [each.error for each in from_table] == pytest.approx([each.error for each in from_files], abs=1e-6)
    frame = pl.DataFrame({"query": ["a", "a", "b", "b"], "seed": [1, 2, 1, 2], "value": [0.1, 0.2, 0.4, 0.5]})
    assert rankscope.variance_components(frame)[0].sizes == {"query": 2, "seed": 2}


def test_the_collection_is_a_source_too(here: Path) -> None:
    drawn = rankscope.variance_components("qrels.txt", ["bm25.run", "dense.run"], "P@5", collection="random", draws=30)
    assert [each.source for each in drawn[0].parts] == ["query", "collection", "query x collection"]
    exact = rankscope.variance_components("qrels.txt", ["bm25.run"], "P@5", collection="exact", collection_size=40)[0]
    together = drawn[0]["collection"].variance + drawn[0]["query x collection"].variance
    assert exact["query x collection"].variance == pytest.approx(together, rel=0.3)
    whole = rankscope.variance_components("qrels.txt", ["bm25.run"], "P@5")[0]
    assert exact.total == pytest.approx(whole.total)
    assert sum(each.share for each in exact.parts) == pytest.approx(1)


def test_plans_are_told_with_the_best(here: Path) -> None:
    shown = called("plan", "bm25.run", "dense.run", *PEOPLE, "--budget", 2000, "--cost", "query=5,judgement=1")
    assert shown.exit_code == 0, shown.output
    plans = rankscope.plan_judging(
        runs=["bm25.run", "dense.run"],
        assessors=["ann.txt", "bob.txt", "eve.txt"],
        budget=2000,
        cost="query=5,judgement=1",
    )
    assert plans.best is not None
    assert f"({plans.best.design})" in shown.output
    for each in plans.plans:
        assert each.name in shown.output
    assert {each.name for each in plans.plans} >= {"more queries", "more assessors"}
    assert plans.forecast.pools is not None
    alone = rankscope.plan_judging("qrels.txt", ["bm25.run", "dense.run"], budget=200, of="bm25", baseline="bm25")
    assert alone.forecast.found.what == "AP of bm25"


def test_stability_of_queries_assessors_and_collection(here: Path) -> None:
    shown = called("stability", "bm25.run", "dense.run", "dense2.run", *PEOPLE, "--draws", 4, "--resamples", 200)
    assert shown.exit_code == 0, shown.output
    for words in ("queries", "assessors", "collection", "may be the best"):
        assert words in shown.output
    told = json.loads(called("stability", *BOTH, "--draws", 0, "--resamples", 100, "--format", "json").output)
    assert [each["what changes"] for each in told["changes"]] == ["queries"]


@pytest.mark.thorough
def test_the_report_says_it_too(here: Path, tmp_path: Path) -> None:
    page = rankscope.report("qrels.txt", ["bm25.run", "dense.run"], assessors=["ann.txt", "bob.txt"])
    assert "Would the leaderboard look the same again?" in page
    for words in ("With other queries of the same kind", "With other assessors", "With another part of the collection"):
        assert words in page
    assert "look the same again" not in rankscope.report("qrels.txt", ["bm25.run"])
    (tmp_path / "early.txt").write_text("".join(f"q{q} 0 d{i} {i % 2}\n" for q in (0, 1) for i in ITEMS))
    (tmp_path / "late.txt").write_text("".join(f"q{q} 0 d{i} {i % 2}\n" for q in (2, 3) for i in ITEMS))
    apart = [str(tmp_path / name) for name in ("early.txt", "late.txt")]
    page = rankscope.report("qrels.txt", ["bm25.run", "dense.run"], depth=20, assessors=apart)
    assert "With other queries of the same kind" in page
    assert "With other assessors" not in page
    assert "With another part of the collection" not in page


MISTAKES = {
    ("components",): "give judgements",
    ("components", "qrels.txt"): "no run to measure",
    ("components", "values2.csv"): "values2.csv",
    ("components", *BOTH, "--baseline", "x"): "no system 'x'",
    ("components", *BOTH, "--covariate", "height"): "no covariate height",
    ("components", *BOTH, "--covariate", "generality"): "--collection-size",
    ("components", *BOTH, "--collection", "exact", "--collection-size", "40"): "--collection random",
    ("components", "qrels.txt", "old=bm25.run", "dense.run"): "SYSTEM=RUN",
    ("components", "bm25.run", "--assessor", "ann.txt"): "one assessor alone",
    ("plan", *BOTH): "--budget",
    ("plan", *BOTH, "--budget", "0"): "--budget",
    ("plan", *BOTH, "--budget", "9", "--cost", "beer=3"): "no cost of beer",
    ("plan", *BOTH, "--budget", "9", "--of", "x"): "no system 'x'",
    ("stability", "qrels.txt", "bm25.run"): "two systems",
    ("stability", *BOTH, "--depth", "5"): "items were removed",
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: " ".join(each))
def test_mistakes_are_told_with_the_next_step(here: Path, mistake: tuple[str, ...]) -> None:
    done = called(*mistake)
    assert done.exit_code == 2 or isinstance(done.exception, RankscopeError), done.output
    assert MISTAKES[mistake] in told(done)


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("query,value\nq1,0.5\nq2,many\n")
    (tmp_path / "other.csv").write_text("topic,score\nq1,0.5\n")
    assert "'many' is not a number" in told(called("components", tmp_path / "bad.csv"))
    assert "query,value and any of system" in told(called("components", tmp_path / "other.csv"))
    (tmp_path / "good.csv").write_text("query,measure,value\nq1,AP,0.5\nq2,AP,0.7\n")
    assert "There are: AP" in told(called("components", tmp_path / "good.csv", "-m", "P@10"))
    assert "--judgements" in told(called("plan", tmp_path / "good.csv", "--budget", 9))
    assert called("plan", tmp_path / "good.csv", "--budget", 9, "--judgements", 2).exit_code == 0
