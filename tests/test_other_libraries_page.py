"""Every example of the page on other libraries is run, in a folder with what it names."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands import adapters
from rankscope.commands.line.main import cli
from tests.commands.adapters.shared import GOLDEN, NEEDS
from tests.commands.line.inside import runs_in
from tests.test_claims_pages import commands, parts
from tests.test_tutorials import DOCS

PAGE = "other-libraries"
APP = """
from types import SimpleNamespace as Found

class Retriever:
    def invoke(self, text):
        return [Found(page_content=text, id=name, metadata={}) for name in ("d1", "d2")]

    def retrieve(self, text):
        chunks = [("n1", "d2"), ("n2", "d1"), ("n3", "d2")]
        return [Found(node=Found(node_id=node, ref_doc_id=name, metadata={}), score=0.5) for node, name in chunks]

retriever = node_retriever = Retriever()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    runs_in(tmp_path)
    (tmp_path / "my_app.py").write_text(APP)
    for name, model in (("small", "first"), ("large", "second")):
        shutil.copytree(GOLDEN / "mteb" / model, tmp_path / "results" / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.sampled(1)
@pytest.mark.parametrize("block", [text for kind, text in parts(PAGE) if kind == "python"])
def test_an_example_in_python_runs(block: str, folder: Path) -> None:
    for package in re.findall(r"^(?:import|from) (\w+)", block, re.MULTILINE):
        NEEDS.get(package, lambda: None)()
    done = subprocess.run([sys.executable, "-c", block], check=False, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_commands_run(folder: Path) -> None:
    lines = [line for kind, text in parts(PAGE) if kind == "console" for line in commands(text)]
    assert lines
    for line in lines:
        result = CliRunner().invoke(cli, shlex.split(line)[1:])
        assert result.exit_code == 0, (line, result.output)
    assert (folder / "a.metrics.json").exists()


def test_the_table_has_every_adapter_and_names_what_is_there() -> None:
    text = (DOCS / "how-to" / f"{PAGE}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[([^\]]+)\]\([^)]+\) \|.*\| (.*) \|$", text, re.MULTILINE)
    modules = (
        "ranx",
        "ir_datasets",
        "pyterrier",
        "beir",
        "mteb",
        "langchain",
        "llama_index",
        "hugging_face",
        "sklearn",
    )
    assert {*modules, "metrics"} == set(adapters.__all__)
    assert len(rows) == len(adapters.__all__)
    for module, (_, names) in zip((*modules, "metrics"), rows, strict=True):
        for name in re.findall(r"`(\w+)`", names):
            assert hasattr(getattr(adapters, module), name), f"{module} has no {name}"
