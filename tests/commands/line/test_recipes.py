"""The GitHub Action and the recipes of docs/how-to/gate.md, run step by step as a runner would."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rankscope.analysis.comparison.gate_history import read_history
from tests.needs import needed_module

ROOT = Path(__file__).parents[3]
QUERIES = range(12)
EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")


def loaded(text: str) -> Any:
    return needed_module("yaml", "dev").safe_load(text)


def recipe(start: str) -> Any:
    """A block of YAML in the page, by its first line."""
    page = (ROOT / "docs/how-to/gate.md").read_text(encoding="utf-8")
    return loaded(next(block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if block.startswith(start)))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository with judgements, a baseline and a search that finds every relevant item first, or never."""
    (tmp_path / "eval").mkdir()
    (tmp_path / "eval/qrels.txt").write_text("".join(f"q{n} 0 r 1\n" for n in QUERIES))
    (tmp_path / "eval/queries.tsv").write_text("".join(f"q{n}\twords\n" for n in QUERIES))
    run = "".join(f"q{n} Q0 r 1 2 t\nq{n} Q0 x 2 1 t\n" for n in QUERIES)
    (tmp_path / "eval/baseline.run").write_text(run)
    subprocess.run(["gzip", "-k", "eval/baseline.run"], cwd=tmp_path, check=True)
    (tmp_path / "search.py").write_text(
        "import os, sys\n"
        "names = ('r', 'x') if os.environ.get('GOOD') else ('x', 'r')\n"
        f"lines = [f'q{{n}} Q0 {{name}} {{rank}} {{3 - rank}} t' for n in range({len(QUERIES)})"
        " for rank, name in enumerate(names, 1)]\n"
        "open(sys.argv[-1], 'w').write('\\n'.join(lines) + '\\n')\n"
    )
    for name, text in (("pip", "exit 0"), ("rankscope", f'exec {sys.executable} -m rankscope "$@"')):
        program(tmp_path / "bin" / name, text)
    asked = '[ "$2" = pip ] && { echo "$@" >> pip.txt; exit 0; }'
    program(tmp_path / "bin" / "python", f'{asked}; exec {sys.executable} "$@"')
    return tmp_path


def program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def run_step(place: Path, script: str, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """As GitHub runs it: bash with -e and pipefail."""
    environment = {**os.environ, **more, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)


class Action:
    """The action.yml of a checkout, with its inputs filled in."""

    def __init__(self, place: Path, checkout: Path = ROOT, **given: str) -> None:
        whole = loaded((checkout / "action.yml").read_text(encoding="utf-8"))
        self.place, self.checkout, self.steps = place, checkout, whole["runs"]["steps"]
        self.inputs = {name: str(each.get("default", "")) for name, each in whole["inputs"].items()} | given
        missing = [name for name, each in whole["inputs"].items() if each.get("required") and name not in given]
        assert not missing

    def step(self, number: int, build: str) -> subprocess.CompletedProcess[str]:
        step = self.steps[number]
        files = {name: str(self.place / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        more = {name: self._filled(text, build) for name, text in step.get("env", {}).items()}
        assert not EXPRESSION.search(step["run"]), "inputs come as variables, or they could run"
        runner = {"RUNNER_TEMP": str(self.place), "GITHUB_ACTION_PATH": str(self.checkout)}
        return run_step(self.place, step["run"], {**files, **runner, **more})

    def _filled(self, text: str, build: str) -> str:
        inside = EXPRESSION.fullmatch(text)
        assert inside is not None
        value = self.inputs[inside[1].removeprefix("inputs.")]
        return build if value == "${{ github.run_number }}" else value


@pytest.mark.thorough
def test_the_action_passes_fails_and_keeps_a_history(place: Path) -> None:
    used = next(each for each in recipe("# .github")["jobs"]["gate"]["steps"] if "rankscope@" in each.get("uses", ""))
    action = Action(place, **used["with"])
    answer = next(each for each in recipe("# .github")["jobs"]["gate"]["steps"] if "search.py" in each.get("run", ""))
    for build, good, code in (("1", "yes", 0), ("2", "", 1)):
        assert run_step(place, answer["run"], {"GOOD": good}).returncode == 0
        assert action.step(0, build).returncode == 0
        assert action.step(1, build).returncode == code
        assert action.step(2, build).returncode == 0
    assert (place / "github_output").read_text().split() == ["verdict=pass", "verdict=fail"]
    assert "### Gate: fail, `candidate` against `baseline" in (place / "github_step_summary").read_text()
    assert [(each.build, each.verdict) for each in read_history(place / "gate.jsonl").builds] == [
        ("1", "pass"),
        ("2", "fail"),
    ]
    assert "Build 2 of " in (place / "history.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("version", "installed"), [("", "a checkout"), ("==1.0.0", "rankscope==1.0.0")])
def test_the_action_installs_its_own_checkout_unless_a_published_version_is_given(
    place: Path, version: str, installed: str
) -> None:
    checkout = place / "a checkout"
    checkout.mkdir()
    (checkout / "action.yml").write_bytes((ROOT / "action.yml").read_bytes())
    files = {"qrels": "eval/qrels.txt", "baseline": "eval/baseline.run", "candidate": "eval/baseline.run"}
    assert Action(place, checkout, **files, version=version).step(0, "1").returncode == 0
    wanted = installed if version else str(checkout)
    assert (place / "pip.txt").read_text() == f"-m pip install --quiet {wanted}\n"


def test_the_action_says_that_it_could_not_judge(place: Path) -> None:
    action = Action(place, qrels="eval/qrels.txt", baseline="eval/none.run", candidate="eval/baseline.run")
    done = action.step(1, "1")
    assert done.returncode == 2
    assert "eval/none.run" in done.stderr
    assert (place / "github_output").read_text() == "verdict=\n"


def test_nothing_in_an_input_of_the_action_is_run(place: Path) -> None:
    action = Action(place, qrels="$(touch stolen)", baseline="`touch stolen`", candidate="; touch stolen")
    assert action.step(1, "1").returncode == 2
    assert not (place / "stolen").exists()


def test_the_two_lines_without_the_action(place: Path) -> None:
    assert run_step(place, "python search.py candidate.run", {"GOOD": "yes"}).returncode == 0
    for step in recipe("      - run: pip"):
        assert run_step(place, step["run"], {"GITHUB_STEP_SUMMARY": str(place / "summary")}).returncode == 0
    assert "### Gate: pass" in (place / "summary").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize(("good", "code"), [("yes", 0), ("", 1)])
def test_the_recipe_for_gitlab(place: Path, good: str, code: int) -> None:
    job = recipe("# .gitlab-ci.yml")["retrieval"]
    script = "\n".join(job["script"])
    more = {"GOOD": good, "CI_PIPELINE_IID": "77", "CI_PIPELINE_CREATED_AT": "2026-11-03T10:15:00Z"}
    done = run_step(place, script, more)
    assert done.returncode == code, done.stderr
    assert [(each.build, each.day) for each in read_history(place / "gate.jsonl").builds] == [("77", "2026-11-03")]
    assert all((place / name).exists() for name in [*job["artifacts"]["paths"], *job["cache"]["paths"]])
