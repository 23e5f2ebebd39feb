"""The command as a person uses it: real files, real process exits, errors that help."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.commands.line.inside import finished as rankscope
from tests.data import GOLDEN

CASE = GOLDEN / "missing-queries-0"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n")
    (tmp_path / "good.run").write_text("1 Q0 a 1 3.0 sys\n1 Q0 b 2 2.0 sys\n2 Q0 x 1 5 sys\n2 Q0 c 2 4 sys\n")
    (tmp_path / "bad.run").write_text("1 Q0 a 1 n/a sys\n1 Q0 b 2 2.0\n")
    return tmp_path


def test_the_table_shows_means_coverage_and_warnings() -> None:
    done = rankscope("evaluate", CASE / "qrels", CASE / "run", "-m", "AP,P@5")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "system" in text
    assert "0.2804" in text
    assert "9 queries judged, 6 answered, 9 averaged" in text
    assert "3 judged queries are missing from the run and count as 0: 107, 108, 109" in text


def test_several_runs_give_one_row_each(files: Path) -> None:
    other = files / "other.run"
    other.write_text("1 Q0 b 1 3.0 t\n1 Q0 a 2 2.0 t\n2 Q0 c 1 1 t\n")
    done = rankscope("evaluate", files / "qrels", files / "good.run", other, "-m", "RR", "--format", "csv")
    assert done.stdout.decode().splitlines() == ["system,measure,value,queries", "good,RR,0.75,2", "other,RR,0.75,2"]


def test_all_problems_of_all_files_come_in_one_message_and_nothing_is_printed(files: Path) -> None:
    worse = files / "worse.run"
    worse.write_text("1 Q0 a 1 3.0 t\n1 Q0 a 2 2.0 t\n")
    done = rankscope("evaluate", files / "qrels", files / "bad.run", files / "good.run", worse)
    message = done.stderr.decode()
    assert done.returncode == 2
    assert done.stdout == b""
    assert "bad.run: 2 problems" in message
    assert "line 1: score must be a number, got 'n/a'" in message
    assert "line 2: has 5 of 6 fields (tag missing)" in message
    assert "worse.run: 1 problem" in message
    assert "item 'a' is ranked twice (lines 1 and 2)" in message
    assert "Traceback" not in message


def test_bad_judgements_do_not_hide_the_problems_of_runs(files: Path) -> None:
    (files / "qrels").write_text("1 0 a\n")
    message = rankscope("evaluate", files / "qrels", files / "bad.run").stderr.decode()
    assert "qrels: 1 problem" in message
    assert "bad.run: 2 problems" in message


def test_a_bad_run_leaves_no_output_file(files: Path) -> None:
    target = files / "out.csv"
    assert rankscope("evaluate", files / "qrels", files / "bad.run", "-o", target).returncode == 2
    assert sorted(path.name for path in files.iterdir()) == ["bad.run", "good.run", "qrels"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("evaluate", "qrels", "good.run", "-m", "nDGC@10"), "did you mean 'nDCG@10'?"),
        (("evaluate", "qrels", "good.run", "-m", "P"), ""),
        (("evaluate", "qrels", "good.run", "-m", "P@0"), "at least 1"),
        (("evaluate", "qrels", "good.run", "-m", "P@ten"), "must be a whole number"),
        (("evaluate", "qrels", "good.run", "-m", "Estar"), "--collection-size"),
        (("evaluate", "qrels", "good.run", "--compat", "trec_eval"), "did you mean 'trec_eval-"),
        (("evaluate", "qrels", "good.run", "--ties", "maybe"), "trec_eval"),
        (("evaluate", "qrels", "nowhere.run"), "No such file"),
        (("evaluate", "qrels"), "at least one run"),
        (("evaluate", "qrels", "good.run", "--format", "exel"), "There are: table"),
        (("evaluate", "qrels", "good.run", "-o", "no/such/folder/x.csv"), "cannot write"),
        (("evalute", "qrels", "good.run"), "did you mean 'evaluate'?"),
        (("measures", "nDGC"), "did you mean 'nDCG'?"),
    ],
)
def test_a_mistake_gets_a_word_that_helps(files: Path, arguments: tuple[str, ...], expected: str) -> None:
    done = rankscope(*arguments, cwd=files)
    message = done.stderr.decode()
    assert "Traceback" not in message
    if expected:
        assert done.returncode == 2, message
        assert expected in message
    else:
        assert done.returncode == 0, message


def test_runs_that_share_no_query_with_the_judgements_are_refused(files: Path) -> None:
    (files / "qrels").write_text("301 0 a 1\n")
    done = rankscope("evaluate", files / "qrels", files / "good.run")
    assert done.returncode == 2
    assert "no query of the run is judged" in done.stderr.decode()
    assert "Query ids of the run: '1', '2'; of the judgements: '301'. Are these the" in done.stderr.decode()


def test_standard_input_is_read(files: Path) -> None:
    run = (files / "good.run").read_bytes()
    done = rankscope("evaluate", files / "qrels", "-", "-m", "RR", "--format", "csv", stdin=run)
    assert done.stdout.decode().splitlines()[1].endswith(",RR,0.75,2")


def test_json_has_a_version_settings_provenance_and_warnings(files: Path) -> None:
    done = rankscope("evaluate", files / "qrels", files / "good.run", "-m", "AP", "-q", "--format", "json")
    whole = json.loads(done.stdout)
    assert (whole["format"], whole["version"]) == ("rankscope.scores", 1)
    system = whole["systems"][0]
    assert system["means"] == {"AP": 0.75}
    assert [query["values"]["AP"] for query in system["queries"]] == [1.0, 0.5]
    assert len(system["provenance"]["run"]["sha256"]) == 64
    assert str(files) not in done.stdout.decode()


@pytest.mark.parametrize("suffix", ["csv", "json", "md", "tex", "parquet", "txt"])
def test_the_suffix_of_the_output_file_decides_its_format(files: Path, suffix: str) -> None:
    target = files / f"out.{suffix}"
    assert rankscope("evaluate", files / "qrels", files / "good.run", "-m", "AP", "-o", target).returncode == 0
    if suffix == "parquet":
        assert pl.read_parquet(target).get_column("value").to_list() == [0.75]
    else:
        assert ".75" in target.read_text()


def test_saved_ranks_stand_in_for_the_files(files: Path) -> None:
    saved = files / "good.ranks.parquet"
    assert rankscope("evaluate", files / "qrels", files / "good.run", "-o", saved).returncode == 0
    direct = rankscope("evaluate", files / "qrels", files / "good.run", "-m", "AP,P(rel=2)@1", "--depth", "1")
    again = rankscope("evaluate", saved, "-m", "AP,P(rel=2)@1", "--depth", "1")
    assert again.stdout == direct.stdout


def test_saved_ranks_refuse_what_the_reduction_has_fixed(files: Path) -> None:
    saved = files / "good.ranks.parquet"
    rankscope("evaluate", files / "qrels", files / "good.run", "-o", saved)
    for option in (["--ties", "given"], ["--duplicates", "last"], ["--judged-only"], ["--score-width", "32"]):
        done = rankscope("evaluate", saved, *option)
        assert done.returncode == 2
        assert "reduce again" in done.stderr.decode()


def test_classes_of_queries_give_means_per_class(files: Path) -> None:
    (files / "classes.csv").write_text("query,class\n1,easy\n2,hard\n")
    done = rankscope("evaluate", files / "qrels", files / "good.run", "-m", "RR", "--by", files / "classes.csv")
    text = done.stdout.decode()
    assert "easy" in text
    assert "1.0000" in text
    assert "0.5000" in text


def test_the_measures_command_explains_each() -> None:
    everything = rankscope("measures").stdout.decode()
    assert "nDCG[@K]" in everything
    one = rankscope("measures", "MRR").stdout.decode()
    assert one.startswith("RR\n")
    assert "Voorhees" in one


def test_help_and_version_import_neither_numpy_nor_polars() -> None:
    check = "import sys; sys.argv = ['rankscope', {!r}]; from rankscope.commands.line.main import main\n"
    check += "try: main()\nexcept SystemExit: pass\n"
    check += "assert 'numpy' not in sys.modules and 'polars' not in sys.modules"
    for option in ("--help", "--version"):
        assert (
            subprocess.run([sys.executable, "-c", check.format(option)], capture_output=True, check=False).returncode
            == 0
        )


@pytest.mark.parametrize("option", [["--compat", "trec_eval-10"], ["--format", "trec"]])
def test_grades_with_a_fraction_are_refused_where_whole_ones_are_needed(files: Path, option: list[str]) -> None:
    (files / "qrels").write_text("1 0 a 1.5\n1 0 b 0\n")
    done = rankscope("evaluate", files / "qrels", files / "good.run", *option)
    assert done.returncode == 2
    assert "whole grades only" in done.stderr.decode()
    assert rankscope("evaluate", files / "qrels", files / "good.run").returncode == 0


def test_a_query_is_explained_as_text_and_as_json(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run"
    qrels.write_text("".join(f"{query} 0 {item} 1\n" for query in ("7", "8") for item in "abcd"))
    places = {"a": 1, "b": 3, "c": 10, "d": 40}
    items = {rank: item for item, rank in places.items()}
    run.write_text("".join(f"7 Q0 {items.get(k, f'x{k}')} {k} {100 - k} bm25\n" for k in range(1, 51)))
    words = ["evaluate", str(qrels), str(run), "--explain", "7", "--collection-size", "100"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    for told in ("Decision table at scope 4 (s = c)", "r = 0.5000", "p = 0.5000", "Window for a wanted recall"):
        assert told in done.output
    out = tmp_path / "seven.json"
    assert CliRunner().invoke(cli, [*words, "-o", str(out)]).exit_code == 0
    (told_again,) = json.loads(out.read_text())["explained"]
    assert [row["window"] for row in told_again["wanted"]] == [1, 1, 3, 10, 40]


def test_an_explanation_has_no_other_format(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["evaluate", "q", "r", "--explain", "7", "--format", "latex"])
    assert "text or JSON" in str(done.exception)
