"""Tables that several tests share: the worked example of fifteen queries, and larger ones drawn by chance."""

from __future__ import annotations

import numpy as np

from rankscope.analysis.statistics.score_table import ScoreTable

A = [0.30, 0.42, 0.25, 0.38, 0.35, 0.55, 0.61, 0.48, 0.52, 0.20, 0.15, 0.28, 0.22, 0.18, 0.25]
B = [0.36, 0.45, 0.33, 0.40, 0.41, 0.58, 0.70, 0.57, 0.60, 0.19, 0.17, 0.25, 0.26, 0.16, 0.24]
CLASSES = list("aaaaabbbbcccccc")
WORKED = ScoreTable.make({"A": A, "B": B}, classes=CLASSES)
THREE = ScoreTable.make(
    {"a": [0.7, 0.3, 0.2, 0.6, 0.4], "b": [0.5, 0.1, 0.0, 0.2, 0.4], "c": [0.0, 0.0, 0.2, 0.1, 0.3]}
)
CONSTANT = ScoreTable.make({"A": [0.3] * 6, "B": [0.4] * 6}, classes=list("aabbcc"))


def drawn(systems: int, sizes: tuple[int, ...], seed: int = 0, difficulty: float = 0.15) -> ScoreTable:
    """Queries of some difficulty in classes of these sizes, with noise of its own for each system."""
    chance = np.random.default_rng(seed)
    classes = [f"class {number}" for number, size in enumerate(sizes) for _ in range(size)]
    level = np.repeat(chance.uniform(0.2, 0.7, len(sizes)), sizes)
    query = level + chance.normal(0, difficulty, len(classes))
    values = query[:, None] + chance.normal(0, 0.05, (len(classes), systems)) + 0.03 * np.arange(systems)
    return ScoreTable.make({f"s{number}": values[:, number] for number in range(systems)}, classes=classes)


def long_frame(table: ScoreTable) -> dict[str, list[object]]:
    """One row per value, as statsmodels wants it."""
    rows = [(query, system) for query in range(len(table)) for system in range(len(table.systems))]
    return {
        "value": [float(table.values[row]) for row in rows],
        "query": [table.queries[query] for query, _ in rows],
        "system": [table.systems[system] for _, system in rows],
        "kind": [table.labels[query] if table.classes is not None else "" for query, _ in rows],
    }
