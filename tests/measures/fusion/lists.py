"""Random runs without ties and their judgements, as both rankscope and ranx read them."""

from __future__ import annotations

import numpy as np

Nested = dict[str, dict[str, float]]


def random_runs(
    systems: int = 3, queries: int = 6, items: int = 30, seed: int = 0, whole: bool = False
) -> list[Nested]:
    """Runs of the same queries that found some of the same items; `whole`: all of them."""
    random = np.random.default_rng(seed)
    runs: list[Nested] = []
    for _ in range(systems):
        run: Nested = {}
        for query in range(queries):
            found = int(random.integers(3, items))
            chosen = random.permutation(items)[:found]
            scores = np.sort(random.gamma(2, 3, found))[::-1]
            run[f"q{query}"] = {f"d{item:02d}": float(score) for item, score in zip(chosen, scores, strict=True)}
        runs.append(run)
    return runs


def random_judgements(queries: int = 6, items: int = 30, seed: int = 0) -> dict[str, dict[str, int]]:
    """A third of the items is relevant, one at least."""
    random = np.random.default_rng(seed + 1000)
    return {
        f"q{query}": {f"d{item:02d}": int(grade) for item, grade in enumerate(random.random(items) < 0.3)} | {"d00": 1}
        for query in range(queries)
    }
