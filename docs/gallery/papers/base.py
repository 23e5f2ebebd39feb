"""What the papers' figures share: one collection, ranked once, and where pictures go.

The papers used a base of about 20,000 logos in 1,858 clusters. icons20k has the same shape; it is looked for in
`$RANKSCOPE_DATA/icons20k`, then in `../shared/data/icons20k` next to the repository. Without it the icons that ship
with rankscope take its place (5,346 items, 494 classes), and every caption says so.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import LabelledImages, icons
from rankscope.measures import AP
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.storage import load_ranks, save_ranks
from rankscope.reports.graphs.graph import Axis, Graph

REPOSITORY = Path(__file__).resolve().parents[3]
WIDTH = 120  # mm


@dataclass(frozen=True)
class Base:
    """The ranked collection, every labelled item in turn the query, and its name for a caption."""

    ranks: RelevantRanks
    collection: str

    @property
    def caption(self) -> str:
        """Collection and features."""
        return f"{self.collection}, cosine of {self.ranks.system}"

    @property
    def size(self) -> int:
        """Items a query is ranked against: all but itself."""
        return int(self.ranks.collection[0])

    def of_size(self, relevant: int) -> RelevantRanks:
        """The queries with this number of relevant items; their class has one member more, the query."""
        return self.ranks.take(np.flatnonzero(self.ranks.relevant == relevant))


def base(space: str = "pixels") -> Base:
    """Ranks by cosine of centred pixels (or of edges), read from the working folder where a figure has made them."""
    folder = data_folder()
    name = "icons20k" if folder else "icons"
    cache = Path(f"{name}-{space}.ranks.parquet")
    if not cache.exists():
        save_ranks(_ranked(_images(folder) if folder else icons(), space), cache)
    return Base(load_ranks(cache), name if folder else "shipped icons (icons20k not found)")


def data_folder() -> Path | None:
    """Where icons20k lies, or None."""
    places = [os.environ.get("RANKSCOPE_DATA"), REPOSITORY.parent / "shared" / "data"]
    folders = [Path(place) / "icons20k" for place in places if place]
    return next((folder for folder in folders if (folder / "icons.npz").exists()), None)


def _images(folder: Path) -> LabelledImages:
    with np.load(folder / "icons.npz") as packed:
        images, labels = packed["images"], packed["labels"].astype(np.int64)
    classes = tuple(str(number) for number in range(int(labels.max()) + 1))
    return LabelledImages("icons20k", images, labels, classes, tuple(f"{row:05}" for row in range(len(labels))))


def _ranked(images: LabelledImages, space: str) -> RelevantRanks:
    return nearest_ranks(images.features(space), images.class_of_item, "cosine", images.items, system=space)


def fours(low: float, high: float) -> tuple[float, ...]:
    """Powers of four as ticks of a log2 axis; all of them must lie on the axis."""
    return tuple(4.0**power for power in range(16) if low <= 4.0**power <= high)


def plane(title: str, subtitle: str) -> Graph:
    """An empty precision-recall graph."""
    recall, precision = Axis("recall", "r", domain=(0, 1)), Axis("precision", "p", domain=(0, 1))
    return Graph(title, recall, precision, subtitle=subtitle, ratio=0.85)


def spread_queries(queries: RelevantRanks, shares: Sequence[float]) -> RelevantRanks:
    """The queries at these shares of all when they are sorted by their hits at scope c, then by AP: low to high."""
    average = AP().of(queries)
    order = np.lexsort((average, queries.hits(queries.relevant)))
    return queries.take(order[[round(share * (order.size - 1)) for share in shares]])


def save(graph: Graph, name: str) -> None:
    """As SVG and as PNG, 120 mm wide."""
    for suffix in ("svg", "png"):
        graph.save(f"{name}.{suffix}", width=WIDTH)
    print(name)


@dataclass(frozen=True)
class About:
    """What the gallery page says of a figure; every number in it is computed from the ranks."""

    title: str
    alt: str
    paper: str  # what its text describes
    ours: str
    agrees: str
    cannot: str
