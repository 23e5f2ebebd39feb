"""What commands print as the next step runs as it is printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.postgres import Cluster
from tests.workbench.projects import write_sources

RUNS = [part for number in range(3) for part in ("--runs", f"r{number}.run")]
NEXT = re.compile(r"^Next: rankscope (.+)$", re.MULTILINE)


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def followed(folder: str, *elsewhere: str) -> str:
    """What the next step of a new project prints."""
    made = printed(
        "project",
        "new",
        folder,
        "--texts",
        "docs.jsonl",
        "--topics",
        "topics.tsv",
        *RUNS,
        "--grades",
        "0,1",
        *elsewhere,
    )
    (step,) = NEXT.findall(made)
    return printed(*shlex.split(step))


@pytest.fixture(autouse=True)
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_sources(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("folder", ["judging", "my judging", "it's"])
def test_the_next_step_of_a_new_project_runs(folder: str) -> None:
    assert followed(folder).startswith("pool 1: depth(20), 2 queries")


def test_the_next_step_of_a_project_in_a_database_runs(cluster: Cluster) -> None:
    assert followed("in a database", "--database", cluster.address).startswith("pool 1: depth(20), 2 queries")


def test_without_runs_no_next_step_is_printed() -> None:
    assert NEXT.findall(printed("project", "new", "other", "--texts", "docs.jsonl", "--topics", "topics.tsv")) == []


def test_the_advice_for_a_folder_that_is_no_project_can_be_copied() -> None:
    done = CliRunner().invoke(cli, ["project", "invite", "my judging", "Ann"])
    assert "rankscope project new 'my judging' --images DIR" in str(done.exception)
