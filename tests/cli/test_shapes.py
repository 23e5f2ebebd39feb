"""`--map`, `--roll-up` and `--both-levels` as they are typed."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope.cli.main import cli
from rankscope.errors import RankscopeError

QRELS = "such,artikel,note\nhut,d1#0,2\nhut,d3#1,1\nschuh,d2#0,1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.csv").write_text(QRELS)
    (tmp_path / "run.csv").write_text("such,artikel,score\nhut,d2#1,2\nhut,d1#0,1\nschuh,d2#7,1\n")
    return tmp_path


def asked(folder: Path, *words: str) -> Result:
    with contextlib.chdir(folder):
        return CliRunner().invoke(cli, list(words))


def refusal(folder: Path, *words: str) -> str:
    """What a command refuses with."""
    done = asked(folder, *words)
    assert isinstance(done.exception, RankscopeError), done.output
    return str(done.exception)


MAP = "query=such,item=artikel,grade=note"


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate", "homogeneity"])
def test_every_command_that_reads_runs_maps_and_rolls_up(command: str, folder: Path) -> None:
    (folder / "other.csv").write_text((folder / "run.csv").read_text())
    rest = ("-m", "AP") if command != "homogeneity" else ()
    done = asked(folder, command, "qrels.csv", "run.csv", "other.csv", "--map", MAP, *rest)
    assert done.exit_code in (0, 1), done.output
    wrong = refusal(folder, command, "qrels.csv", "run.csv", "other.csv", "--map", MAP.replace("kel", "kl"), *rest)
    assert wrong.count("did you mean 'artikel'?") == 3


def test_both_levels_and_what_happened(folder: Path) -> None:
    words = ("evaluate", "qrels.csv", "run.csv", "--map", MAP, "-m", "ContextRecall@2")
    done = asked(folder, *words, "--roll-up", r"^(.*)#\d+$", "--both-levels")
    assert done.exit_code == 0, done.output
    assert "run (chunks)" in done.output
    assert "run (documents)" in done.output
    assert "3 results rolled up to 3 documents: the best chunk counts" in done.output
    assert "--both-levels needs --roll-up REGEX" in refusal(folder, *words, "--both-levels")
    assert "--roll-up chunks.csv: is no file that is there" in refusal(folder, *words, "--roll-up", "chunks.csv")


def test_names_with_blanks_are_shown_as_they_are_typed(folder: Path) -> None:
    (folder / "run.csv").write_text("such wort,der artikel,wie gut\nhut,a,1\n")
    assert "no column 'such' for the query" in refusal(folder, "evaluate", "qrels.csv", "run.csv", "--map", MAP)
    assert "--map 'query=such wort,item=...'" in refusal(folder, "evaluate", "run.csv", "run.csv")


def test_a_map_for_the_run_leaves_judgements_in_trec_text_alone(folder: Path) -> None:
    (folder / "qrels.txt").write_text("hut 0 d1#0 2\nschuh 0 d2#7 1\n")
    done = asked(folder, "evaluate", "qrels.txt", "run.csv", "--map", "query=such,item=artikel", "-m", "RR")
    assert done.exit_code == 0, done.output
    assert "0.7500" in done.output
    (folder / "qrels.csv").write_text("query,item,grade\nhut,d1#0,2\nschuh,d2#7,1\n")
    done = asked(folder, "evaluate", "qrels.csv", "run.csv", "--map", "query=such,item=artikel", "-m", "RR")
    assert "0.7500" in done.output
    assert "qrels.csv: has none of the mapped columns: read by its own names" in done.output
