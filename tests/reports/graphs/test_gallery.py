"""Each kind of graph has a page in the gallery, and the page runs."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from rankscope.inputs import collections
from rankscope.inputs.collections.sample import LabelledImages
from rankscope.reports import graphs
from rankscope.reports.graphs.kinds import GraphKind
from tests.needs import needed_module

GALLERY = Path(__file__).parents[3] / "docs" / "gallery"
every_kind = pytest.mark.parametrize("kind", graphs.ALL, ids=lambda kind: str(kind.name))


def fewer_icons() -> LabelledImages:
    """The first icons of the shipped collection, to be quick."""
    whole = collections.icons()
    few = slice(0, 1200)
    return LabelledImages("few", whole.images[few], whole.labels[few], whole.classes, whole.items[few])


@every_kind
def test_each_graph_has_a_gallery_page(kind: GraphKind[Any]) -> None:
    assert (GALLERY / f"{kind.name}.py").exists(), "run: python tools/make_docs.py"


@pytest.mark.sampled(2)
@every_kind
def test_each_gallery_page_draws(kind: GraphKind[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind.name == "grep":
        needed_module("matplotlib", "plots")
    few = fewer_icons()
    monkeypatch.setattr(collections, "icons", lambda: few)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(GALLERY / f"{kind.name}.py"))
    assert [each for each in tmp_path.iterdir() if each.stem.startswith(kind.name)]
