"""Two small systems on a known collection, and curves to draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs.collections.sample import pixels
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Axis, Graph

RECALL, PRECISION = Axis("recall", "r", domain=(0, 1)), Axis("precision", "p", domain=(0, 1))


def empty_graph(title: str = "Precision and recall") -> Graph:
    return Graph(title, RECALL, PRECISION)


def falling(name: str = "") -> Curve:
    return Curve(np.array([0.2, 0.5, 1.0]), np.array([0.9, 0.6, 0.1]), name)


def around(curve: Curve) -> Region:
    return Region(curve.x, curve.y - 0.05, curve.y + 0.05)


def ranked(system: str, seed: int, **more: Any) -> RelevantRanks:
    """Twelve queries with four relevant items each among two hundred."""
    random = np.random.default_rng(seed)
    ranks = [np.sort(random.choice(60, 4, replace=False)) + 1 for _ in range(12)]
    return RelevantRanks.from_ranks(ranks, collection=more.pop("collection", 200), depth=200, system=system, **more)


def scored(system: str = "near") -> RelevantRanks:
    """Forty noisy pictures in four classes, and sixty that belong to none, ranked with their scores."""
    random = np.random.default_rng(5)
    stems = random.integers(0, 256, (4, 8, 8))
    noisy = np.concatenate([np.repeat(stems, 10, axis=0), random.integers(0, 256, (60, 8, 8))])
    pictures = np.clip(noisy + random.normal(0, 90, noisy.shape), 0, 255).astype(np.uint8)
    labels = [f"class {number}" for number in range(4) for _ in range(10)] + [""] * 60
    return nearest_ranks(pixels(pictures), labels, "cosine", keep_scores=True, system=system)


TWO = (ranked("first", 1), ranked("second", 2))
