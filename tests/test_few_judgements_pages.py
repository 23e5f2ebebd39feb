"""The pages on few judgements and on machine judges: their commands and their Python run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.cli.main import cli
from tests.sampling.test_machine_judge import judged
from tests.sampling.test_run_estimates import pooled, runs

HOW_TO = Path(__file__).parents[1] / "docs" / "how-to"
PAGES = ("few-judgements", "machine-judge")


def page(name: str) -> str:
    return (HOW_TO / f"{name}.md").read_text(encoding="utf-8")


def write_run(path: Path, ranking: dict[str, list[str]]) -> None:
    lines = [f"{q} Q0 {item} {k} {-k} x\n" for q, items in ranking.items() for k, item in enumerate(items, 1)]
    path.write_text("".join(lines))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder: Path, name: str) -> None:
    """The files that a page speaks of."""
    if name == "few-judgements":
        rows = pooled(share=0.4).rows()
        (folder / "sample.txt").write_text("".join(f"{q} 0 {i} {g} {pi:g}\n" for q, i, g, pi, _ in rows))
        (folder / "judged.txt").write_text("".join(f"{q} 0 {i} {g}\n" for q, i, g, *_ in rows if g >= 0))
        one, two = runs().values()
    else:
        people, machine = judged(40)
        for file, labels in (("people.txt", dict(list(people.items())[:15])), ("machine.txt", machine)):
            lines = [f"{q} 0 {i} {g}\n" for q, items in labels.items() for i, g in items.items()]
            (folder / file).write_text("".join(lines))
        one, two = ({query: list(order) for query in machine} for order in ("abcdefgh", "hgfedcba"))
    write_run(folder / "bm25.run", one)
    write_run(folder / "dense.run", two)


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_run(folder: Path, name: str) -> None:
    fill(folder, name)
    commands = re.findall(r"^\$ rankscope (.+)$", page(name), re.MULTILINE)
    assert commands
    for command in commands:
        done = CliRunner().invoke(cli, shlex.split(command))
        assert done.exit_code == 0, (command, done.exception)


@pytest.mark.parametrize("name", PAGES)
def test_the_python_of_a_page_runs(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    fill(folder, name)
    for code in re.findall(r"```python\n(.*?)```", page(name), re.DOTALL):
        exec(compile(code, name, "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("name", PAGES)
def test_the_links_of_a_page_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page(name))
    assert [link for link in links if not (HOW_TO / link).exists()] == []
