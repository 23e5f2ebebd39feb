"""Systems whose queries belong to classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.ranks.relevant_ranks import RelevantRanks


def classed(system: str, seed: int, sizes: dict[str, int], reach: int = 60) -> RelevantRanks:
    """Queries in classes of these sizes, four relevant items each; a smaller `reach` is a better system."""
    random = np.random.default_rng(seed)
    labels = [label for label, size in sizes.items() for _ in range(size)]
    ranks = [np.sort(random.choice(reach, 4, replace=False)) + 1 for _ in labels]
    queries = [f"q{number:03}" for number in range(len(labels))]
    result = RelevantRanks.from_ranks(ranks, collection=200, depth=200, queries=queries, system=system)
    return result.with_classes(dict(zip(queries, labels, strict=True)))


def pair(sizes: dict[str, int], names: Sequence[str] = ("first", "second")) -> list[RelevantRanks]:
    """A worse system and a better one."""
    return [classed(names[0], 1, sizes, 60), classed(names[1], 2, sizes, 20)]


FIVE = {"birds": 6, "boats": 4, "castles": 8, "flowers": 5, "trains": 7}
