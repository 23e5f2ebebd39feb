"""`--map`, `--roll-up` and `--both-levels` as they are typed."""

from __future__ import annotations

import contextlib
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import rankscope
from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError, SettingError

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
    assert "mapped" not in done.output


def test_a_map_that_no_file_has_is_refused(folder: Path) -> None:
    (folder / "hut.json").write_text(
        '{"took": 1, "hits": {"hits": [{"_id": "a", "_score": 2, "_source": {"sku": "X1"}}]}}'
    )
    (folder / "hut.txt").write_text("hut 0 X1 1\n")
    done = asked(folder, "evaluate", "hut.txt", "hut.json", "--map", "item=_source.sku", "-m", "RR")
    assert "hut     1.0000" in done.output
    wrong = refusal(folder, "evaluate", "hut.txt", "hut.json", "--map", "item=_source.skuu", "-m", "RR")
    assert "--map item=_source.skuu: no file has such a column" in wrong


# maps of judgements and of runs apart


def test_two_tables_with_other_headers_have_a_map_each(folder: Path) -> None:
    (folder / "run.csv").write_text("search,product,points\nhut,d1#0,2\nhut,x,1\nschuh,d2#0,1\n")
    ours = ("--map-qrels", MAP, "--map-runs", "query=search,item=product,score=points")
    for command in ("evaluate", "compare"):
        files = ("qrels.csv", "run.csv", "run.csv")[: 2 + (command == "compare")]
        done = asked(folder, command, *files, *ours, "-m", "RR")
        assert done.exit_code == 0, done.output
        assert "1.0000" in done.output
        assert "mapped" not in done.output
    maps = {"map_qrels": ours[1], "map_runs": {"query": "search", "item": "product", "score": "points"}}
    assert rankscope.evaluate(folder / "qrels.csv", folder / "run.csv", "RR", **maps)["RR"] == 1  # type: ignore[arg-type]
    qrels, run = (pl.read_csv(folder / name) for name in ("qrels.csv", "run.csv"))
    assert rankscope.evaluate(qrels, run, "RR", **maps)["RR"] == 1  # type: ignore[arg-type]


def test_a_map_of_runs_wins_over_the_map_of_all(folder: Path) -> None:
    (folder / "run.csv").write_text("such,artikel,product,score\nhut,x,d1#0,2\nschuh,x,d2#0,1\n")
    words = ("evaluate", "qrels.csv", "run.csv", "--map", MAP, "-m", "RR")
    assert "0.0000" in asked(folder, *words).output
    assert "1.0000" in asked(folder, *words, "--map-runs", "item=product").output


@pytest.mark.parametrize("option", ["--map", "--map-qrels", "--map-runs"])
def test_a_second_map_is_refused(option: str, folder: Path) -> None:
    done = asked(folder, "evaluate", "qrels.csv", "run.csv", option, "query=such", option, "item=artikel")
    assert done.exit_code == 2
    assert f"{option} is given 2 times: write all pairs in one, separated by commas" in done.output


def test_maps_that_no_file_of_their_kind_has_are_refused_together(folder: Path) -> None:
    (folder / "qrels.txt").write_text("hut 0 d1#0 2\n")
    (folder / "plain.csv").write_text("query,item,score\nhut,d1#0,1\n")
    wrong = refusal(folder, "evaluate", "qrels.txt", "plain.csv", "--map-qrels", "item=a", "--map-runs", "item=b")
    assert "--map-qrels item=a: no file of judgements has such a column" in wrong
    assert "--map-runs item=b: no run has such a column" in wrong
    wrong = refusal(folder, "evaluate", "qrels.txt", "plain.csv", "--map-qrels", "score=3")
    assert "--map-qrels score=3: knows query, item, grade, results, not 'score'" in wrong
    frame = pl.read_csv(folder / "plain.csv")
    with pytest.raises(SettingError, match="columns='item=artikl': no file has such a column"):
        rankscope.evaluate(frame.rename({"score": "grade"}), frame, "RR", columns="item=artikl")


def test_other_commands_map_columns_too(folder: Path) -> None:
    (folder / "run.csv").write_text("such,artikel,punkte\nhut,d1#0,2\nhut,x,1\nschuh,d2#0,1\n")
    (folder / "other.csv").write_text((folder / "run.csv").read_text())
    runs, ours = ("run.csv", "other.csv"), ("--map", MAP.replace("grade=note", "score=punkte"), "--map-qrels", MAP)
    for words in (
        ("reuse", "qrels.csv", *runs, *ours),
        ("ledger", "qrels.csv", "a=run.csv", "b=other.csv", *ours),
        ("agreement", "qrels.csv", "qrels.csv", "--runs", "run.csv", "--runs", "other.csv", *ours),
        ("estimate", "qrels.csv", *runs, "--machine", "qrels.csv", *ours),
        ("prefer", "interleave", *runs, "-o", "lists.csv", *ours[:2]),
        ("stability", "qrels.csv", *runs, *ours),
    ):
        done = asked(folder, *words)
        assert done.exit_code == 0, (words, done.output, done.exception)
