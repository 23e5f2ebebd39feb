"""Options that are declared where a parameter stands: what is read of them, and what is not loaded for it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click
import pytest

import rankscope
from rankscope.commands.line.main import FILES, cli
from rankscope.core.options import DECIDES, Option, option_parameters, plain_type

if TYPE_CHECKING:
    from rankscope.nowhere import Unknown  # type: ignore[import-not-found]  # never imported

QUESTIONS = sorted(name for name, file in FILES.items() if not file.startswith("line."))
HELP_LOADS_NOTHING = (
    "import sys\nfrom rankscope.commands.line.main import cli\n"
    "try:\n    cli.main([{!r}, '--help'])\nexcept SystemExit:\n    pass\n"
    "assert not {{'numpy', 'polars'}} & set(sys.modules), sorted(sys.modules)"
)


def asked(
    what: Any,
    depth: Annotated[Unknown | int, Option("How deep.", metavar="K", panel=DECIDES)] = 10,
    order: Annotated[Literal["up", "down"] | None, Option("Which way.")] = None,
    plain: int = 3,
) -> None: ...


def test_types_that_only_checkers_import_are_never_evaluated() -> None:
    found = option_parameters(asked)
    assert list(found) == ["depth", "order"]
    assert (found["depth"].type, found["depth"].default, found["depth"].option.panel) == ("Unknown | int", 10, DECIDES)
    assert found["order"].choices == ("up", "down")
    assert plain_type(inspect.signature(asked).parameters["plain"].annotation) == "int"


@pytest.mark.parametrize("name", QUESTIONS)
def test_help_of_a_question_loads_no_numbers(name: str) -> None:
    subprocess.run([sys.executable, "-c", HELP_LOADS_NOTHING.format(name)], check=True, capture_output=True)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_parameter_of_a_question_is_an_option_declared_once(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option)]
    names = [each.name for each in options]
    assert len(names) == len(set(names))
    assert [each.name for each in options if not each.help] == []
    assert len({spelled for each in options for spelled in each.opts}) == sum(len(each.opts) for each in options)


@pytest.mark.parametrize("function", [rankscope.evaluate, rankscope.compare, rankscope.gate, rankscope.forecast_growth])
def test_python_shows_types_without_options(function: Any) -> None:
    shown = str(inspect.signature(function))
    assert "Option(" not in shown
    assert "measures: 'Asked'" in shown
    assert "columns" in shown


def test_help_names_what_it_leaves_out_and_shows_it_when_asked() -> None:
    from click.testing import CliRunner

    short, whole = (CliRunner().invoke(cli, ["compare", wanted]).output for wanted in ("--help", "--help-all"))
    assert "--correction" in short
    assert "--ties" not in short
    assert "More: input files (10), choices that change numbers (18)" in " ".join(short.split())
    assert all(each in whole for each in ("--ties", "--encoding", "--latex-marks", "--quiet", "Choices that change"))
    assert len(short.splitlines()) < 80 < len(whole.splitlines())
