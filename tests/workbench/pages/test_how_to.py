"""The page about judging in a browser says what happens: its commands run, its keys and addresses are there."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rankscope.workbench.pages.application import ADDRESSES
from tests.browser.workbenches import ServerProcess
from tests.needs import needed_program
from tests.test_tutorials import DOCS, steps
from tests.workbench.projects import small_project

PAGE = DOCS / "how-to" / "judge-in-a-browser.md"
TEXT = PAGE.read_text(encoding="utf-8")
TEMPLATES = Path(__file__).parents[3] / "src" / "rankscope" / "workbench" / "pages" / "templates"


def test_the_first_command_says_what_the_page_shows(tmp_path: Path) -> None:
    needed_program("curl", advice="install curl")
    with small_project(tmp_path) as project:
        project.make_pool("depth(3)")
        token = project.invite("script").token
        folder = project.folder.rename(tmp_path / "judging")
    server = ServerProcess(folder)
    try:
        ((_, shown),) = [each for each in steps(PAGE) if each[0] == "rankscope serve judging"]
        said = "".join(server.lines).replace(str(server.port), "8384")
        assert re.sub(r"/enter/\S+", "/enter/TOKEN", said) == "".join(shown.splitlines(keepends=True)[:2])
        asked, described = [each for each, _ in steps(PAGE) if each.startswith("curl")]
        view = answer_of(asked, server, token)
        assert view["format"] == "rankscope.judge"
        assert len(view["tasks"]) == 12
        assert "/judge" in answer_of(described, server, token)["paths"]
    finally:
        server.end()


def answer_of(command: str, server: ServerProcess, token: str) -> dict[str, Any]:
    here = command.replace("http://127.0.0.1:8384", server.address)
    around = {**os.environ, "TOKEN": token}
    done = subprocess.run(["bash", "-c", here], capture_output=True, check=True, env=around)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_key_of_the_page_is_one_of_the_judging_page() -> None:
    judging = (TEMPLATES / "judge.html").read_text(encoding="utf-8")
    table = TEXT.split("| key | does |")[1].split("\n\n")[0]
    keys = set(re.findall(r"`(\w|\?|Enter)`", table)) - set("09")
    assert keys == set(re.findall(r"<kbd>(\w|\?|Enter)</kbd>", judging.split('id="keys"')[1]))


def test_every_page_that_an_admin_finds_is_in_the_table() -> None:
    titles = {each.title for each in ADDRESSES if each.title and each.role == "admin"}
    assert {title for title in titles if f"| {title} |" not in TEXT} == set()


def test_other_hosts_need_encryption_as_the_page_says(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from tests.commands.line.inside import ended

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        with small_project(tmp_path):
            pass
        assert ended(patch, "serve", "project", "--host", "0.0.0.0") == 2
        assert "give --certificate and --certificate-key, or --behind-proxy" in capfd.readouterr().err
        assert ended(patch, "serve", "project", "--behind-proxy", "judging.example.org/x") == 2
        assert "as https://judging.example.org" in capfd.readouterr().err
