"""`rankscope benchmark` as people call it, on a tiny folder of generated pictures."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankscope.commands.line.main import cli
from rankscope.core.errors import RankscopeError
from rankscope.engines.images import benchmark as engine
from tests.engines.images.pictures_folder import written

NAMES = "rgb-histogram(bins=4),thumbnail(side=8),colour-layout"


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("pictures") / "photos")


@pytest.fixture(scope="module")
def out(photos: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("benchmark") / "new" / "out"
    done(photos, "-d", NAMES, "-o", folder, "--show", 3)
    return folder


def done(*arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["benchmark", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result


def refused(*arguments: object) -> str:
    with pytest.raises(RankscopeError) as error:
        CliRunner().invoke(cli, ["benchmark", *map(str, arguments)], catch_exceptions=False)
    return str(error.value)


def table(folder: Path) -> list[dict[str, str]]:
    """The table without times, which no two runs share."""
    rows = list(csv.DictReader((folder / "table.csv").read_text().splitlines()))
    return [{key: value for key, value in row.items() if not key.endswith(" ms")} for row in rows]


def test_everything_is_written(out: Path) -> None:
    names = {path.name for path in out.iterdir()}
    assert names == {
        "features",
        "table.txt",
        "table.csv",
        "table.json",
        "table.md",
        "table.tex",
        "quality.svg",
        "cost.svg",
        "report.html",
        "rgb-histogram-bins-4.ranks.parquet",
        "thumbnail-side-8.ranks.parquet",
        "colour-layout.ranks.parquet",
    }
    assert (out / "quality.svg").read_text().startswith("<svg")


def test_tables_tell_the_same_numbers(out: Path) -> None:
    rows = table(out)
    assert [row["place"] for row in rows] == ["1", "2", "3"]
    assert float(rows[0]["MAP"]) >= float(rows[1]["MAP"]) >= float(rows[2]["MAP"])
    whole = json.loads((out / "table.json").read_text())
    assert [each["MAP"] for each in whole["descriptors"]] == [float(row["MAP"]) for row in rows]
    assert whole["pictures"] == 16
    assert whole["queries"] == 15
    for name in ("table.txt", "table.md", "table.tex"):
        text = re.sub(r"\\mathbf\{(.*?)\}", r"\1", (out / name).read_text()).replace(r"\allowbreak{}", "")
        assert all(f"{float(row['ANMRR']):.4f}".removeprefix("0") in text for row in rows)
        assert all(row["descriptor"] in text for row in rows)


def test_the_terminal_has_the_table_and_a_verdict(photos: Path, out: Path) -> None:
    said = done(photos, "-d", NAMES, "-o", out, "--show", 3)
    assert said.stdout == (out / "table.txt").read_text()
    assert "photos: 16 pictures, 3 classes, 1 distractor, 15 queries, 3 descriptors" in said.stdout
    assert "is highest by MAP" in said.stdout
    assert "opens offline" in said.stderr
    assert done(photos, "-d", NAMES, "-o", out, "--show", 3, "--quiet").stderr == ""


def test_other_commands_read_the_ranks(out: Path) -> None:
    ranks = sorted(map(str, out.glob("*.ranks.parquet")))
    result = CliRunner().invoke(cli, ["evaluate", *ranks, "-m", "AP,P@10"], catch_exceptions=False)
    assert result.exit_code == 0
    best = table(out)[0]
    assert f"{float(best['MAP']):.4f}" in result.output
    result = CliRunner().invoke(cli, ["rank", str(next(out.glob("features/thumbnail*.npz"))), "-o", ranks[2]])
    assert result.exit_code == 0


def test_a_stopped_benchmark_goes_on_to_the_same_table(
    photos: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = engine._ranked_contender, []

    def stopping(*given: object) -> object:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "_ranked_contender", stopping)
    result = CliRunner().invoke(cli, ["benchmark", str(photos), "-d", NAMES, "-o", str(tmp_path / "out")])
    assert result.exit_code != 0
    assert "give the same command again to go on" in result.stderr
    assert not (tmp_path / "out" / "table.csv").exists()
    assert len(list((tmp_path / "out" / "features").glob("*.npz"))) == 2
    done(photos, "-d", NAMES, "-o", tmp_path / "out", "--show", 3)
    assert table(tmp_path / "out") == table(out)


def test_broken_pictures_are_told(tmp_path: Path) -> None:
    photos = written(tmp_path / "photos", each=3)
    (photos / "red" / "broken.png").write_bytes(b"")
    said = done(photos, "-d", "thumbnail(side=8)", "-o", tmp_path / "out", "--show", 1)
    assert "! 1 picture left out:" in said.stderr
    assert "!   red/broken.png is no picture that can be read: the file is empty" in said.stderr
    assert "red/broken.png" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-such-collection"], "no collection 'no-such-collection'"),
        (["corel1k", "--data", "."], "It should hold labels.csv"),
        (["{photos}", "-d", "sedd"], "did you mean 'cedd'"),
        (["{photos}", "--queries", "every"], "there is no such file"),
        (["{photos}/red"], "one folder for each class"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], words: str, photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = [each.format(photos=photos) for each in arguments]
    usual = [] if "-d" in given else ["-d", "thumbnail(side=8)"]
    assert words in refused(*given, *usual, "-o", tmp_path / "out")


def test_a_file_is_no_folder(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    assert "is a file, and a folder is needed" in refused(photos, "-o", tmp_path / "out")


def test_errors_exit_with_2_and_without_a_traceback(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "rankscope.commands.line.main", "benchmark", "no-such", "-o", str(tmp_path / "out")]
    result = subprocess.run(line, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "no collection 'no-such'" in result.stderr
    assert "Traceback" not in result.stderr
