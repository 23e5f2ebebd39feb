"""The design of Brughi et al. (2014) on photos at hand: which pictures, which queries, and two systems that rank them.

Corel-1k is looked for in `--data`, then in RANKSCOPE_DATA, then in `../shared/data` beside the repository. Without it
the icons that ship with rankscope take its place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.collections import Collection, load
from rankscope.engines.images.bag_of_words import BagOfWords
from rankscope.engines.images.decoding import read_image
from rankscope.engines.images.image import Image
from rankscope.engines.images.sift_matching import SiftMatching
from rankscope.engines.pairwise import pairwise_ranks
from rankscope.errors import RankscopeError
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.table.balanced import balanced_subset

CLASSES, EACH, DISTRACTORS, QUERIES = 5, 35, 300, 5
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


def simple(given: Experiment) -> list[RelevantRanks]:
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


def _by_city_block(given: Experiment, name: str, vectors: FloatArray) -> RelevantRanks:
    from scipy.spatial.distance import cdist

    return pairwise_ranks(lambda rows: cdist(vectors[rows], vectors, "cityblock"), system=name, **given.asked())  # type: ignore[arg-type]


def rankers(given: Experiment) -> list[RelevantRanks]:
    """Those of the paper: a bag of 50 visual words, 3 % clipped, and SIFT matching with RANSAC."""
    matching, bag = SiftMatching(), BagOfWords()
    features = [matching.of(image) for image in given.images]
    vectors = [each.vectors for each in features]
    counts = bag.vocabulary(features, given.seed).counts(vectors)
    asked = given.asked()
    return [
        bag.ranks(counts, system="bag of words", **asked),  # type: ignore[arg-type]
        matching.ranks(features, system="SIFT matching", **asked),  # type: ignore[arg-type]
    ]


SYSTEMS: dict[str, Callable[[Experiment], Sequence[RelevantRanks]]] = {"rankers": rankers, "simple": simple}
