"""The pages on few judgements and on machine judges: their commands and their Python run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.analysis.sampling.test_machine_judge import judged
from tests.analysis.sampling.test_run_estimates import pooled, runs

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
        for file, labels in (("people.txt", dict(list(people.items())[:25])), ("machine.txt", machine)):
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


def test_the_page_on_machines_says_what_was_measured() -> None:
    """Shares and worths of the prose are those of the tables of `python -m benchmarks`."""
    section = (
        (HOW_TO.parent / "performance.md").read_text(encoding="utf-8").split("## Few judgements")[1].split("\n## ")[0]
    )
    tables: dict[str, list[dict[str, str]]] = {"collection": [], "kappa": []}
    header: list[str] = []
    for line in section[section.index("Machine judges:") :].splitlines():
        cells = [each.strip() for each in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and cells[0] in tables:
            header = cells
        elif cells and not set(line) <= set("|-: "):
            tables[header[0]].append(dict(zip(header, cells, strict=True)))
    words = " ".join(page("machine-judge").split())
    lowest = {n: min(float(row["lowest"]) for row in tables["collection"] if row["n"] == n) for n in ("10", "20", "50")}
    assert min(lowest.values()) >= 0.93
    told = [f"{lowest[n]:.3f}".removeprefix("0") for n in lowest]
    assert f"{told[0]} with 10 queries, {told[1]} with 20, {told[2]} with 50" in words
    worth = [
        [
            int(row["worth queries"])
            for row in tables["collection"]
            if (row["n"], row["kappa"]) == ("50", f"{kappa:.3f}")
        ]
        for kappa in (0.5, 0.7, 0.9)
    ]
    of = [f"{min(each)} to {max(each)}" for each in worth]
    assert f"that of {of[0]}. At kappa .7 it was that of {of[1]}, at .9 of {of[2]}" in words
    wide = {(row["kappa"], row["n"]): row for row in tables["kappa"]}
    share = [100 * float(wide[kappa, "10"]["wider"]) for kappa in ("0.700", "0.500")]
    assert f"in up to {share[0]:.0f} % of samples, of kappa .5 in up to {share[1]:.0f} %" in words
    assert max(float(wide["0.700", n]["worst"]) for n in ("20", "25", "30")) <= 1.02


@pytest.mark.parametrize("name", PAGES)
def test_the_links_of_a_page_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page(name))
    assert [link for link in links if not (HOW_TO / link).exists()] == []
