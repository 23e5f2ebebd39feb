"""The site: every page has its place, every link leads somewhere, and the builder has nothing to say."""

from __future__ import annotations

import doctest
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankscope.reports.graphs import ALL, FEEDBACK
from tests.needs import needed_module
from tools.docs import gallery
from tools.make_site import ELSEWHERE, OUTPUT
from tools.site import links, notebooks
from tools.site.stage import FROM_ROOT, pages, stage

ROOT = Path(__file__).parents[1]
_, _, MENU_TEXT = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
MENU = needed_module("yaml", "site").safe_load(MENU_TEXT)
GALLERY = ROOT / "docs" / "gallery"
LARGEST = 100_000  # bytes of a picture
SOURCES = [ROOT / "README.md", *(ROOT / path for path in pages() if not path.endswith(".py"))]


def leaves(part: Any) -> Iterator[str]:
    """The pages of a menu, in its order."""
    if isinstance(part, str):
        yield part
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from leaves(each)


def test_every_page_is_in_the_menu_once() -> None:
    told = list(leaves(MENU))
    assert sorted(told) == sorted(place for path, place in pages().items() if not path.endswith(".py"))


def test_every_how_to_is_named_on_the_tour() -> None:
    told = {target.partition("#")[0] for target in links.targets((ROOT / "docs" / "tour.md").read_text("utf-8"))}
    assert {f"how-to/{path.name}" for path in (ROOT / "docs" / "how-to").glob("*.md")} <= told


def text_of(path: Path) -> str:
    return notebooks.page_of(path).text if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", SOURCES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_and_picture_of_a_page_is_there(page: Path) -> None:
    drawn = notebooks.page_of(page).pictures if page.suffix == ".ipynb" else {}
    targets = [target.partition("#")[0] for target in links.targets(text_of(page))]
    here = [each for each in targets if each and not links.ELSEWHERE.match(each) and each not in drawn]
    assert [each for each in here if not (page.parent / each).exists()] == []


@pytest.mark.parametrize("kind", [kind.name for kind in (*ALL, *FEEDBACK)])
def test_every_kind_of_graph_has_pictures_in_the_gallery(kind: str) -> None:
    names = gallery.pictures_of(kind)
    assert f"{kind}.svg" in names
    sizes = {name: (GALLERY / "images" / name).stat().st_size for name in names}
    assert [name for name, size in sizes.items() if not 2_000 < size < LARGEST] == []
    assert all(f"(images/{name})" in (GALLERY / "README.md").read_text("utf-8") for name in names)


def test_no_picture_of_the_gallery_is_left_over() -> None:
    drawn = {name for kind in (*ALL, *FEEDBACK) for name in gallery.pictures_of(kind.name)}
    assert {path.name for path in (GALLERY / "images").iterdir()} == drawn


@pytest.mark.parametrize("module", [gallery, links, notebooks], ids=lambda module: module.__name__)
def test_the_examples_of_the_tools_hold(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


def test_a_copy_of_the_pages_has_no_link_out_of_it(tmp_path: Path) -> None:
    folder = stage(tmp_path / "docs")
    for source in FROM_ROOT.values():
        assert (folder / source).exists()
    for page in folder.rglob("*.md"):
        here = page.parent.relative_to(folder).as_posix()
        for target in links.targets(page.read_text(encoding="utf-8")):
            path = target.partition("#")[0]
            if path and not links.ELSEWHERE.match(target):
                whole = posixpath.normpath(posixpath.join(here, path))
                assert (folder / whole).exists(), (page, target)
    assert not list(folder.rglob("*.ipynb"))
    assert "textLength" in (folder / "gallery" / "images" / "grip.svg").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def built() -> Path:
    needed_module("zensical", "site")
    done = subprocess.run([sys.executable, "tools/make_site.py"], cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    return OUTPUT


@pytest.mark.thorough
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_other_hosts(built: Path) -> None:
    found = sorted(built.rglob("*.html"))
    assert len(found) > len(list(leaves(MENU)))
    for page in found:
        text = page.read_text(encoding="utf-8")
        assert ELSEWHERE not in text
        loaded = re.findall(r'<(?:script|img|iframe|source)[^>]* src="?(https?:[^" >]+)', text)
        loaded += re.findall(r'<link[^>]* rel="?stylesheet"? href="?(https?:[^" >]+)', text)
        assert loaded == [], page
    for style in built.rglob("*.css"):
        assert not re.findall(r"url\(.?https?:", style.read_text(encoding="utf-8"))
