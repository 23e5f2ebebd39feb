"""The ledger of a real pipeline: icons20k through faiss's approximate index, a filter and a re-ranker.

One icon of each of 400 clusters asks for the others of its cluster. exact ranks all 20,000 icons by edges; ivf is an
inverted file of faiss over the same vectors that looks into few cells and lists 200; licence drops the icon sets that
ask for the author's name; rerank orders what is left by pixels. The index is trained with a fixed seed on one core.
"""

from __future__ import annotations

import csv
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import rankscope
from benchmarks.lengths import IS_SHORT, length
from benchmarks.nearest import best_of_each
from rankscope.analysis.pipeline.ledger import Ledger
from rankscope.inputs.collections.sample import edges, pixels
from rankscope.reports.graphs.waterfall import waterfall

DATA = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "icons20k"
PICTURE = Path(__file__).parents[1] / "docs" / "how-to" / "where-did-recall-go-icons.svg"
QUERIES = length(400, 60)
SMALLEST = 5  # members of a cluster that is asked for
CELLS, PROBED, LISTED = 128, 4, 200
SCOPE = 10
MEASURES = (f"R@{SCOPE}", "Rprec")
ASKS_FOR_NAME = "CC-BY"  # licences that begin so
SETTING = (
    f"exact: all icons by the cosine of their edges; ivf: the same vectors in {CELLS} cells of faiss's IndexIVFFlat, "
    f"{PROBED} of them looked into, a list of {LISTED}; licence: without icon sets that ask for the author's name "
    f"({ASKS_FOR_NAME}); rerank: by the cosine of pixels. One icon of each of {QUERIES} clusters asks for the others."
)
Vectors = NDArray[np.float32]
Ids = NDArray[np.int64]


def report() -> str:
    """What each stage takes, that the shares add up, and how long it took next to an evaluation of the same runs."""
    with np.load(DATA / "icons.npz") as file:
        images, labels = file["images"], file["labels"]
    asked = _asked(labels)
    stages = _stages(_unit(edges(images)), _unit(pixels(images)), asked)
    judged = {str(row): {str(each): 1 for each in _others(labels, row)} for row in asked.tolist()}
    told = rankscope.ledger(judged, stages, scope=SCOPE)
    scores = rankscope.evaluate(judged, stages, MEASURES)
    taken = best_of_each(
        {
            "ledger": lambda: rankscope.ledger(judged, stages, scope=SCOPE),
            "evaluate": lambda: rankscope.evaluate(judged, stages, MEASURES),
        },
        repeat=3,
    )
    if not IS_SHORT:
        waterfall(told.main).save(PICTURE, width="full")
    rows = sum(frame.height for frame in stages.values())
    return "\n".join(
        [
            SETTING,
            "",
            f"{told.sentences[0]} {told.sentences[1]} {told.sentences[2]}",
            "",
            *_table(told),
            "",
            f"{_sums(told)}. Largest difference from the values of `evaluate`: {_difference(told, scores):.1g}.",
            "",
            f"{QUERIES} queries, {len(told.items.item):,} relevant items, {rows:,} rows in {len(stages)} runs: "
            f"{taken['ledger']:.2f} s of processor time, {taken['ledger'] / taken['evaluate']:.2f} times that of "
            "`evaluate` for the same runs and two measures (best of 3).",
        ]
    )


def _asked(labels: Ids) -> Ids:
    """One icon of each of some clusters, by chance."""
    chance = np.random.default_rng(0)
    size = np.bincount(labels[labels >= 0])
    chosen = chance.choice(np.flatnonzero(size >= SMALLEST), QUERIES, replace=False)
    return np.array([chance.choice(np.flatnonzero(labels == each)) for each in chosen.tolist()])


def _others(labels: Ids, row: int) -> list[int]:
    return [each for each in np.flatnonzero(labels == labels[row]).tolist() if each != row]


def _unit(features: NDArray[np.int32]) -> Vectors:
    length_of_row = np.linalg.norm(features.astype(np.float64), axis=1, keepdims=True)
    return (features / np.where(length_of_row > 0, length_of_row, 1)).astype(np.float32)


def _stages(first: Vectors, second: Vectors, asked: Ids) -> dict[str, pl.DataFrame]:
    """The run behind each stage."""
    everything = np.broadcast_to(np.arange(len(first)), (asked.size, len(first)))
    exact = _frame(asked, everything, first[asked] @ first.T)
    near, score = _approximate(first, asked)
    listed = _frame(asked, near, score)
    filtered = listed.filter(~pl.col("item").is_in([str(each) for each in _named_licences().tolist()]))
    left, right = (filtered[name].cast(pl.Int64).to_numpy() for name in ("query", "item"))
    again = np.einsum("ij,ij->i", second[left], second[right])
    return {"exact": exact, "ivf": listed, "licence": filtered, "rerank": filtered.with_columns(score=pl.Series(again))}


def _approximate(vectors: Vectors, asked: Ids) -> tuple[Ids, Vectors]:
    import faiss

    faiss.omp_set_num_threads(1)
    index: Any = faiss.IndexIVFFlat(
        faiss.IndexFlatIP(vectors.shape[1]), vectors.shape[1], CELLS, faiss.METRIC_INNER_PRODUCT
    )
    index.train(vectors)
    index.add(vectors)
    index.nprobe = PROBED
    score, near = index.search(vectors[asked], LISTED + 1)
    return near, score


def _frame(asked: Ids, near: Ids, score: Vectors) -> pl.DataFrame:
    """Rows of a run; the query itself and places that the index could not fill are left out."""
    query = np.repeat(asked, near.shape[1])
    item = near.reshape(-1)
    kept = (item >= 0) & (item != query)
    columns = {"query": query[kept], "item": item[kept], "score": score.reshape(-1)[kept].astype(np.float64)}
    return pl.DataFrame(columns).with_columns(pl.col("query", "item").cast(pl.String))


def _named_licences() -> Ids:
    """Icons of sets whose licence asks for the author's name."""
    with (DATA / "sets.csv").open(encoding="utf-8") as lines:
        named = {row["set"] for row in csv.DictReader(lines) if row["licence"].startswith(ASKS_FOR_NAME)}
    with (DATA / "items.csv").open(encoding="utf-8") as lines:
        return np.flatnonzero([row["set"] in named for row in csv.DictReader(lines)])


def _table(told: Ledger) -> list[str]:
    lines = [
        f"| stage | recall@{SCOPE} | taken here, 95 % interval | lost | demoted | promoted | p = r | recall of list |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    main, other, whole = (each.entries for each in told.statements)
    for each, second, third in zip(main, other, whole, strict=True):
        taken = f"{each.loss:.4f} ({each.loss_low:.4f} to {each.loss_high:.4f})" if each.lost is not None else ""
        moved = [each.lost, each.demoted, each.promoted] if each.lost is not None else ["", "", ""]
        counts = " | ".join(f"{count:,}" if isinstance(count, int) else "" for count in moved)
        lines.append(
            f"| {each.stage} | {each.value:.4f} | {taken} | {counts} | {second.value:.4f} | {third.value:.4f} |"
        )
    return lines


def _sums(told: Ledger) -> str:
    """Whether the shares of each quantity add up to its loss, in fractions."""
    exact = [sum(each.account.losses, Fraction(0)) == each.account.loss for each in told.statements]
    return f"Shares that add up to the whole loss exactly, in fractions: {sum(exact)} of {len(exact)} quantities"


def _difference(told: Ledger, scores: Any) -> float:
    return max(
        abs(float(value) - scores[stage, measure])
        for each, measure in zip(told.statements, MEASURES, strict=False)
        for stage, value in zip(told.stages, each.account.values, strict=True)
    )
