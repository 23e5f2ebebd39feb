"""A copy of docs/ that the builder reads: pages of the root among them, notebooks and programs as pages."""

from __future__ import annotations

import shutil
from pathlib import Path

from tools.site.links import on_site
from tools.site.notebooks import page_of

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
STAGE = ROOT / ".site" / "docs"
FROM_ROOT = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "src/rankscope/inputs/collections/data/LICENSES.md": "licences.md",
}
NOT_COPIED = shutil.ignore_patterns("*.md", "*.py", "*.ipynb", "notes", "site", "__pycache__")
SAMPLES = ("tutorials/notes", "tutorials/site")  # what tutorials search: material, not pages


def pages() -> dict[str, str]:
    """Every page: its file in the repository, and where it is on the site."""
    found = {f"docs/{each}": each for each in _files("*.md")}
    programs = {f"docs/{each}": f"{each}.md" for each in _files("*.py")}
    notebooks = {f"docs/{each}": f"{each.removesuffix('.ipynb')}.md" for each in _files("*.ipynb")}
    return {**found, **programs, **notebooks, **FROM_ROOT}


def stage(folder: Path = STAGE) -> Path:
    """Make the copy anew."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=NOT_COPIED)
    moved = pages()
    for source, place in moved.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(on_site(_text(ROOT / source, target.parent), source, moved), encoding="utf-8")
    return folder


def _files(pattern: str) -> list[str]:
    """Files of docs/ that become pages."""
    paths = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob(pattern))
    return [path for path in paths if not path.startswith(SAMPLES)]


def _text(source: Path, beside: Path) -> str:
    """What a page says; the pictures of a notebook are written next to it."""
    if source.suffix == ".py":
        return f"# {source.name}\n\n```python\n{source.read_text(encoding='utf-8').rstrip()}\n```\n"
    if source.suffix == ".ipynb":
        page = page_of(source)
        for name, data in page.pictures.items():
            path = beside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return page.text
    return source.read_text(encoding="utf-8")
