"""The metrics in plain Python, terms added in the order of the features, and ranks by sorting everything."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankscope.ranks.relevant_ranks import RelevantRanks

Row = Sequence[float]


def total(terms: Sequence[float]) -> float:
    return reduce(lambda so_far, term: so_far + term, terms, 0.0)


def products(one: Row, other: Row) -> float:
    return total([x * y for x, y in zip(one, other, strict=True)])


def scaled(row: Row) -> list[float]:
    """A row of fractions times a power of two; whole numbers as they are."""
    shift = -math.frexp(max(map(abs, row)))[1]
    return [math.ldexp(value, shift) for value in row]


def cosine(one: Row, other: Row) -> float:
    lengths = products(one, one) * products(other, other)
    return products(one, other) / math.sqrt(lengths) if lengths else 0.0


def l2(one: Row, other: Row) -> float:
    return -total([(x - y) * (x - y) for x, y in zip(one, other, strict=True)])


def l1(one: Row, other: Row) -> float:
    return -total([abs(x - y) for x, y in zip(one, other, strict=True)])


def chi2(one: Row, other: Row) -> float:
    return -total([(x - y) * (x - y) / ((x + y) or 1.0) for x, y in zip(one, other, strict=True)])


def intersection(one: Row, other: Row) -> float:
    return total([min(x, y) for x, y in zip(one, other, strict=True)])


def d1(one: Row, other: Row) -> float:
    return -total([abs(x - y) / (1.0 + (x + y)) for x, y in zip(one, other, strict=True)])


def tanimoto(one: Row, other: Row) -> float:
    union = products(one, one) + products(other, other) - products(one, other)
    return products(one, other) / union if union else 1.0


def hamming(one: Row, other: Row) -> float:
    return -total([float(x != y) for x, y in zip(one, other, strict=True)])


def hamming_bits(one: Row, other: Row) -> float:
    return -total([float((int(x) ^ int(y)).bit_count()) for x, y in zip(one, other, strict=True)])


def log(value: float) -> float:
    return float(np.log(np.float64(value))) if value else 0.0


def jeffrey(one: Row, other: Row) -> float:
    means = [(x + y) / 2 or 1.0 for x, y in zip(one, other, strict=True)]
    return -total([x * log(x / m) + y * log(y / m) for x, y, m in zip(one, other, means, strict=True)])


def js(one: Row, other: Row) -> float:
    shares = [[value / (total(row) or 1.0) for value in row] for row in (one, other)]
    return -max(-jeffrey(*shares), 0.0) / 2


PLAIN: dict[str, Callable[[Row, Row], float]] = {
    "cosine": cosine,
    "ip": products,
    "l2": l2,
    "l1": l1,
    "chi2": chi2,
    "intersection": intersection,
    "jeffrey": jeffrey,
    "js": js,
    "d1": d1,
    "tanimoto": tanimoto,
    "hamming": hamming,
    "hamming_bits": hamming_bits,
}
OF_HISTOGRAMS = ("chi2", "intersection", "jeffrey", "js", "d1")


def brute_force(metric: str, rows: Sequence[Row], labels: Sequence[int]) -> dict[str, list[int]]:
    """Ranks of the class mates of each query, by sorting everything."""
    ranks = {}
    for query, label in enumerate(labels):
        if label == -1 or labels.count(label) < 2:
            continue
        others = [item for item in range(len(rows)) if item != query]
        ordered = sorted(others, key=lambda item: (-PLAIN[metric](rows[query], rows[item]), item))
        ranks[str(query)] = [place for place, item in enumerate(ordered, start=1) if labels[item] == label]
    return {query: ranks[query] for query in sorted(ranks)}


def as_dict(ranks: RelevantRanks) -> dict[str, list[int]]:
    return dict(zip(ranks.queries, ranks.judged.lists("rank"), strict=True))


def everything(ranks: RelevantRanks) -> list[Any]:
    """All of a result as bytes, to be compared bit by bit."""
    parts = [ranks.judged, ranks.pooled, ranks.levels, ranks.ties, *([ranks.distractors] if ranks.distractors else [])]
    columns = [(part.offsets.tobytes(), {name: part[name].tobytes() for name in part.columns}) for part in parts]
    assert ranks.left_out is not None
    sizes = (ranks.depth.tobytes(), ranks.collection.tobytes(), ranks.left_out.tobytes())
    return [ranks.queries, ranks.classes, columns, sizes, ranks.provenance]


def each_query(ranks: RelevantRanks) -> Iterator[tuple[int, list[int], list[float], list[float]]]:
    """Position of the query, ranks and scores of its hits, scores of its best distractors."""
    assert ranks.distractors is not None
    judged, others = ranks.judged, ranks.distractors.lists("score")
    return zip(map(int, ranks.queries), judged.lists("rank"), judged.lists("score"), others, strict=True)


@st.composite
def labelled_rows(
    draw: st.DrawFn, values: st.SearchStrategy[float], most: int = 12
) -> tuple[list[list[float]], list[int]]:
    """A few short rows, some of them twice, and labels of which at least one class has two members."""
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=2, max_size=most))
    rows += draw(st.lists(st.sampled_from(rows), max_size=3))
    labels = [0, 0, *draw(st.lists(st.integers(-1, 2), min_size=len(rows) - 2, max_size=len(rows) - 2))]
    return rows, draw(st.permutations(labels))


def many_items(kind: str, items: int = 290, width: int = 9) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Whole features with many ties, fractions, or fractions that differ from each other by a few last bits."""
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 6, items)
    whole = rng.integers(0, 3, (items, width))
    if kind == "whole":
        return whole.astype(np.uint8), labels
    if kind == "fractions":
        return rng.standard_normal((items, width)), labels
    twins = rng.standard_normal((items // 10, width))[rng.integers(0, items // 10, items)]
    shaken = np.nextafter(twins, np.where(rng.random(twins.shape) < 0.1, np.inf, twins))
    return np.where(rng.random((items, 1)) < 0.5, shaken, twins), labels


def fit_for(metric: str, features: NDArray[Any]) -> NDArray[Any]:
    """Features that a metric accepts: histograms without negative values, packed bits as whole numbers."""
    if metric in OF_HISTOGRAMS:
        return np.abs(features)
    return (np.abs(features) * 64).astype(np.uint8) if metric == "hamming_bits" else features
