"""Collections, thinned and whole, with ranks by brute force: what the growth forecast is tried on."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks import Ragged, RelevantRanks

DATA = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[2] / "shared" / "data"))
QUERIES = 400
CUT_TO = 10
SMALLEST_CLASS = 5
KEPT_SCORES = 256
TEXTS = {"npl": 11426, "cranfield": 1400, "cacm": 3204, "cisi": 1460, "medline": 1033}
RUNS = ("bm25stem", "lmdir", "lsi100")


@dataclass(frozen=True)
class Case:
    """What is known, and what comes out."""

    sample: RelevantRanks
    whole: RelevantRanks


@dataclass(frozen=True)
class Labelled:
    """Vectors and class numbers, -1 for none; higher products or smaller distances are better."""

    vectors: FloatArray
    classes: IntArray
    cosine: bool = False

    def scores(self, queries: IntArray) -> FloatArray:
        products = self.vectors[queries] @ self.vectors.T
        if self.cosine:
            return products
        squares = (self.vectors**2).sum(axis=1)
        return np.round(2 * products - squares - squares[queries, None], 9)


@cache
def icons() -> Labelled:
    with np.load(DATA / "icons20k" / "icons.npz") as file:
        pixels = file["images"].reshape(len(file["images"]), -1).astype(np.float64)
        pixels -= pixels.mean(axis=1, keepdims=True)
        length = np.linalg.norm(pixels, axis=1, keepdims=True)
        return Labelled(pixels / np.where(length > 0, length, 1), file["labels"].astype(np.int64), cosine=True)


@cache
def letter() -> Labelled:
    rows = [line.split(",") for line in _text(next((DATA / "letter").glob("*.data*"))).split()]
    number = np.unique([row[0] for row in rows], return_inverse=True)[1]
    return Labelled(np.array([row[1:] for row in rows], dtype=np.float64), number.astype(np.int64))


@cache
def digits() -> Labelled:
    from sklearn.datasets import load_digits  # type: ignore[import-untyped, unused-ignore]

    data = load_digits()
    return Labelled(data.data, data.target.astype(np.int64))


@cache
def corel1k() -> Labelled:
    """Square roots of colour histograms with 4 x 4 x 4 cells."""
    from PIL import Image

    folder = DATA / "corel1k"
    with (folder / "labels.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    pictures = [Image.open(folder / "images" / Path(row[0]).name).convert("RGB").resize((96, 64)) for row in rows]
    cells = np.stack([(np.asarray(picture).astype(np.int64) // 64).reshape(-1, 3) @ [16, 4, 1] for picture in pictures])
    histograms = np.stack([np.bincount(each, minlength=64) for each in cells]) / cells.shape[1]
    return Labelled(np.sqrt(histograms), np.unique([row[1] for row in rows], return_inverse=True)[1].astype(np.int64))


VECTORS: dict[str, Callable[[], Labelled]] = {"icons20k": icons, "letter": letter, "digits": digits, "corel1k": corel1k}


def _text(path: Path) -> str:
    return (gzip.open(path, "rt") if path.suffix == ".gz" else path.open()).read()


def vector_case(name: str, whole_classes: bool, factor: int, seed: int) -> Case:
    """Random queries of classes that are large enough; the same random items are left out for all of them."""
    data, random = VECTORS[name](), np.random.default_rng(seed)
    sizes = np.bincount(data.classes[data.classes >= 0])
    able = np.flatnonzero((data.classes >= 0) & (sizes[data.classes] >= SMALLEST_CLASS))
    queries = random.choice(able, min(QUERIES, able.size), replace=False)
    order = random.permutation(data.classes.size)
    kept = random.random(data.classes.size) < 1 / factor
    lists = [
        _listed(score, *_members(data.classes, query, order, whole_classes))
        for query, score in zip(queries.tolist(), data.scores(queries), strict=True)
    ]
    return Case(_ranks([one.thinned(kept) for one in lists]), _ranks(lists))


def _members(classes: IntArray, query: int, order: IntArray, whole: bool) -> tuple[IntArray, IntArray]:
    mates = order[(classes[order] == classes[query]) & (order != query)]
    return mates if whole else mates[: CUT_TO - 1], np.flatnonzero(classes != classes[query])


@dataclass(frozen=True)
class Listed:
    """One query's list, best first: items, scores, which are relevant; relevant items not listed; all distractors."""

    item: IntArray
    score: FloatArray
    relevant: BoolArray
    missing: int
    distractors: int

    def thinned(self, kept: BoolArray, share: float | None = None) -> Listed:
        there = self.relevant | kept[self.item]
        left = int(kept[self.item[~self.relevant]].sum()) if share is None else round(self.distractors * share)
        return Listed(self.item[there], self.score[there], self.relevant[there], self.missing, left)

    def cut(self, depth: int) -> Listed:
        gone = int(self.relevant[depth:].sum())
        return replace(
            self,
            item=self.item[:depth],
            score=self.score[:depth],
            relevant=self.relevant[:depth],
            missing=self.missing + gone,
        )


def _listed(score: FloatArray, mates: IntArray, others: IntArray) -> Listed:
    item = np.concatenate([mates, others])
    item = item[np.lexsort((item, -score[item]))]
    return Listed(item, score[item], np.isin(item, mates), 0, others.size)


def _ranks(lists: list[Listed]) -> RelevantRanks:
    """The reduction, by hand."""
    ranks = [np.flatnonzero(one.relevant) + 1 for one in lists]
    found = np.array([rank.size for rank in ranks])
    relevant = found + [one.missing for one in lists]
    queries = RelevantRanks.from_ranks(
        ranks,
        relevant=relevant,
        depth=[one.item.size for one in lists],
        collection=relevant + [one.distractors for one in lists],
        distractors=Ragged.of([one.score[~one.relevant][:KEPT_SCORES] for one in lists], "score", np.float64),
    )
    scores = np.concatenate([one.score[one.relevant] for one in lists])
    return replace(queries, judged=queries.judged.with_columns(score=scores))


def text_case(collection: str, run: str, factor: int, seed: int) -> Case:
    """A text run with its scores held fixed; items left out at random, the same for all queries.

    A list cut at 200 is shorter when thinned; forecasts are for lists of equal depth, so the whole one is cut there.
    """
    lists, items = _text_lists(collection, run)
    kept = np.random.default_rng(seed).random(items) < 1 / factor
    sample = [one.thinned(kept, 1 / factor) for one in lists]
    whole = [one.cut(thin.item.size) for one, thin in zip(lists, sample, strict=True)]
    return Case(_ranks(sample), _ranks(whole))


@cache
def _text_lists(collection: str, run: str) -> tuple[tuple[Listed, ...], int]:
    folder = DATA / "text" / collection
    relevant: dict[str, set[str]] = {}
    for query, _, item, grade in (line.split() for line in (folder / "qrels.txt").read_text().splitlines()):
        if float(grade) >= 1:
            relevant.setdefault(query, set()).add(item)
    rows: dict[str, list[tuple[str, float]]] = {query: [] for query in relevant}
    number: dict[str, int] = {}
    for query, _, item, _, score, _ in (line.split() for line in _text(folder / "runs" / f"{run}.run.gz").splitlines()):
        if query in rows:
            rows[query].append((item, float(score)))
            number.setdefault(item, len(number))
    return tuple(_text_list(rows[query], relevant[query], number, TEXTS[collection]) for query in rows), len(number)


def _text_list(rows: list[tuple[str, float]], relevant: set[str], number: dict[str, int], items: int) -> Listed:
    hit = np.array([item in relevant for item, _ in rows], dtype=np.bool_)
    item = np.array([number[item] for item, _ in rows], dtype=np.int64)
    score = np.array([score for _, score in rows], dtype=np.float64)
    return Listed(item, score, hit, len(relevant) - int(hit.sum()), items - len(relevant))


def without_scores(ranks: RelevantRanks) -> RelevantRanks:
    return replace(ranks, distractors=None)


def there(names: tuple[str, ...]) -> Iterator[str]:
    """The collections that are installed or lie in the data folder."""
    from importlib.util import find_spec

    for name in names:
        if find_spec("sklearn") if name == "digits" else (DATA / name).is_dir():
            yield name
