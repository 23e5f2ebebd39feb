"""Writes the pages that are made from the code: `python tools/make_docs.py [PAGE...]`, all of them without a name.

A new page: a module in tools/docs with `page() -> str`, and a line in PAGES.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that `python tools/make_docs.py` finds tools and tests as packages

from rankscope.reports.graphs import ALL, FEEDBACK  # noqa: E402
from rankscope.reports.graphs.graph import Graph  # noqa: E402
from tools.docs import (  # noqa: E402
    api,
    architecture,
    commands,
    conformance,
    coverage,
    gallery,
    graphs,
    input_shapes,
    measures,
    names,
    settings,
)
from tools.docs.explained import forecast, generality, grep, grip, normalization, radial  # noqa: E402
from tools.docs.explained.pages import with_block  # noqa: E402
from tools.docs.explained.shipped import svg_of  # noqa: E402

DOCS = ROOT / "docs"


@dataclass(frozen=True)
class Page:
    """A page and how it is made; one that other programs have a part in is not made again by the tests."""

    path: str
    make: Callable[[], str]
    runs_peers: bool = False


def _picture(path: str, graph: Callable[[], Graph]) -> Page:
    """A picture: its bytes depend on the version of what draws it, so tests look at its graph."""
    return Page(path, lambda: svg_of(graph()), runs_peers=True)


def _gallery_pictures() -> list[Page]:
    """What the programs of the gallery draw; it takes them two minutes."""
    kinds = [kind.name for kind in (*ALL, *FEEDBACK)]
    named = [(kind, name) for kind in kinds for name in gallery.pictures_of(kind)]
    return [
        Page(f"gallery/images/{name}", partial(gallery.picture, kind, name), runs_peers=True) for kind, name in named
    ]


PAGES: tuple[Page, ...] = (
    Page("reference/measures.md", measures.page),
    Page("reference/names.md", names.page),
    Page("reference/graphs.md", graphs.page),
    Page("reference/settings.md", settings.page),
    Page("reference/input-shapes.md", input_shapes.page),
    Page("reference/commands.md", commands.page),
    Page("reference/api.md", api.page),
    Page("reference/coverage.md", coverage.page),
    Page("explanation/architecture.md", architecture.page),
    Page("explanation/architecture.svg", architecture.picture),
    Page("explanation/g.md", generality.page),
    Page("explanation/grip.md", grip.page),
    Page("explanation/grep.md", grep.page),
    Page("explanation/radial-averaging.md", radial.page),
    Page("explanation/normalization.md", with_block("normalization.md", normalization.block)),
    Page("explanation/forecast.md", with_block("forecast.md", forecast.block)),
    _picture("explanation/g.svg", generality.graph),
    _picture("explanation/grip.svg", grip.graph),
    _picture("explanation/grep.svg", grep.graph),
    _picture("explanation/radial-averaging.svg", radial.graph),
    _picture("explanation/normalization.svg", normalization.graph),
    _picture("explanation/forecast.svg", forecast.graph),
    Page("gallery/README.md", gallery.page),
    *_gallery_pictures(),
    Page("conformance.md", conformance.page, runs_peers=True),
)


def main(wanted: list[str]) -> None:
    """Write the pages asked for, and an example of each kind of graph that has none."""
    for path, text in gallery.missing_pages():
        path.write_text(text, encoding="utf-8")
        print(f"docs/gallery/{path.name}")
    for page in PAGES:
        if wanted and page.path not in wanted:
            continue
        target = DOCS / page.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page.make(), encoding="utf-8")
        print(f"docs/{page.path}")


if __name__ == "__main__":
    main(sys.argv[1:])
