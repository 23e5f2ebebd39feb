"""The first screen: what the README prints is what comes out, in a folder where nothing else is."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.cli.demo import SYSTEMS, _nearest
from rankscope.cli.demo_samples import write_samples
from rankscope.cli.main import cli
from rankscope.collections import icons
from rankscope.graphs import ALL, FEEDBACK
from tests.test_tutorials import blocks, steps

README = Path(__file__).parents[1] / "README.md"
SCREEN = 75  # lines


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `rankscope demo -o demo` leaves for other commands; the rest of it is tested with the report."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "demo").mkdir()
    written = write_samples(folder / "demo", icons(), _nearest, SYSTEMS)
    assert [path.name for path, _ in written] == ["qrels.txt", "pixels.run", "edges.run"]
    return folder


def test_the_first_commands_install_it_and_write_the_samples() -> None:
    assert [command for command, _ in steps(README)[:2]] == ["pip install rankscope", "rankscope demo -o demo"]


@pytest.mark.parametrize(("command", "shown"), steps(README)[2:])
def test_a_command_prints_what_the_readme_shows(
    command: str, shown: str, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo)
    done = CliRunner().invoke(cli, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    assert done.output.strip() == shown.strip()


def test_the_lines_of_python_run(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo)
    (code,) = blocks(README, "python")
    exec(compile(code, "README.md", "exec"), {})
    assert (demo / "pr.svg").exists()


def test_it_is_one_screen_and_counts_right() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= SCREEN
    assert f"[{len((*ALL, *FEEDBACK))} kinds of graphs]" in text
