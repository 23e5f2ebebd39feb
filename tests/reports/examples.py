"""Small systems for reports: exact ranks of vectors with class labels, two of different quality."""

from __future__ import annotations

from functools import cache

import numpy as np

from rankscope.core.settings import Settings
from rankscope.engines.nearest import nearest_ranks
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.measures.evaluation.scores import Scores
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.page.report import Report

MEASURES = ("AP", "Rprec", "success@1", "NMRR")


@cache
def ranked(noise: float, name: str) -> RelevantRanks:
    """60 items in 12 classes and 40 distractors."""
    chance = np.random.default_rng(0)
    labels = [f"class {number % 12}" if number < 60 else "" for number in range(100)]
    middle = chance.normal(size=(12, 8))
    kept = np.array([middle[number % 12] if number < 60 else chance.normal(size=8) for number in range(100)])
    features = (kept + noise * chance.normal(size=kept.shape)).astype(np.float64)
    ids = [f"item {number:02}" for number in range(100)]
    return nearest_ranks(features, labels, "cosine", ids=ids, keep_scores=True, system=name)


@cache
def scores_of(*names: str) -> Scores:
    """The first system is the noisiest."""
    ranks = [ranked(0.9 / (1 + place), name) for place, name in enumerate(names)]
    return evaluate_ranks(ranks, MEASURES, Settings())


@cache
def report_of(*names: str) -> Report:
    return Report.of(scores_of(*names))


@cache
def report_of_two_sizes() -> Report:
    """Two systems on twelve queries with four relevant items and twelve with eight, in a collection of 200."""
    chance = np.random.default_rng(7)
    systems = [
        RelevantRanks.from_ranks(
            [np.sort(chance.choice(reach, size, replace=False)) + 1 for size in [4] * 12 + [8] * 12],
            collection=200,
            depth=200,
            system=name,
        )
        for name, reach in (("near", 30), ("far", 90))
    ]
    return Report.of(evaluate_ranks(systems, MEASURES, Settings()))


@cache
def many_scores(count: int, queries: int = 24, measures: tuple[str, ...] = ("AP", "P@10")) -> Scores:
    """Systems of rising quality, on the same queries, in a collection of 400."""
    chance = np.random.default_rng(11)
    sizes = chance.integers(3, 9, queries)
    systems = []
    for number in range(count):
        reach = 40 + 200 * (count - number) // count
        ranks = [np.sort(chance.choice(reach, size, replace=False)) + 1 for size in sizes.tolist()]
        names = [f"q{row}" for row in range(queries)]
        systems.append(
            RelevantRanks.from_ranks(ranks, collection=400, depth=400, queries=names, system=f"system {number}")
        )
    return evaluate_ranks(systems, measures, Settings())
