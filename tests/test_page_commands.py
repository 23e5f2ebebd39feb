"""Every command that a page tells to type is one that rankscope takes: names, options and what must be given."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tools.site.notebooks import page_of
from tools.site.stage import ROOT, pages

BLOCK = re.compile(r"^```(?:console|sh|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MISTAKE = re.compile(
    r"no such (?:option|command)|missing (?:option|argument)|requires an argument|unexpected extra", re.I
)
WORKS = re.compile(
    r"rankscope (?:demo|serve|gather)|--pack|https?:|s3:|dask:|(?:feedback|benchmark) (?:digits|icons)\b"
)
REST = re.compile(r" (?:[|>&;]|2>|>>|#)")  # where the shell takes over


def typed(page: str) -> Iterator[str]:
    """The commands of a page in its blocks; what would begin to work without a file of yours is left out."""
    path = ROOT / page
    text = page_of(path).text if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            command = line.strip().removeprefix("$ ")
            if command.startswith("rankscope ") and "..." not in command and not WORKS.search(command):
                yield REST.split(command)[0]


PAGES = {page: list(typed(page)) for page in ["README.md", *pages()] if not page.endswith(".py")}
TYPED = {page: list(dict.fromkeys(commands)) for page, commands in PAGES.items() if commands}


@pytest.mark.parametrize("page", TYPED)
def test_the_commands_of_a_page_are_well_formed(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # there is no file here, so that a command ends before it works
    for command in TYPED[page]:
        done = CliRunner().invoke(cli, shlex.split(command)[1:])
        assert not MISTAKE.search(done.output), (command, done.output)


def test_the_pages_have_many_commands() -> None:
    assert sum(map(len, TYPED.values())) > 150
    assert not MISTAKE.search("No such file")
    assert MISTAKE.search(CliRunner().invoke(cli, ["benchmark", "photos"]).output)
