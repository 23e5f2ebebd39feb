from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.commands.line.inside import runs_in


def test_every_run_is_left_out_once(tmp_path: Path) -> None:
    folder = runs_in(tmp_path)
    files = [str(folder / name) for name in ("qrels.txt", "a.run", "b.run", "c.run")]
    done = CliRunner().invoke(cli, ["reuse", *files, "--pool-depth", "3"])
    assert done.exit_code == 0, done.output
    for word in ("only it", "outside", "Kendall's tau", "pool of the first 3 items of 3 runs"):
        assert word in done.output
    told = json.loads(CliRunner().invoke(cli, ["reuse", *files, "--pool-depth", "3", "--format", "json"]).output)
    assert {row["system"] for row in told["rows"]} == {"a", "b", "c"}
    named = CliRunner().invoke(cli, ["reuse", *files, *["--system", "x", "--system", "y", "--system", "z"]])
    assert "x " in named.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["qrels.txt", "a.run"], "at least two runs"),
        (["qrels.txt", "a.run", "b.run", "--system", "x"], "2 needed, got 1"),
        (["qrels.txt", "a.run", "none.run"], "none.run"),
        (["qrels.txt", "a.run", "b.run", "-m", "APP"], "APP"),
        (["a.run", "qrels.txt", "b.run"], "a.run reads as rankings and qrels.txt as judgements: swapped?"),
    ],
)
def test_bad_input_is_told(tmp_path: Path, words: list[str], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs_in(tmp_path))
    done = CliRunner().invoke(cli, ["reuse", *words])
    assert told in f"{done.output} {done.exception}"
