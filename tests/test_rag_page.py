"""The page about chunks is run as it stands, and shows what comes of it."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path

from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.test_claims_pages import commands, parts
from tests.test_tutorials import DOCS

PAGE = DOCS / "how-to" / "rag-chunks.md"


def test_every_block_runs_and_the_table_is_what_comes(tmp_path: Path) -> None:
    shown = PAGE.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    said = ""
    with contextlib.chdir(tmp_path):
        for kind, block in parts("rag-chunks"):
            if kind == "python":
                exec(compile(block, "rag-chunks.md", "exec"), {})
            for line in commands(block) if kind == "console" else ():
                done = CliRunner().invoke(cli, shlex.split(line)[1:])
                assert done.exit_code == 0, (line, done.output, done.exception)
                said += done.output
    assert shown in said
