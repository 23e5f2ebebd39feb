"""The design of Brughi et al. (2014) on photos at hand: which pictures, which queries, and two systems that rank them.

Corel-1k is looked for in `--data`, then in RANKSCOPE_DATA, then in `../shared/data` next to the repository. Without it
the icons that ship with rankscope take its place.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from rankscope.analysis.statistics.design import balanced_subset
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import RankscopeError
from rankscope.core.files import atomic
from rankscope.engines.images.image import Image, read_image
from rankscope.engines.images.local_features import BagOfWords, LocalFeatures, SiftMatching
from rankscope.engines.pairwise import pairwise_ranks
from rankscope.inputs.collections.collection import Collection, load
from rankscope.ranks.relevant_ranks import RelevantRanks

CLASSES, EACH, DISTRACTORS, QUERIES = 5, 35, 300, 5
WORDS, SIZES = 50, (10, 25, 50, 100, 200, 500)
BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"


@dataclass(frozen=True, eq=False)
class Experiment:
    """The pictures that are ranked, the class of each ('' for a distractor), and which of them are queries."""

    collection: str
    images: list[Image]
    ids: list[str]
    labels: list[str]
    queries: IntArray
    classes: tuple[str, ...]
    seed: int
    note: str = ""

    def asked(self) -> dict[str, object]:
        """What every ranker must be told."""
        return {"labels": self.labels, "ids": self.ids, "queries": self.queries.tolist()}

    def __str__(self) -> str:
        each = self.labels.count(self.classes[0])
        others = self.labels.count("")
        return (
            f"{self.collection}, seed {self.seed}: {len(self.ids)} pictures = {len(self.classes)} classes x {each} + "
            f"{others} distractors; {self.queries.size} queries, {self.queries.size // len(self.classes)} a class.\n"
            f"A query is taken out of its own ranking: d = {len(self.ids) - 1}, c = {each - 1}.\n"
            f"Classes: {', '.join(self.classes)}."
        )


def experiment(data: str | None = None, seed: int = 0) -> Experiment:
    """Five classes drawn down to 35 pictures each, 300 pictures of no such class, five queries of each class.

    The pictures stand in an order drawn by chance: equal scores are ranked in that order, and files sorted by class
    would favour the classes that come first.
    """
    collection, note = _collection(data)
    design = balanced_subset(collection.labels, CLASSES, DISTRACTORS, seed)
    chance = np.random.default_rng(seed)
    members = chance.permuted(design.members, axis=1)[:, :EACH]
    items = chance.permutation(np.concatenate([members.ravel(), design.distractors]))
    wanted, asked = set(members.ravel().tolist()), members[:, :QUERIES]
    return Experiment(
        collection.name,
        _pictures(collection, items),
        [collection.ids[each] for each in items.tolist()],
        [collection.labels[each] if each in wanted else "" for each in items.tolist()],
        np.flatnonzero(np.isin(items, asked)),
        design.classes,
        seed,
        note,
    )


def _collection(data: str | None) -> tuple[Collection, str]:
    places = [data] if data else [os.environ.get("RANKSCOPE_DATA"), str(BESIDE)]
    tried = [Path(place) / "corel1k" for place in places if place]
    for folder in tried:
        try:
            return load("corel1k", folder), ""
        except RankscopeError as error:
            reason = str(error).splitlines()[-1].strip()
    where = " or ".join(map(str, tried))
    return load("icons"), f"No Corel-1k in {where}: the icons that ship with rankscope take its place. {reason}"


def _pictures(collection: Collection, items: IntArray) -> list[Image]:
    if collection.images is not None:
        return [Image.of(picture) for picture in collection.images[items]]
    paths = collection.paths or ()
    return [read_image(paths[each]) for each in items.tolist()]


@dataclass(frozen=True, eq=False)
class RankedSystem:
    """A system with the scores of all pictures for each query, higher is better."""

    name: str
    scores: FloatArray  # queries x pictures

    def ranks(self, given: Experiment) -> RelevantRanks:
        """Exact ranks of all relevant pictures."""
        row = {item: place for place, item in enumerate(given.queries.tolist())}
        rows = partial(_rows_of, self.scores, row)
        return pairwise_ranks(rows, system=self.name, higher_is_better=True, **given.asked())  # type: ignore[arg-type]

    def order(self, given: Experiment) -> IntArray:
        """The pictures from the best on, without the query."""
        scores = self.scores.copy()
        scores[np.arange(given.queries.size), given.queries] = -np.inf
        return np.argsort(-scores, axis=1, kind="stable")[:, :-1]


def _rows_of(scores: FloatArray, row: dict[int, int], items: IntArray) -> FloatArray:
    return scores[[row[item] for item in items.tolist()]]


def simple(given: Experiment, work: Path) -> list[RankedSystem]:
    """Colours against forms: an RGB histogram of 8 x 8 x 8 bins, and a grey thumbnail of 32 x 32; both by L1."""
    colours = np.stack([_histogram(image) for image in given.images])
    forms = np.stack([_thumbnail(image) for image in given.images])
    return [_by_city_block(given, "thumbnail", forms), _by_city_block(given, "RGB histogram", colours)]


def _histogram(image: Image) -> FloatArray:
    bins = (image.rgb >> 5).astype(np.int64) @ np.array([64, 8, 1])
    return np.bincount(bins.ravel(), minlength=512) / image.pixels


def _thumbnail(image: Image) -> FloatArray:
    from PIL import Image as Picture

    small = Picture.fromarray(image.grey).resize((32, 32), Picture.Resampling.BOX)
    return np.asarray(small, dtype=np.float64).ravel()


def _by_city_block(given: Experiment, name: str, vectors: FloatArray) -> RankedSystem:
    from scipy.spatial.distance import cdist

    return RankedSystem(name, -cdist(vectors[given.queries], vectors, "cityblock"))


def rankers(given: Experiment, work: Path) -> list[RankedSystem]:
    """A bag of 50 visual words, 3 % clipped, and SIFT matching with RANSAC."""
    features = [SiftMatching().of(image) for image in given.images]
    return [bag_of_words(given, features, WORDS), matched(given, features, SiftMatching(), "SIFT matching", work)]


def bag_of_words(given: Experiment, features: list[LocalFeatures], words: int) -> RankedSystem:
    """The bag with a vocabulary of so many words, learnt from these pictures."""
    bag = BagOfWords(words=words)
    counts = bag.vocabulary(features, given.seed).counts([each.vectors for each in features])
    name = "bag of words" if words == WORDS else f"bag of {words} words"
    return RankedSystem(name, -bag.index(counts).cosine(given.queries))


def matched(given: Experiment, features: list[LocalFeatures], how: SiftMatching, name: str, work: Path) -> RankedSystem:
    """The scores of SIFT matching, query by query; those that lie in the folder already are not computed again."""
    work.mkdir(parents=True, exist_ok=True)
    rows = []
    for done, item in enumerate(given.queries.tolist(), start=1):
        key = f"{given.collection} {given.seed} {given.ids} {how} {asdict(how)} {item}"
        file = work / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.npy"
        if not file.exists():
            row = how.scores([features[item]], features)[0]
            with atomic(file, "wb") as target:
                np.save(target, row)
        rows.append(np.load(file))
        print(f"\r{name}: {done} of {given.queries.size} queries", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return RankedSystem(name, np.array(rows))


def variants(given: Experiment, work: Path) -> list[RankedSystem]:
    """Vocabularies of other sizes, and SIFT matching as the paper has it: Lowe's vectors, locally optimised RANSAC."""
    root, plain = ([SiftMatching(vectors=each).of(image) for image in given.images] for each in ("rootsift", "sift"))
    found = [bag_of_words(given, root, words) for words in SIZES]
    for vectors, features in (("rootsift", root), ("sift", plain)):
        for ransac in ("plain", "local"):
            how = SiftMatching(vectors=vectors, ransac=ransac)
            words = (
                f"{'RootSIFT' if vectors == 'rootsift' else 'SIFT'}, {'LO-RANSAC' if ransac == 'local' else 'RANSAC'}"
            )
            found.append(matched(given, features, how, words, work))
    return found


def variables(given: Experiment) -> dict[str, dict[str, float]]:
    """What is known of each query picture: how bright it is, how much its grey varies, how many local features."""
    found: dict[str, dict[str, float]] = {"brightness": {}, "contrast": {}}
    for item in given.queries.tolist():
        grey = given.images[item].grey.astype(np.float64)
        found["brightness"][given.ids[item]] = float(grey.mean())
        found["contrast"][given.ids[item]] = float(grey.std())
    return found


SYSTEMS: dict[str, Callable[[Experiment, Path], Sequence[RankedSystem]]] = {"rankers": rankers, "simple": simple}
