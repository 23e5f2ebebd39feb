"""Every row of the claims: its command can be parsed, its page and its tests are there, and nothing is left unsaid."""

from __future__ import annotations

import ast
import shlex
from functools import cache
from itertools import pairwise
from pathlib import Path

import click
import pytest

from rankscope.commands.line.main import cli
from tools.claims.files import write_notes
from tools.claims.rows import STATUSES, ClaimRow, all_rows, counts, row_of
from tools.claims.run_rows import ROOT, commands, run

ROWS = all_rows()
SHOWN = [row for row in ROWS if row.status in ("ok", "next")]
each_row = pytest.mark.parametrize("row", SHOWN, ids=lambda row: str(row.number))


def parse_command(command: str) -> click.Context:
    """The context of a `rankscope` command line: subcommands and options exist, values are of their kind."""
    context = cli.make_context("rankscope", shlex.split(command)[1:])
    while isinstance(context.command, click.Group):
        rest = [*context._protected_args, *context.args]
        name, below, arguments = context.command.resolve_command(context, rest)
        assert below is not None
        context = below.make_context(name, arguments, parent=context)
    return context


@cache
def functions_of(path: Path) -> frozenset[str]:
    """Names of the functions at the top of a file of tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_every_claim_has_one_row() -> None:
    assert [row.number for row in ROWS] == [*range(1, 173)]


def test_every_status_is_one_that_is_explained() -> None:
    assert {row.status for row in ROWS} <= set(STATUSES)
    assert sum(counts(ROWS).values()) == len(ROWS)


def test_what_is_not_shown_says_why() -> None:
    assert [row.number for row in ROWS if row.status != "ok" and not row.note] == []


def test_a_row_may_have_one_command_or_several() -> None:
    row = row_of({"number": 1, "claim": "c", "run": "rankscope demo", "test": ["a", "b"]})
    assert row == ClaimRow(number=1, claim="c", status="ok", run=("rankscope demo",), page="", test=("a", "b"), note="")


@each_row
def test_the_commands_of_a_row_can_be_parsed(row: ClaimRow) -> None:
    assert row.run
    for command in row.run:
        program, first, *_ = shlex.split(command)
        if program == "rankscope":
            parse_command(command)
        else:
            assert program == "python"
            assert (ROOT / first).is_file(), command


@each_row
def test_the_page_of_a_row_is_there(row: ClaimRow) -> None:
    assert (ROOT / "docs" / row.page).is_file()


@each_row
def test_the_tests_of_a_row_are_there(row: ClaimRow) -> None:
    assert row.test
    for node in row.test:
        file, _, name = node.partition("::")
        assert name in functions_of(ROOT / file), node


@pytest.mark.parametrize(
    "command", ["rankscope graph grip a.parquet --no-such", "rankscope nothing", "rankscope rank x.npz --metric"]
)
def test_a_command_that_does_not_exist_is_found_out(command: str) -> None:
    with pytest.raises(click.UsageError):
        parse_command(command)


def test_every_command_is_run_once() -> None:
    every = commands(set())
    assert set(every) == {command for row in ROWS for command in row.run}
    assert len(every) == len(set(every))


def made_by(command: str) -> set[str]:
    """What a command makes in the folder: what stands behind -o, or a new project."""
    words = shlex.split(command)
    written = {made for option, made in pairwise(words) if option in ("-o", "--output")}
    return written | ({words[3]} if words[1:3] == ["project", "new"] else set())


@each_row
def test_a_row_needs_nothing_that_another_row_makes(row: ClaimRow) -> None:
    everything = set().union(*(made_by(command) for each in ROWS for command in each.run))
    own: set[str] = set()
    for command in row.run:
        own |= made_by(command)
        assert not (set(shlex.split(command)) & everything) - own, command


@pytest.mark.thorough
def test_what_is_served_is_asked_for_and_what_is_gathered_is_there(tmp_path: Path) -> None:
    write_notes(tmp_path)
    gather, *_, serve, _ = ROWS[-1].run
    assert run("rankscope index notes -o notes.index", tmp_path) == ""
    assert run(serve, tmp_path) == ""
    assert "is no index" in run(serve.replace("notes.index", "none.index"), tmp_path)
    assert run(gather, tmp_path) == ""
    assert (tmp_path / "pages.parquet").is_file()
    assert "no command 'nothing'" in run("rankscope nothing", tmp_path)
    silent = tmp_path / "silent.py"
    silent.write_text("")
    assert run(f"python {silent}", tmp_path) == "shows nothing"
    silent.write_text("open('picture', 'w').close()")
    assert run(f"python {silent}", tmp_path) == ""
