"""Labelled classes whose queries stand or fall together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankscope.ranks.relevant_ranks import RelevantRanks


def in_classes(system: str = "run", seed: int = 0, classes: int = 12, size: int = 8) -> RelevantRanks:
    """As many queries as relevant items in each class, of which every second is easy; 150 items."""
    random = np.random.default_rng(seed)
    easy = np.arange(classes * size) // size % 2 == 1
    ranks = [np.sort(random.choice(size + 12 if each else 120, size, replace=False)) + 1 for each in easy]
    result = RelevantRanks.from_ranks(ranks, depth=150, collection=150, system=system)
    labels = tuple(f"class {row // size}" for row in range(classes * size))
    return replace(result, classes=labels, provenance={"judgements": {"complete": True}})
