"""The recipes of the page on clusters, run as they are written."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from rankscope.core.runners import RUNNERS
from rankscope.feedback.study.results import Results, load_results
from tests.clusters import ROOT
from tests.feedback.problems import same_numbers
from tests.needs import needed_module, needed_program

PAGE = (ROOT / "docs" / "how-to" / "clusters.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"```sh\n(.*?)```", PAGE, re.S)
PLACE = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
PLACE["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))

if sys.platform == "win32":
    pytest.skip("recipes are for a shell", allow_module_level=True)


def run(recipe: str, folder: Path) -> None:
    recipe = re.sub("^rankscope ", f"{shlex.quote(sys.executable)} -m rankscope ", recipe, flags=re.M)
    done = subprocess.run(["bash", "-c", recipe], cwd=folder, env=PLACE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def at_home(folder: Path) -> Results:
    (words,) = {re.sub(r"--on \S+", "--on home", each) for each in re.findall(r"feedback digits .*parquet", PAGE)}
    run(f"rankscope {words.replace('digits.parquet', 'home.parquet')}", folder)
    return load_results(folder / "home.parquet")


def test_every_runner_has_a_row() -> None:
    assert all(f"| `{each.name}" in PAGE for each in RUNNERS)


@pytest.mark.thorough
def test_dask_in_two_commands(tmp_path: Path) -> None:
    needed_module("sklearn", "feedback")
    needed_module("distributed", "distributed")
    start, use = (recipe for recipe in RECIPES if "8786" in recipe)
    assert len(start.splitlines()) == 2
    ended = "; trap 'kill $(jobs -p); wait' EXIT\n"  # what the shell started ends with it
    quiet = start.replace(" &", " > log 2>&1 &").replace("--port 8786", "--port 8786 --dashboard-address 127.0.0.1:0")
    with socket.socket() as held:  # nobody else is given the port; who asks for it by number gets it
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        run(f"set -e{ended}{quiet}{use}".replace("8786", str(held.getsockname()[1])), tmp_path)
    assert same_numbers(load_results(tmp_path / "digits.parquet"), at_home(tmp_path))


@pytest.mark.spark
def test_spark_submit(tmp_path: Path) -> None:
    needed_module("sklearn", "feedback")
    needed_module("pyspark", "spark")
    needed_program("java", advice="apt-get install default-jre-headless")
    (recipe,) = (recipe for recipe in RECIPES if "spark-submit" in recipe)
    run(recipe, tmp_path)
    assert same_numbers(load_results(tmp_path / "digits.parquet"), at_home(tmp_path))
