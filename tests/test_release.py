"""What is published says one thing: version, date, how to cite it, what it promises."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import rankscope

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", re.MULTILINE)


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_newest_entry_of_the_changelog_is_this_version() -> None:
    versions = RELEASE.findall(text("CHANGELOG.md"))
    assert versions[0][0] == rankscope.__version__
    assert versions == sorted(versions, key=lambda each: each[1], reverse=True)


def test_the_citation_has_the_version_and_its_date() -> None:
    (version, date), *_ = RELEASE.findall(text("CHANGELOG.md"))
    assert f"\nversion: {version}\n" in text("CITATION.cff")
    assert f'\ndate-released: "{date}"\n' in text("CITATION.cff")


def test_pages_name_the_version_that_there_is() -> None:
    assert f"OWNER/rankscope@v{rankscope.__version__}" in text("docs/how-to/gate.md")
    assert f"such as =={rankscope.__version__};" in text("action.yml")
    assert f"| {rankscope.__version__.partition('.')[0]}.x, the newest | yes |" in text("SECURITY.md")


def test_the_source_archive_holds_what_builds_and_tests_it() -> None:
    held = {each.lstrip("/") for each in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}
    assert {"src", "tests", "tools", "docs", "Makefile", "mkdocs.yml", "README.md", "SECURITY.md", "LICENSE"} <= held
    assert all((ROOT / each).exists() for each in held)


def test_what_is_promised_is_listed_somewhere() -> None:
    promise = text("docs/reference/stability.md")
    for page in ("api", "commands", "exit-codes", "measures", "settings", "names"):
        assert f"({page}.md)" in promise
