"""Pictures compared by their local features, pair by pair: finds copies and the same object, not classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.images.image import Image
from rankscope.engines.images.local_ransac import local_inliers
from rankscope.engines.images.optional import opencv
from rankscope.engines.images.sift import MOST, LocalFeatures, local_features
from rankscope.engines.pairwise import pairwise_ranks
from rankscope.notation import Named
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.running.threads import in_threads

LEAST = 4  # matches below which no transform is looked for
REACH, TRIES, CONFIDENCE = 5.0, 1000, 0.99


@dataclass(frozen=True)
class SiftMatching(Named):
    """Scores of pairs: how many local features match, and agree on one shift, turn and scale (`inliers`).

    A feature matches its nearest in the other picture if that is nearer than `ratio` times the second; of several that
    match the same one, the nearest stays. `by` matches leaves out the agreement. 10 to 15 inliers separate copies from
    other pictures. At most `features` of each picture are looked at. About 6 ms a pair: use it on short lists.
    `vectors` sift are Lowe's own in place of RootSIFT; `ransac` local improves every model that looks good (LO-RANSAC).
    """

    name: ClassVar[str] = "sift-matching"
    source: ClassVar[str] = "Lowe 2004; Arandjelovic and Zisserman 2012; Fischler and Bolles 1981; Lebeda et al. 2012"
    choices: ClassVar = {
        "by": ("inliers", "matches"),
        "vectors": ("rootsift", "sift"),
        "ransac": ("plain", "local"),
    }
    least: ClassVar = {"features": 1}
    above: ClassVar = {"ratio": 0.0}
    most: ClassVar = {"ratio": 1.0}

    by: str = "inliers"
    ratio: float = 0.8
    features: int = MOST
    vectors: str = "rootsift"
    ransac: str = "plain"

    def of(self, image: Image) -> LocalFeatures:
        """The local features of one picture."""
        return local_features(image, self.features, root=self.vectors == "rootsift")

    def score(self, query: LocalFeatures, item: LocalFeatures) -> int:
        """How well a picture goes with the query: number of inliers, or of matches."""
        mine, theirs = matches(query, item, self.ratio)
        return mine.size if self.by == "matches" else self.inliers(query, item, mine, theirs)

    def inliers(self, query: LocalFeatures, item: LocalFeatures, mine: IntArray, theirs: IntArray) -> int:
        """How many matches one similarity explains, found as `ransac` says."""
        if self.ransac == "plain":
            return inliers(query, item, mine, theirs)
        if mine.size < LEAST:
            return 0
        return int(local_inliers(query.points[mine], item.points[theirs], REACH, TRIES).sum())

    def scores(self, queries: Sequence[LocalFeatures], items: Sequence[LocalFeatures]) -> FloatArray:
        """The scores of all items for each query."""
        rows = [in_threads(partial(self.score, query), items) for query in queries]
        return np.array(rows, dtype=np.float64).reshape(len(queries), len(items))

    def rows(self, items: Sequence[LocalFeatures]) -> Callable[[IntArray], FloatArray]:
        """A function from positions of items to their scores with all, one row each; higher is better."""
        return lambda queries: self.scores([items[query] for query in queries.tolist()], items)

    def ranks(self, items: Sequence[LocalFeatures], labels: Iterable[Any], **options: Any) -> RelevantRanks:
        """Exact ranks of all class mates of every picture; `options` are those of `pairwise_ranks`."""
        record = {"system": self.name, "settings": {"ranker": self.name, **asdict(self)}}
        return pairwise_ranks(self.rows(items), labels, **{**record, **options, "higher_is_better": True})


def matches(query: LocalFeatures, item: LocalFeatures, ratio: float) -> tuple[IntArray, IntArray]:
    """Pairs of features that match: positions in the query and in the item, each of the item's once at most.

    With fewer than two features in the item no second nearest exists, and nothing matches.
    """
    nothing = np.empty(0, dtype=np.int64)
    if len(query) == 0 or len(item) < 2:
        return nothing, nothing
    square = _squared_distances(query, item)
    rows = np.arange(len(query))
    nearest = square.argmin(axis=1)
    first = square[rows, nearest]
    square[rows, nearest] = np.inf
    mine = np.flatnonzero(first < ratio**2 * square.min(axis=1))
    mine = mine[np.argsort(first[mine], kind="stable")]  # the nearest first, so that `unique` keeps it
    theirs, kept = np.unique(nearest[mine], return_index=True)
    return mine[kept], theirs


def inliers(query: LocalFeatures, item: LocalFeatures, mine: IntArray, theirs: IntArray) -> int:
    """How many matches one similarity transform explains within five pixels; 0 for fewer than four matches."""
    if mine.size < LEAST:
        return 0
    cv2 = opencv()
    options = {"ransacReprojThreshold": REACH, "maxIters": TRIES, "confidence": CONFIDENCE}
    found = cv2.estimateAffinePartial2D(query.points[mine], item.points[theirs], method=cv2.RANSAC, **options)
    return 0 if found[0] is None else int(found[1].sum())


def _squared_distances(query: LocalFeatures, item: LocalFeatures) -> FloatArray:
    own, other = ((each.vectors**2).sum(axis=1, dtype=np.float64) for each in (query, item))
    return np.maximum(own[:, None] + other - 2.0 * (query.vectors @ item.vectors.T), 0.0)
