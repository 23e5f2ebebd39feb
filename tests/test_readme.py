"""The first screen: what the README prints is what comes out, where nothing else is, and in a fresh clone."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.demo import SYSTEMS, _nearest, write_samples
from rankscope.commands.line.main import cli
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import ALL, FEEDBACK
from tests.commands.line.test_recipes import Action
from tests.needs import needed_module, needed_program
from tests.test_tutorials import blocks, steps
from tools.site.notebooks import page_of
from tools.site.stage import pages

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SCREEN = 85  # lines
SET_UP = ["make demo", "make test", "pip install ."]
TYPED = re.compile(r"^\s*(?:\$ |- run: |- )?(?:python -m )?pip install (.*?)(?: #.*)?$", re.MULTILINE)
TOLD = re.compile(r"`pip install ([^`]*)`")
BY_NAME = re.compile(r"(?:^|[\s'\"])rankscope(?![\w/-])")  # which pip looks for on an index, unless it is installed


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make demo` leaves for other commands; the rest of it is tested with the report."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "demo-output").mkdir()
    written = write_samples(folder / "demo-output", icons(), _nearest, SYSTEMS)
    assert [path.name for path, _ in written] == ["qrels.txt", "pixels.run", "edges.run"]
    return folder


def test_the_first_commands_need_a_clone_and_nothing_else() -> None:
    assert [command for command, _ in steps(README)[: len(SET_UP)]] == SET_UP


@pytest.mark.parametrize(("command", "shown"), steps(README)[len(SET_UP) :])
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


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "action.yml", *pages()])
def test_no_page_tells_to_ask_an_index_for_what_is_not_published(page: str) -> None:
    path = ROOT / page
    text = page_of(path).text if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")
    assert [command for command in TYPED.findall(text) if BY_NAME.search(command)] == []
    for paragraph in text.split("\n\n"):
        if any(map(BY_NAME.search, TOLD.findall(paragraph))):
            assert "once rankscope is published" in paragraph.replace("\n", " ").lower()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The files of this checkout that git knows or would take, as they are now, and nothing else."""
    if not (ROOT / ".git").exists():
        pytest.skip("NO GIT CHECKOUT: these sources came as an archive, of which no clone can be made")
    needed_program("git", advice="install git")
    listed = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    folder = tmp_path / "clone"
    for name in filter(None, names):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def typed(command: str, folder: Path) -> str:
    """What a command prints that is typed in a folder."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="the Makefile's .venv/bin is another folder there")
def test_a_fresh_clone_gets_to_a_gate_and_asks_no_index_for_rankscope(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed_program("make", advice="install make")
    needed_program("bash", advice="install bash")
    needed_module("yaml", "dev")
    log, own = tmp_path / "pip.log", tmp_path / "own"
    for name in os.environ:
        if name.startswith(("PYTHON", "RANKSCOPE_", "MAKE", "MFLAGS", "VIRTUAL_ENV")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHON", sys.executable)  # what the Makefile calls python3
    monkeypatch.setenv("PIP_LOG", str(log))  # pip writes there what it asks the index for

    end = typed("make demo", clone).splitlines()[-2:]
    assert end == ["Open demo-output/report.html in a browser:", (clone / "demo-output/report.html").as_uri()]
    assert (clone / "demo-output/report.html").stat().st_size > 100_000
    assert "pytest" in typed("make -n test", clone)

    subprocess.run([sys.executable, "-m", "venv", str(own)], check=True)
    monkeypatch.setenv("PATH", os.pathsep.join([str(own / "bin"), os.environ["PATH"]]))
    typed("pip install .", clone)
    for command, shown in steps(README)[len(SET_UP) :]:
        assert typed(command, clone).strip() == shown.strip()
    (code,) = blocks(README, "python")
    typed(f"python -c {shlex.quote(code)}", clone)
    assert (clone / "pr.svg").exists()
    typed("pip install --dry-run 'rankscope[web]'", tmp_path)  # as a message says that misses the extra

    typed("pip uninstall --yes rankscope", tmp_path)  # so that the action has to bring its own
    work = tmp_path / "work"
    shutil.copytree(clone / "demo-output", work)
    runs = {"baseline": "pixels.run", "candidate": "edges.run"}
    action = Action(work, clone, qrels="qrels.txt", history="gate.jsonl", **runs)
    for number in range(len(action.steps)):
        done = action.step(number, "1")
        assert done.returncode == 0, done.stderr
    assert (work / "github_output").read_text() == "verdict=pass\n"
    assert "### Gate: pass" in (work / "github_step_summary").read_text(encoding="utf-8")
    assert (work / "history.html").exists()

    asked = set(re.findall(r"to search for versions of ([\w.-]+):", log.read_text(encoding="utf-8")))
    assert {"numpy", "hatchling"} <= asked
    assert "rankscope" not in asked
