"""The how-to on diversity: its files, its commands and its Python do what it says."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from math import log2
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from rankscope.measures.evaluation.evaluate import evaluate

PAGE = (Path(__file__).parents[1] / "docs" / "how-to" / "diversity.md").read_text(encoding="utf-8")
FILES = re.findall(r"```text\n(.*?)```", PAGE, re.S)
CONSOLE = re.findall(r"```console\n\$ rankscope (.*?)\n(.*?)```", PAGE, re.S)


def test_the_commands_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in zip(("qrels.div", "one.run", "mixed.run"), FILES, strict=True):
        (tmp_path / name).write_text(text)
    plain = {tuple(line.split()[::2]) for line in FILES[0].splitlines()}
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 {item} 1\n" for query, item in sorted(plain)))
    assert len(CONSOLE) == 3
    for command, printed in CONSOLE:
        done = CliRunner().invoke(cli, shlex.split(command))
        assert done.exit_code == 0, done.output
        assert printed in done.output


def test_the_worked_value_is_what_the_formula_says_and_what_is_computed() -> None:
    value = (1 + 2 / log2(3) + 1 / log2(4)) / (2 + 1 / log2(3) + 1 / log2(4))
    assert f"2.7619/3.1309 = {value:.4f}".replace("= 0", "= ") in PAGE
    assert f"half of each, is {(1 + value) / 2:.4f}".replace("is 0", "is ") in PAGE
    judged = [
        (query, subtopic, item, int(grade)) for query, subtopic, item, grade in map(str.split, FILES[0].splitlines())
    ]
    listed = {"1": [line.split()[2] for line in FILES[2].splitlines() if line.startswith("1 ")]}
    scores = evaluate(judged, listed, ["D-nDCG@3", "D#-nDCG@3"], queries="answered")
    assert scores["D_nDCG@3"] == pytest.approx(value, rel=1e-12)
    assert scores["Dsharp_nDCG@3"] == pytest.approx((1 + value) / 2, rel=1e-12)


def test_the_python_block_runs() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(block, "diversity.md", "exec"), {})
    assert shown.getvalue() == "0.5\n"
