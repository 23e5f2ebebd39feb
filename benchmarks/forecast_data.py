"""Collections with vectors or runs, real but for two that are made, as whole lists: what the forecast is tried on."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from benchmarks.forecast_cases import DATA, Lists
from rankscope.core.arrays import BoolArray, FloatArray, IntArray

QUERIES = 200
CUT_TO = 10
SMALLEST_CLASS = 5
TEXTS = {"npl": 11426, "cranfield": 1400, "cacm": 3204, "cisi": 1460, "medline": 1033, "adi": 82}
RUNS = ("bm25", "bm25stem", "tfidf", "tfidfnostem", "lmdir", "lsi100")
TIED_RUN = "coord"
ROBUST, COVID = 528_155, 51_103  # documents
ONLY_RANKS = ("BM25R2", "KU_run2", "Tetralogie0Fr", "sheikh_bm25_all", "xj4wang_run1")  # in the place of scores


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


def icons() -> Labelled:
    with np.load(DATA / "icons20k" / "icons.npz") as file:
        pixels = file["images"].reshape(len(file["images"]), -1).astype(np.float64)
        pixels -= pixels.mean(axis=1, keepdims=True)
        length = np.linalg.norm(pixels, axis=1, keepdims=True)
        return Labelled(pixels / np.where(length > 0, length, 1), file["labels"].astype(np.int64), cosine=True)


def letter() -> Labelled:
    rows = [line.split(",") for line in _opened(next((DATA / "letter").glob("*.data*")))]
    number = np.unique([row[0] for row in rows], return_inverse=True)[1]
    return Labelled(np.array([row[1:] for row in rows], dtype=np.float64), number.astype(np.int64))


def digits() -> Labelled:
    from sklearn.datasets import load_digits  # type: ignore[import-untyped, unused-ignore]

    data = load_digits()
    return Labelled(data.data, data.target.astype(np.int64))


def corel1k() -> Labelled:
    """Square roots of colour histograms with 4 x 4 x 4 cells."""
    from PIL import Image

    folder = DATA / "corel1k"
    files, number = _labels(folder / "labels.csv")
    pictures = [Image.open(folder / "images" / Path(name).name).convert("RGB").resize((96, 64)) for name in files]
    cells = np.stack([(np.asarray(picture).astype(np.int64) // 64).reshape(-1, 3) @ [16, 4, 1] for picture in pictures])
    histograms = np.stack([np.bincount(each, minlength=64) for each in cells]) / cells.shape[1]
    return Labelled(np.sqrt(histograms), number)


def mpeg7() -> Labelled:
    """Sizes of the 8 x 8 lowest frequencies of shapes of 64 x 64 points."""
    from PIL import Image

    folder = DATA / "mpeg7-shapes"
    files, number = _labels(folder / "partB_labels.csv")
    shapes = [np.asarray(Image.open(folder / "partB" / name).convert("L").resize((64, 64))) > 127 for name in files]
    waves = np.stack([np.abs(np.fft.fft2(shape - shape.mean()))[:8, :8].ravel() for shape in shapes])
    return Labelled(np.sqrt(waves / np.linalg.norm(waves, axis=1, keepdims=True)), number)


def mixture(classes: int, seed: int) -> Labelled:
    """Made: classes around normal centres in 32 dimensions, each with a spread of its own, from .5 to 1.5."""
    random = np.random.default_rng(seed)
    centres, spread = random.normal(size=(classes, 32)), random.uniform(0.5, 1.5, classes)
    number = random.integers(0, classes, 20_000)
    return Labelled(centres[number] + spread[number, None] * random.normal(size=(number.size, 32)), number)


def _labels(path: Path) -> tuple[list[str], IntArray]:
    rows = list(csv.reader(path.read_text().splitlines()))[1:]
    return [row[0] for row in rows], np.unique([row[1] for row in rows], return_inverse=True)[1].astype(np.int64)


VECTORS: dict[str, Callable[[], Labelled]] = {
    "icons20k": icons,
    "letter": letter,
    "digits": digits,
    "corel1k": corel1k,
    "mpeg7-shapes": mpeg7,
    "made, 50 classes": partial(mixture, 50, 7),
    "made, 200 classes": partial(mixture, 200, 8),
}


def there() -> Iterator[str]:
    """The collections of vectors that are made, are installed or lie in the data folder."""
    from importlib.util import find_spec

    for name in VECTORS:
        if name.startswith("made") or (find_spec("sklearn") if name == "digits" else (DATA / name).is_dir()):
            yield name


@cache
def vector_lists(name: str, whole_classes: bool) -> Lists:
    """Random queries of classes that are large enough, whole or cut to 10 random members."""
    data, random = VECTORS[name](), np.random.default_rng(0)
    sizes = np.bincount(data.classes[data.classes >= 0])
    able = np.flatnonzero((data.classes >= 0) & (sizes[data.classes] >= SMALLEST_CLASS))
    queries = random.choice(able, min(QUERIES, able.size), replace=False)
    order = random.permutation(data.classes.size)
    most = None if whole_classes else CUT_TO - 1
    lists = [
        _sorted(score, *_members(data.classes, query, order, most))
        for query, score in zip(queries.tolist(), data.scores(queries), strict=True)
    ]
    distractors = np.array([int((~relevant).sum()) for _, _, relevant in lists])
    classes = tuple(str(number) for number in data.classes[queries].tolist())
    return Lists.of(lists, np.zeros(len(lists), np.int64), distractors, data.classes.size, classes)


def _members(classes: IntArray, query: int, order: IntArray, most: int | None) -> tuple[IntArray, IntArray]:
    mates = order[(classes[order] == classes[query]) & (order != query)]
    return mates[:most], np.flatnonzero(classes != classes[query])


def _sorted(score: FloatArray, mates: IntArray, others: IntArray) -> tuple[IntArray, FloatArray, BoolArray]:
    item = np.concatenate([mates, others])
    item = item[np.lexsort((item, -score[item]))]
    return item, score[item], np.isin(item, mates)


@cache
def text_lists(collection: str, run: str) -> Lists:
    """A run of one of the six text collections: top 200."""
    folder = DATA / "text" / collection
    return run_lists(folder / "qrels.txt", folder / "runs" / f"{run}.run.gz", TEXTS[collection])


@cache
def robust_lists(run: str) -> Lists:
    folder = DATA / "trec-robust03"
    return run_lists(folder / "qrels.txt.gz", folder / "runs" / f"{run}.gz", ROBUST)


@cache
def covid_lists(run: str) -> Lists:
    folder = DATA / "trec-covid-r1"
    return run_lists(folder / "qrels-rnd1.txt", folder / "runs" / f"{run}.gz", COVID)


def runs_of(folder: str) -> list[str]:
    """Names of the runs of a track whose scores are scores."""
    names = [path.name.removesuffix(".gz") for path in sorted((DATA / folder / "runs").glob("*.gz"))]
    return [name for name in names if name not in ONLY_RANKS]


def run_lists(qrels: Path, run: Path, items: int) -> Lists:
    """The judged queries of a run with a relevant item, best first; every other document counts as not relevant."""
    relevant: dict[str, set[str]] = {}
    for query, _, item, grade in (line.split() for line in _opened(qrels)):
        if float(grade) >= 1:
            relevant.setdefault(query, set()).add(item)
    rows: dict[str, list[tuple[float, str]]] = {}
    number: dict[str, int] = {}
    for query, _, item, _, score, *_ in (line.split() for line in _opened(run)):
        if query in relevant:
            rows.setdefault(query, []).append((-float(score), item))
            number.setdefault(item, len(number))
    lists = [_listed(sorted(rows[query], key=lambda row: row[0]), relevant[query], number) for query in rows]
    missing = np.array([len(relevant[query]) - int(hit.sum()) for query, (_, _, hit) in zip(rows, lists, strict=True)])
    distractors = np.array([items - len(relevant[query]) for query in rows])
    return Lists.of(lists, missing, distractors, len(number), None)


def _listed(
    rows: list[tuple[float, str]], relevant: set[str], number: dict[str, int]
) -> tuple[IntArray, FloatArray, BoolArray]:
    item = np.array([number[name] for _, name in rows], dtype=np.int64)
    return item, -np.array([score for score, _ in rows]), np.array([name in relevant for _, name in rows])


def _opened(path: Path) -> Iterable[str]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return file.read().splitlines()
