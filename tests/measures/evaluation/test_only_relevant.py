"""Judgements without any grade 0: that only relevant items are listed is said once, in place of a share not judged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankscope
from rankscope.commands.line.main import cli

ONLY = "the judgements list only relevant items, so every other item counts as not relevant, judged or not"
SHARE = r"\d %? ?of the first 10|not judged|no judgement|results without a judgement"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs of 8 queries that find the relevant item among five; the judgements list it alone, or one more."""
    for name, more in (("only", ""), ("both", "q0 0 n1 0\n")):
        (tmp_path / name).write_text(more + "".join(f"q{n} 0 r {1 + n % 2}\n" for n in range(8)))
    for name, place in (("late", 3), ("early", 1)):
        items = [f"n{n}" for n in range(4)]
        items.insert(place - 1, "r")
        lines = [f"q{n} Q0 {each} 0 {9 - rank} t\n" for n in range(8) for rank, each in enumerate(items)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate"])
def test_it_is_said_once_and_no_share_is(folder: Path, command: str) -> None:
    arguments = [str(folder / each) for each in ("only", "late.run", "early.run")]
    told = CliRunner().invoke(cli, [command, *arguments]).output
    assert told.count(ONLY) == 1
    assert re.findall(SHARE, told) == []
    other = CliRunner().invoke(cli, [command, str(folder / "both"), *arguments[1:]]).output
    assert "only relevant items" not in other
    assert "of the first 10 items are not judged" in other


def test_the_report_says_it_once_and_calls_no_item_not_judged(folder: Path) -> None:
    texts = {}
    for qrels in ("only", "both"):
        page = str(rankscope.report(folder / qrels, [folder / "late.run", folder / "early.run"]))
        texts[qrels] = re.sub(r"<script\b(?![^>]*json).*?</script>|<style.*?</style>", " ", page, flags=re.S)
    assert texts["only"].count(ONLY) == 1
    assert "not listed" in texts["only"]
    assert re.findall(SHARE, re.sub(r"<[^>]+>", " ", texts["only"])) == []
    assert "not judged" in texts["both"]
    assert ONLY not in texts["both"]


def test_complete_labels_and_pooled_items_list_more_than_what_is_relevant(folder: Path) -> None:
    runs = [{"q1": {"a": 2.0, "b": 1.0}}]
    assert ONLY in rankscope.evaluate({"q1": {"a": 1}}, runs).warnings()
    pooled = rankscope.evaluate({"q1": {"a": 1, "b": -1}}, runs).warnings()
    assert ONLY not in pooled
    at_2 = rankscope.evaluate({"q1": {"a": 2, "c": 1}}, runs, rel=2).warnings()
    assert ONLY in at_2
