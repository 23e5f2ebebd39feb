"""Systems that are called alike are distinguished, and so are their figures, in every command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.commands.line.inside import ended, runs_in

Ended = Callable[..., int]


@pytest.fixture
def rankscope(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ended:
    monkeypatch.chdir(runs_in(tmp_path))
    for place, name in (("main", "a"), ("branch", "b")):
        Path(place).mkdir()
        Path(place, "bm25.run").write_bytes(Path(f"{name}.run").read_bytes())
    run = partial(ended, monkeypatch)
    for place in ("main", "branch"):
        assert run("evaluate", "qrels.txt", f"{place}/bm25.run", "-o", f"{place}/bm25.ranks.parquet") == 0
    return run


RUNS = ("qrels.txt", "main/bm25.run", "branch/bm25.run")
SAVED = ("main/bm25.ranks.parquet", "branch/bm25.ranks.parquet")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("files", [RUNS, SAVED], ids=["runs", "saved ranks"])
@pytest.mark.parametrize("named", [False, True], ids=["by path", "by hand"])
def test_every_command_distinguishes_them(
    rankscope: Ended, capsys: pytest.CaptureFixture[str], files: tuple[str, ...], named: bool
) -> None:
    first, second = ("old", "new") if named else ("main/bm25", "branch/bm25")
    options = ["--system", "old", "--system", "new"] if named else []
    assert rankscope("evaluate", *files, *options, "-o", "x.json") == 0
    assert [each["name"] for each in json.loads(Path("x.json").read_text())["systems"]] == [first, second]
    for command in ("compare", "gate"):
        capsys.readouterr()
        assert rankscope(command, *files, *options, "--format", "markdown") in (0, 1)
        said = capsys.readouterr().out
        assert first in said
        assert second in said
    assert rankscope("graph", "precision-recall", *files, *options, "-o", "x.csv") == 0
    assert {first, second} <= set(re.findall(r"^[^,]*,([^,]*),", Path("x.csv").read_text(), re.MULTILINE))
    assert rankscope("report", *files, *options, "-m", "AP", "-o", "x.html") == 0
    page = Path("x.html").read_text()
    assert first in page
    assert second in page


def test_a_forecast_is_named_too(rankscope: Ended, capsys: pytest.CaptureFixture[str]) -> None:
    line = ("qrels.txt", "a.run", "--to", "2x", "--collection-size", 100, "--system", "mine", "--force")
    assert rankscope("forecast", *line) == 0
    assert capsys.readouterr().out.startswith("mine:")


@pytest.mark.parametrize("names", [["one"], ["same", "same"], ["one", ""], ["1", "2", "3"]], ids=len)
def test_names_must_be_one_for_each(rankscope: Ended, names: list[str]) -> None:
    options = [each for name in names for each in ("--system", name)]
    assert rankscope("evaluate", *RUNS, *options) == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("pair", [("bm25_k1", "bm25-k1"), ("BM25", "bm25"), ("система", "検索")], ids="/".join)
def test_every_system_has_its_own_figures(rankscope: Ended, pair: tuple[str, str]) -> None:
    """One figure of the page serves both; the folder for a paper has one picture of each."""
    for name, run in zip(pair, ("a", "b"), strict=True):
        Path(f"{name}.run").write_bytes(Path(f"{run}.run").read_bytes())
    line = ("report", "qrels.txt", *(f"{name}.run" for name in pair), "-m", "AP", "--collection-size", "100")
    assert rankscope(*line, "--latex", "paper", "-o", "x.html") == 0
    page = Path("x.html").read_text()
    ids = re.findall(r'<figure id="graph-([^"]*)"', page)
    assert len(set(map(str.lower, ids))) == len(ids)
    assert ids.count("grep") == 1  # one figure, whose chooser names both
    assert all(name in page for name in pair)
    pictures = [path.read_bytes() for path in Path("paper").glob("grep*.pdf")]
    assert len(set(pictures)) == 2
