"""A package that adds something and is broken is named, and everything else works without it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankscope import catalogue
from tests.cli.inside import ended, runs_in

GROUPS = ("measures", "formats", "graphs", "feedback", "descriptors", "collections")


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package whose modules cannot be imported, or hold nothing of use."""
    info = tmp_path / "site" / "broken_pack-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-pack\nVersion: 1.0\n")
    lines = [
        f"[rankscope.{group}]\nbad = broken_pack_{kind}:thing\n" for group, kind in zip(GROUPS, KINDS, strict=True)
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    for kind, text in KINDS.items():
        (tmp_path / "site" / f"broken_pack_{kind}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "site")
    catalogue.additions.cache_clear()
    yield
    catalogue.additions.cache_clear()
    for kind in KINDS:
        sys.modules.pop(f"broken_pack_{kind}", None)


KINDS = {
    "missing": "import nothing_of_this_name\n",
    "raising": "raise RuntimeError('two\\nlines \\x1b[2J')\n",
    "leaving": "import sys\nsys.exit(3)\n",
    "lacking": "other = 1\n",
    "nameless": "thing = 1\n",
    "wrong": "this is no python\n",
}


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("group", GROUPS)
def test_it_is_named_once_and_left_out(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert catalogue.additions(f"rankscope.{group}") == ()
    assert catalogue.additions(f"rankscope.{group}") == ()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"! broken-pack adds 'bad' to rankscope.{group}")
    assert "\x1b" not in line


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    "line",
    ["measures", "evaluate qrels.txt a.run", "graph precision-recall qrels.txt a.run -o x.svg", "measures nDCG"],
)
def test_commands_go_on_without_it(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs_in(tmp_path))
    assert ended(monkeypatch, *line.split()) == 0
