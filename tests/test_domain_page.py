"""The page on narrow and wide domains: its commands run, and it quotes what they print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankscope
from rankscope.commands.line.main import cli

PAGE = (Path(__file__).parents[1] / "docs" / "how-to" / "narrow-or-wide.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ rankscope (.+)$", PAGE, re.M)
(BLOCK,) = re.findall(r"```python\n(.+?)```", PAGE, re.S)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command prints, in the order of the page, in a folder where its files lie."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        exec(compile(BLOCK, "narrow-or-wide.md", "exec"), {})
        told = {}
        for command in COMMANDS:
            done = CliRunner().invoke(cli, shlex.split(command), catch_exceptions=False)
            assert done.exit_code == 0, done.output
            told[command] = done.stdout
        both = rankscope.homogeneity("all.ranks.parquet")
        told["python"] = str([each.differs.sum() for each in both.values()])
        told["files"] = " ".join(sorted(path.name for path in Path().iterdir()))
    return told


@pytest.mark.thorough
def test_every_command_of_the_page_runs(printed: dict[str, str]) -> None:
    pictures = {"domains.svg", "pr.svg", "levels.svg", "growth.svg"}
    assert pictures <= {*printed["files"].split()}


@pytest.mark.thorough
def test_the_page_quotes_the_verdicts(printed: dict[str, str]) -> None:
    plain = " ".join(PAGE.split())
    compare = next(told for command, told in printed.items() if command.startswith("compare"))
    assert compare.splitlines()[0] in plain
    homogeneity = next(told for command, told in printed.items() if command.startswith("homogeneity"))
    verdict = next(line for line in homogeneity.splitlines() if line.startswith("At "))
    assert verdict.partition(", beyond")[0] in plain
    assert printed["python"] == "[np.int64(3)]"
