"""docs/gallery: the list of its pages, and a page for each kind of graph that nobody has written one for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankscope.graphs import ALL, FEEDBACK, GraphKind
from tools.docs.markdown import code, table
from tools.docs.markdown import page as whole_page

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
INTRODUCTION = """
`make gallery` writes all of these into `gallery-output/`. They run on the icons that ship with rankscope and need
nothing else. [Two papers' figures](papers/README.md) were made again on another collection. What each kind takes:
[reference](../reference/graphs.md).
""".strip()
EXAMPLE = '''"""{sentence}"""

from rankscope.collections import icons
from rankscope.engines.nearest import nearest_ranks
from rankscope.graphs import {function}

sample = icons()
systems = [
    nearest_ranks(sample.features(space), sample.class_of_item, "cosine", sample.items, {scores}system=space)
    for space in {spaces}
]
{function}(systems).save("{name}.svg")
'''


def page() -> str:
    """The list."""
    rows = [[f"[{code(kind.name)}]({kind.name}.py)", kind.about, question(kind)] for kind in (*ALL, *FEEDBACK)]
    return whole_page("Gallery", INTRODUCTION, table(["page", "shows", "asks"], rows))


def question(kind: GraphKind[Any]) -> str:
    """What the page of a kind is about: the first sentence of it."""
    path = GALLERY / f"{kind.name}.py"
    text = (ast.get_docstring(ast.parse(path.read_text())) if path.exists() else None) or kind.sentence
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
