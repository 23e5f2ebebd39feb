"""docs/gallery: the list of its pages, and a page for each kind of graph that nobody has written one for."""

from __future__ import annotations

import ast
import contextlib
import re
import runpy
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from rankscope.reports.graphs import ALL, FEEDBACK
from rankscope.reports.graphs.kinds import GraphKind
from tools.docs.markdown import page as whole_page

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
SAVED = re.compile(r'\.save\("([^"]+\.svg)"\)')
PATH = re.compile(r' d="[^"]*"')
NUMBER = re.compile(r"-?\d+\.\d{2,}")
INTRODUCTION = """
Every kind of graph, drawn from the icons that ship with rankscope by the program next to it; nothing else is needed.
`make gallery` writes them all into `gallery-output/`, as vectors for a paper or as a page to point at. [Two papers'
figures](papers/README.md) were made again on another collection. What each kind takes:
[reference](../reference/graphs.md).
""".strip()
EXAMPLE = '''"""{sentence}"""

from rankscope.inputs.collections.sample import icons
from rankscope.engines.nearest import nearest_ranks
from rankscope.reports.graphs import {function}

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, {scores}system=space)
    for space in {spaces}
]
{function}(systems).save("{name}.svg")
'''


def page() -> str:
    """All kinds at a glance, then one by one."""
    kinds = (*ALL, *FEEDBACK)
    small = "\n".join(_small(kind) for kind in kinds)
    glance = f'<div class="kinds">\n{small}\n</div>'
    return whole_page("Gallery", INTRODUCTION, glance, *(section(kind) for kind in kinds))


def _small(kind: GraphKind[Any]) -> str:
    picture = f'<img src="images/{kind.name}.svg" alt="{kind.name}" width="200">'
    return f'<a href="#{kind.name}" title="{kind.name}: {kind.about}">{picture}</a>'


def section(kind: GraphKind[Any]) -> str:
    """What a kind asks, what it shows, and how it was drawn."""
    drawn = [f"![{Path(name).stem}: {kind.about}](images/{name})" for name in pictures_of(kind.name)]
    places = f"[the program]({kind.name}.py), [all options](../reference/graphs.md#{kind.name})"
    about = f"{question(kind)} {kind.about[0].upper()}{kind.about[1:]}: {places}."
    return "\n\n".join([f"## {kind.name}", about, "\n".join(drawn)])


def pictures_of(kind: str) -> list[str]:
    """The pictures that the page of a kind draws; its own first."""
    path = GALLERY / f"{kind}.py"
    return SAVED.findall(path.read_text(encoding="utf-8")) if path.exists() else []


def picture(kind: str, name: str) -> str:
    """One of the pictures of a kind, drawn now."""
    return _drawn(kind)[name]


@cache
def _drawn(kind: str) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        runpy.run_path(str(GALLERY / f"{kind}.py"))
        return {name: compact(Path(name).read_text(encoding="utf-8")) for name in pictures_of(kind)}


def compact(svg: str) -> str:
    """A picture in fewer bytes: paths in whole tenths, each on one line.

    >>> compact('<path d="M 83.689141 -0.06\\nL -0.04 12.00001" style="opacity: 0.063"/>')
    '<path d="M 83.7 -0.1 L 0 12" style="opacity: 0.063"/>'
    """

    def shorter(path: re.Match[str]) -> str:
        rounded = NUMBER.sub(lambda found: f"{round(float(found[0]), 1) + 0.0:.10g}", path[0])
        return " " + " ".join(rounded.split())

    return PATH.sub(shorter, svg)


def question(kind: GraphKind[Any]) -> str:
    """What the page of a kind is about: the first sentence of it."""
    path = GALLERY / f"{kind.name}.py"
    text = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) if path.exists() else None) or kind.sentence
    first, mark, _ = text.partition("?")
    return first + mark if mark else text.splitlines()[0].rstrip(".")


def missing_pages() -> Iterator[tuple[Path, str]]:
    """A page for each kind that has none."""
    for kind in ALL:
        path = GALLERY / f"{kind.name}.py"
        if not path.exists():
            yield path, example(kind)


def example(kind: GraphKind[Any]) -> str:
    """The kind with its defaults, of as many systems as it shows."""
    return EXAMPLE.format(
        name=kind.name,
        sentence=kind.sentence,
        function=f"{kind.name.replace('-', '_')}_graph",
        spaces='("pixels", "edges")' if kind.systems.most > 1 else '("edges",)',
        scores="keep_scores=True, " if kind.wants("scores") else "",
    )
