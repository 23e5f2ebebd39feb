"""Where did my recall go? An exact search, a list from short vectors, a filter and a re-ranker, stage by stage."""

from dataclasses import replace

import numpy as np

from rankscope import reduce
from rankscope.inputs.collections.sample import icons
from rankscope.reports.graphs import ledger_graph

sample, chance = icons(), np.random.default_rng(0)
items, label = np.array(sample.items), np.array(sample.class_of_item)
asked = np.flatnonzero(np.char.str_len(label) > 0)[::20]
judged = {items[row]: dict.fromkeys(items[(label == label[row]) & (items != items[row])], 1) for row in asked}


def likeness(vectors: np.ndarray) -> np.ndarray:
    """Cosines of the icons that are asked for with all others."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9)
    found = unit[asked] @ unit.T
    found[np.arange(asked.size), asked] = -np.inf
    return found


def run(found: np.ndarray, depth: int) -> dict[str, list[str]]:
    """The nearest icons of each query; what has no likeness is in no list."""
    order = np.argsort(-found, axis=1, kind="stable")[:, :depth]
    kept = [near[own[near] > -np.inf] for near, own in zip(order, found, strict=True)]
    return {query: items[near].tolist() for query, near in zip(items[asked].tolist(), kept, strict=True)}


edges = sample.features("edges").astype(float)
exact = likeness(edges)
short = likeness(edges @ chance.normal(size=(edges.shape[1], 48)))
listed = np.where(np.argsort(np.argsort(-short, axis=1), axis=1) < 100, short, -np.inf)
filtered = np.where(chance.random(items.size) < 0.95, listed, -np.inf)
ranked = np.where(filtered > -np.inf, exact, -np.inf)
stages = {"exact": (exact, 1000), "short": (listed, 100), "filter": (filtered, 100), "rerank": (ranked, 100)}
systems = [replace(reduce(judged, run(*found)), system=name) for name, found in stages.items()]
ledger_graph(systems, scope=10).save("ledger.svg")
