"""`rankscope graph` as a person uses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError
from rankscope.ranks.storage import save_ranks
from rankscope.reports import graphs
from tests.data import GOLDEN
from tests.reports.graphs.examples import TWO, scored

CASE = GOLDEN / "missing-queries-0"


def rankscope(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["graph", *map(str, arguments)])


@pytest.fixture
def saved(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{each.system}.ranks.parquet" for each in TWO]
    for each, path in zip(TWO, paths, strict=True):
        save_ranks(each, path)
    return paths


def test_help_lists_every_kind() -> None:
    text = rankscope("--help").output
    listed = text.partition("Kinds:")[2]
    assert [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "] == [
        kind.name for kind in graphs.ALL
    ]


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png", "html"])
def test_runs_become_a_picture(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"pr.{suffix}"
    done = rankscope(
        "precision-recall", CASE / "qrels", CASE / "run", "-o", target, "--theme", "dark", "--width", "full"
    )
    assert done.exit_code == 0, done.output
    assert target.stat().st_size > 1000


def test_saved_ranks_become_a_picture(saved: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "grip.svg"
    done = rankscope("grip", *saved, "-o", target, "--way", "thinned", "--reach", "5")
    assert done.exit_code == 0, done.output
    assert "first" in target.read_text()


def test_a_kind_is_found_however_it_is_joined_and_its_case_and_among_values_that_are_called_so(
    saved: list[Path], tmp_path: Path
) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    assert rankscope("--curve", "grip", "-o", one, "Band", *saved, "--points", 5).exit_code == 0
    assert rankscope("band", *saved, "-o", other, "--curve", "grip", "--points", 5).exit_code == 0
    assert one.read_text() == other.read_text()
    done = rankscope("Precision_Scope", saved[0], "-o", one)
    assert done.exit_code == 0
    assert "precision-scope of first" in done.output


def test_scores_are_kept_where_a_kind_needs_them(tmp_path: Path) -> None:
    target = tmp_path / "scores.csv"
    done = rankscope("score-distribution", CASE / "qrels", CASE / "run", "-o", target, "--quiet")
    assert done.exit_code == 0, done.output
    assert "distractors" in target.read_text()
    path = tmp_path / "near.ranks.parquet"
    save_ranks(scored(), path)
    assert rankscope("score-distribution", path, "-o", target).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("grip", CASE / "qrels", CASE / "run", "-o", "x.svg"), "--collection-size D"),
        (("gripp", CASE / "qrels", CASE / "run", "-o", "x.svg"), "did you mean 'grip'"),
        (("grip", CASE / "qrels", CASE / "run", "-o", "x.jpeg"), r".svg, .pdf, .png"),
        (
            ("grip", CASE / "qrels", CASE / "run", "-o", "x.svg", "--theme", "blue"),
            "--theme blue: must be one of",
        ),
        (
            ("grip", CASE / "qrels", CASE / "run", "-o", "x.svg", "-m", "AP"),
            "grip has no option --measure; it has: --way",
        ),
        (
            ("grnp", CASE / "qrels", CASE / "run", "-o", "x.svg", "-n", "0", "--way", "hrad"),
            "2 settings cannot be so:\n  -n 0: must be a number above 0\n  --way hrad: must be one of thinned",
        ),
        (
            ("power-curve", CASE / "qrels", CASE / "run", "-o", "x.svg", "--effect", ".1", "--effect", "-1"),
            "--effect 0.1 --effect -1: must each be a number above 0",
        ),
        (
            ("band", CASE / "qrels", CASE / "run", "-o", "x.svg", "--level", "95"),
            "--level 95: must be a number between 0 and 1",
        ),
        (("grip", CASE / "qrels", "-o", "x.svg"), "at least one run"),
        (("grip", CASE / "qrels", "absent.run", "-o", "x.svg"), "absent.run: 1 problem"),
        (("grip", "absent.qrels", "absent.run", "-o", "x.svg"), "absent.qrels: 1 problem"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    arguments: tuple[object, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = rankscope(*arguments)
    assert isinstance(done.exception, RankscopeError)
    assert message in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_saved_ranks_and_judgements_do_not_mix(saved: list[Path]) -> None:
    done = rankscope("grip", CASE / "qrels", saved[0], "-o", "x.svg")
    assert "saved ranks hold their judgements already" in str(done.exception)


def test_only_the_queries_that_were_answered_count_if_asked(tmp_path: Path) -> None:
    target = tmp_path / "scope.csv"
    for policy, count in (("judged", "9"), ("answered", "6")):
        done = rankscope("recall-scope", CASE / "qrels", CASE / "run", "-o", target, "--queries", policy)
        assert done.exit_code == 0, done.output
        header, first = [line for line in target.read_text().splitlines() if line.startswith(("role", "curve"))][:2]
        assert first.split(",")[header.split(",").index("queries")] == count
