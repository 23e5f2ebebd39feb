from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankscope.commands.line.main import cli
from rankscope.feedback.study.results import load_results
from rankscope.ranks.storage import load_ranks
from tests.commands.line.inside import finished


def run(*words: str | int | Path) -> Result:
    return CliRunner().invoke(cli, ["feedback", *map(str, words)])


@pytest.fixture
def features(tmp_path: Path) -> Path:
    chance = np.random.default_rng(0)
    label = np.arange(150) % 3
    matrix = chance.normal(size=(3, 4))[label] * 2 + chance.normal(size=(150, 4))
    names = np.array(["cat", "dog", "sea cow"])[label]
    np.savez(tmp_path / "f.npz", features=matrix, labels=names)
    return tmp_path / "f.npz"


def test_a_study_from_a_file_of_features(features: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    done = run(
        features,
        "--methods",
        "rocchio,svm(C=1)",
        "--starts",
        2,
        "--rounds",
        2,
        "--scope",
        5,
        "-o",
        out,
        "--user",
        "noisy(0.1, 0.2)",
        "--list",
        "frozen",
        "--on",
        "home",
    )
    assert done.exit_code == 0, done.output
    for word in ("rocchio", "svm(C=1)", "no-feedback", "random", "all-labels", "ideal", "frozen list", "round 2"):
        assert word in done.output
    results = load_results(out)
    assert results.topics == ("cat", "dog", "sea cow")
    assert results.frame.height == 6 * 6 * 3
    assert results.about["protocol"]["scored"] == "frozen"


def test_a_measure_with_several_options_is_one_measure(features: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    done = run(
        features,
        "-m",
        "RBP(p=0.5,gain=binary), P@5",
        "-m",
        "P.10,20",
        "--methods",
        "query_point",
        "--starts",
        1,
        "--rounds",
        1,
        "--scope",
        5,
        "-o",
        out,
        "--on",
        "home",
    )
    assert done.exit_code == 0, done.output
    assert load_results(out).measures == ("RBP(p=0.5)", "P@5", "P@10", "P@20")


def test_topics_are_expressions_and_rankings_are_kept(features: Path, tmp_path: Path) -> None:
    done = run(
        features,
        "--topics",
        "cat or 'sea cow', dog",
        "--methods",
        "query-point",
        "--starts",
        2,
        "--rounds",
        1,
        "-o",
        tmp_path / "out.parquet",
        "--keep-ranks",
        tmp_path / "ranks",
        "--on",
        "home",
    )
    assert done.exit_code == 0, done.output
    kept = load_ranks(tmp_path / "ranks" / "query-point.ranks.parquet")
    assert set(kept.classes or ()) == {"cat or 'sea cow'", "dog"}
    assert len(kept) == 4


def test_a_collection_goes_by_its_name(tmp_path: Path) -> None:
    out = tmp_path / "d.parquet"
    done = run("digits", "--methods", "rocchio", "--topics", "3", "--starts", 1, "--rounds", 1, "-o", out, "--quiet")
    assert done.exit_code == 0, done.output
    assert done.output == ""
    assert load_results(out).about["items"] == 1797


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--methods", "rochio"], "did you mean 'rocchio'"),
        (["--topics", "cat and"], "a label is missing before the end"),
        (["--topics", "cta"], "did you mean 'cat'"),
        (["--user", "noisy(2)"], "eps_pos must be a number of at least 0 and at most 1, got '2'"),
        (["--start", "two_queries"], "There are: one_query"),
        (["-m", "APP"], "APP"),
        (["-m", "RBP(p=2,gain=binary)"], "p must be a number of at least 0 and at most 1, got '2'"),
        (["--methods", "rocchio(gamma=1,gamma=2)"], "gamma is given twice"),
        (["--report", "page.txt"], "NAME.html"),
        (["--processes", "2"], "No such option '--processes': it is now '--on processes:N'."),
        (["--memory", "latest"], "No such option '--memory': it is now '--remember'."),
        (
            ["--on", "dsk"],
            "--on dsk: must be home, processes:N, dask://HOST:PORT, tls://HOST:PORT or spark (did",
        ),
        (["--on", "processes:0"], "must be a whole number of at least 1"),
    ],
)
def test_bad_choices_are_told_with_exit_code_2(
    features: Path, tmp_path: Path, words: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    done = finished("feedback", features, "-o", tmp_path / "o.parquet", *words)
    assert done.returncode == 2
    assert told in done.stderr.decode()


def test_a_result_of_another_name_is_refused(features: Path) -> None:
    done = run(features, "-o", "out.csv")
    assert "NAME.parquet" in str(done.exception)
