"""Local features (SIFT): pictures compared by them pair by pair (finds copies and the same object, not classes),
or ranked as texts are, as bags of visual words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import atomic
from rankscope.core.names import name_of
from rankscope.core.notation import Named
from rankscope.core.threads import in_threads
from rankscope.engines.images.image import Image, opencv
from rankscope.engines.pairwise import pairwise_ranks
from rankscope.inputs.array_files import Archive
from rankscope.ranks.relevant_ranks import RelevantRanks

SIFT_WIDTH = 128
MOST_POINTS = 500  # points of a picture, the strongest first
GRID_STEP, GRID_SIZE = 8, 16  # of the grid of dense points


@dataclass(frozen=True, eq=False)
class LocalFeatures:
    """Points (x, y) of a picture and the vector of each; a flat picture has none.

    >>> local_features(Image.of(np.zeros((40, 40)))).vectors.shape
    (0, 128)
    """

    points: NDArray[np.float32]
    vectors: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.points)


def packed_features(features: Sequence[LocalFeatures]) -> NDArray[np.float32]:
    """The local features of several pictures as one matrix: how many, then points, then vectors, the rest zeros.

    >>> packed_features([LocalFeatures(np.ones((1, 2), np.float32), np.ones((1, SIFT_WIDTH), np.float32))]).shape
    (1, 131)
    """
    most = max(map(len, features), default=0)
    matrix = np.zeros((len(features), 1 + (2 + SIFT_WIDTH) * most), np.float32)
    for row, each in zip(matrix, features, strict=True):
        values = np.concatenate([each.points.ravel(), each.vectors.ravel()])
        row[0], row[1 : 1 + values.size] = len(each), values
    return matrix


def unpacked_features(matrix: NDArray[Any]) -> list[LocalFeatures]:
    """What `packed` put into a matrix.

    >>> [len(each) for each in unpacked_features(packed_features([local_features(Image.of(np.zeros((40, 40))))]))]
    [0]
    """
    found = []
    for row in matrix:
        count = int(row[0])
        points, vectors = np.split(row[1 : 1 + (2 + SIFT_WIDTH) * count], [2 * count])
        found.append(LocalFeatures(points.reshape(count, 2), vectors.reshape(count, SIFT_WIDTH)))
    return found


def local_features(image: Image, most: int = MOST_POINTS, root: bool = True) -> LocalFeatures:
    """SIFT (Lowe 2004) at the points it finds itself, at most so many, as RootSIFT or as it is."""
    cv2 = opencv()
    points, vectors = cv2.SIFT_create(nfeatures=most).detectAndCompute(image.grey, None)
    return _as_local_features(points, vectors, root)


def dense_features(image: Image, step: int = GRID_STEP, size: int = GRID_SIZE) -> LocalFeatures:
    """SIFT on a grid, every `step` pixels, upright: for scenes, which have no object that stands out. As RootSIFT.

    A picture smaller than a step has one point, in its middle.
    """
    cv2 = opencv()
    rows, columns = (np.arange(step, side, step) if side > step else [side / 2] for side in (image.height, image.width))
    grid = [cv2.KeyPoint(float(x), float(y), float(size), 0.0) for y in rows for x in columns]
    points, vectors = cv2.SIFT_create().compute(image.grey, grid)
    return _as_local_features(points, vectors)


def root_sift(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """RootSIFT (Arandjelovic and Zisserman 2012): each vector over its sum, then the root; all have length 1.

    A vector of zeros stays so.
    >>> root_sift(np.array([[1., 3.], [0., 0.]])).round(3).tolist()
    [[0.5, 0.865...], [0.0, 0.0]]
    """
    values = vectors.astype(np.float32)
    total = np.abs(values).sum(axis=1, keepdims=True)
    return np.sqrt(values / np.where(total > 0, total, np.float32(1.0)))


def _as_local_features(points: Any, vectors: Any, root: bool = True) -> LocalFeatures:
    if vectors is None or len(points) == 0:
        return LocalFeatures(np.empty((0, 2), np.float32), np.empty((0, SIFT_WIDTH), np.float32))
    plain = np.asarray(vectors, dtype=np.float32)
    return LocalFeatures(np.array([each.pt for each in points], dtype=np.float32), root_sift(plain) if root else plain)


LEAST_MATCHES = 4  # matches below which no transform is looked for
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
    choices: ClassVar = {"by": ("inliers", "matches"), "vectors": ("rootsift", "sift"), "ransac": ("plain", "local")}
    least: ClassVar = {"features": 1}
    above: ClassVar = {"ratio": 0.0}
    most: ClassVar = {"ratio": 1.0}

    by: str = "inliers"
    ratio: float = 0.8
    features: int = MOST_POINTS
    vectors: str = "rootsift"
    ransac: str = "plain"

    def of(self, image: Image) -> LocalFeatures:
        return local_features(image, self.features, root=self.vectors == "rootsift")

    def score(self, query: LocalFeatures, item: LocalFeatures) -> int:
        """How well a picture goes with the query: number of inliers, or of matches."""
        mine, theirs = feature_matches(query, item, self.ratio)
        return mine.size if self.by == "matches" else self.inliers(query, item, mine, theirs)

    def inliers(self, query: LocalFeatures, item: LocalFeatures, mine: IntArray, theirs: IntArray) -> int:
        """How many matches one similarity explains, found as `ransac` says."""
        if self.ransac == "plain":
            return plain_inliers(query, item, mine, theirs)
        if mine.size < LEAST_MATCHES:
            return 0
        return int(local_inliers(query.points[mine], item.points[theirs], REACH, TRIES).sum())

    def scores(self, queries: Sequence[LocalFeatures], items: Sequence[LocalFeatures]) -> FloatArray:
        rows = [in_threads(partial(self.score, query), items) for query in queries]
        return np.array(rows, dtype=np.float64).reshape(len(queries), len(items))

    def rows(self, items: Sequence[LocalFeatures]) -> Callable[[IntArray], FloatArray]:
        """A function from positions of items to their scores with all, one row each; higher is better."""
        return lambda queries: self.scores([items[query] for query in queries.tolist()], items)

    def ranks(self, items: Sequence[LocalFeatures], labels: Iterable[Any], **options: Any) -> RelevantRanks:
        """Exact ranks of all class mates of every picture; `options` are those of `pairwise_ranks`."""
        record = {"system": self.name, "settings": {"ranker": self.name, **asdict(self)}}
        return pairwise_ranks(self.rows(items), labels, **{**record, **options, "higher_is_better": True})


def feature_matches(query: LocalFeatures, item: LocalFeatures, ratio: float) -> tuple[IntArray, IntArray]:
    """Pairs of features that match: positions in the query and in the item, each of the item's once at most.

    With fewer than two features in the item no second nearest exists, and nothing matches.
    """
    nothing = np.empty(0, dtype=np.int64)
    if len(query) == 0 or len(item) < 2:
        return nothing, nothing
    own, other = ((each.vectors**2).sum(axis=1, dtype=np.float64) for each in (query, item))
    square = np.maximum(own[:, None] + other - 2.0 * (query.vectors @ item.vectors.T), 0.0)
    rows = np.arange(len(query))
    nearest = square.argmin(axis=1)
    first = square[rows, nearest]
    square[rows, nearest] = np.inf
    mine = np.flatnonzero(first < ratio**2 * square.min(axis=1))
    mine = mine[np.argsort(first[mine], kind="stable")]  # the nearest first, so that `unique` keeps it
    theirs, kept = np.unique(nearest[mine], return_index=True)
    return mine[kept], theirs


def plain_inliers(query: LocalFeatures, item: LocalFeatures, mine: IntArray, theirs: IntArray) -> int:
    """How many matches one similarity transform explains within five pixels; 0 for fewer than four matches."""
    if mine.size < LEAST_MATCHES:
        return 0
    cv2 = opencv()
    options = {"ransacReprojThreshold": REACH, "maxIters": TRIES, "confidence": CONFIDENCE}
    found = cv2.estimateAffinePartial2D(query.points[mine], item.points[theirs], method=cv2.RANSAC, **options)
    return 0 if found[0] is None else int(found[1].sum())


Points: TypeAlias = NDArray[np.complex128]
WIDER, FITTING_STEPS = 3.0, 4  # reach of the first fit, in reaches, and how many fits lead to one
LEAST_PAIRS = 2
RANSAC_CELLS = 1 << 22


def local_inliers(query: NDArray[Any], item: NDArray[Any], reach: float, tries: int, seed: int = 0) -> BoolArray:
    """Which matches (rows of x, y in both pictures) the best similarity explains within `reach` pixels."""
    here, there = (np.ascontiguousarray(each, np.float64).view(np.complex128)[:, 0] for each in (query, item))
    best = np.zeros(here.size, np.bool_)
    if here.size < LEAST_PAIRS:
        return best
    # Similarities through two matches each; two at the same point make none, and are drawn again as a shift.
    chance = np.random.default_rng([seed, here.size])
    first = chance.integers(0, here.size, tries)
    second = (first + chance.integers(1, here.size, tries)) % here.size
    across = here[second] - here[first]
    turn = np.where(across != 0, (there[second] - there[first]) / np.where(across != 0, across, 1), 1.0)
    shift = there[first] - turn * here[first]
    step = max(1, RANSAC_CELLS // here.size)
    counts = []  # of the inliers of each model
    for some in (slice(start, start + step) for start in range(0, turn.size, step)):
        off = np.abs(turn[some, None] * here + shift[some, None] - there)
        counts.append((off < reach).sum(axis=1))
    record = np.maximum.accumulate(np.concatenate(counts))
    for place in np.flatnonzero(np.append(True, record[1:] > record[:-1])).tolist():
        found = improved_inliers(here, there, turn[place], shift[place], reach)
        best = found if found.sum() > best.sum() else best
    return best


def improved_inliers(here: Points, there: Points, turn: complex, shift: complex, reach: float) -> BoolArray:
    """The inliers of a model, or of what least squares make of it, whichever are more."""
    best = np.abs(turn * here + shift - there) < reach
    for wide in np.linspace(WIDER, 1.0, FITTING_STEPS) * reach:
        near = np.abs(turn * here + shift - there) < wide
        if near.sum() < LEAST_PAIRS:
            break
        turn, shift = fitted_similarity(here[near], there[near])
        now = np.abs(turn * here + shift - there) < reach
        best = now if now.sum() > best.sum() else best
    return best


def fitted_similarity(here: Points, there: Points) -> tuple[complex, complex]:
    """The similarity of least squares (Umeyama 1991 in the plane, without mirror).

    >>> turn, shift = fitted_similarity(np.array([0, 1, 1j]), 2j * np.array([0, 1, 1j]) + 3)
    >>> bool(np.allclose([turn, shift], [2j, 3]))
    True
    """
    mine, theirs = here - here.mean(), there - there.mean()
    length = float((mine.conj() * mine).real.sum())
    turn = complex((mine.conj() * theirs).sum() / length) if length > 0 else 1.0 + 0j
    return turn, complex(there.mean() - turn * here.mean())


# A vocabulary of visual words: typical local features, learnt once, saved, and named.

SAMPLE = 100_000
VOCABULARY_SCHEMA = 1
AT_ONCE = 4096  # features whose nearest word is looked up


@dataclass(frozen=True, eq=False)
class VisualVocabulary:
    """Words as rows of a matrix. Another vocabulary is another descriptor, so it has a name and a digest.

    >>> tiny = VisualVocabulary("tiny", np.array([[0., 0.], [1., 1.]]))
    >>> tiny.nearest(np.array([[.9, .8], [.1, 0.]])), tiny.counts([np.array([[.9, .8], [2., 2.]])])
    (array([1, 0]), array([[0, 2]]))
    """

    name: str
    words: NDArray[np.float32]
    features: str = "rootsift"
    seed: int = 0

    def __len__(self) -> int:
        return len(self.words)

    @property
    def digest(self) -> str:
        """SHA-256 of the words: equal digests are equal vocabularies."""
        values = np.ascontiguousarray(self.words, dtype="<f4")
        return hashlib.sha256(f"{values.shape}\n".encode() + values.tobytes()).hexdigest()

    @classmethod
    def learnt(
        cls,
        vectors: Sequence[NDArray[Any]],
        words: int = 50,
        *,
        seed: int = 0,
        sample: int = SAMPLE,
        name: str = "",
        features: str = "rootsift",
    ) -> VisualVocabulary:
        """Words from the local features of many pictures (one matrix each), by k-means on a seeded sample of them.

        Fewer features than words are a `SettingError`.
        """
        cluster = import_extra("sklearn.cluster", "scikit-learn", "feedback")
        whole = np.concatenate([np.asarray(each, dtype=np.float32) for each in vectors])
        if not 1 <= words <= len(whole):
            raise SettingError(f"a vocabulary of {words} words needs at least as many local features, got {len(whole)}")
        if len(whole) > sample:
            whole = whole[np.random.default_rng(seed).permutation(len(whole))[:sample]]
        means = cluster.MiniBatchKMeans(words, batch_size=4096, n_init=3, max_iter=60, random_state=seed).fit(whole)
        values = np.asarray(means.cluster_centers_, dtype=np.float32)
        return cls(name or f"{features}-{words}-seed{seed}", values, features, seed)

    def nearest(self, vectors: NDArray[Any]) -> IntArray:
        """For each local feature, the number of the nearest word; of equally near ones the first."""
        half = (self.words.astype(np.float64) ** 2).sum(axis=1) / 2
        parts = [vectors[start : start + AT_ONCE] for start in range(0, len(vectors), AT_ONCE)]
        found = [np.argmax(part @ self.words.T - half, axis=1) for part in parts]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def counts(self, vectors: Sequence[NDArray[Any]]) -> IntArray:
        """How often each word occurs in each picture: (pictures, words)."""
        rows = [np.bincount(self.nearest(each), minlength=len(self)) for each in vectors]
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(self))

    def save(self, path: str | Path) -> None:
        with atomic(path, "wb") as file:
            name, kind, seed = np.array(self.name), np.array(self.features), np.array(self.seed)
            np.savez_compressed(
                file, words=self.words, schema=np.array(VOCABULARY_SCHEMA), name=name, features=kind, seed=seed
            )

    @classmethod
    def load(cls, path: str | Path) -> VisualVocabulary:
        """Read what `save` wrote; anything else is an `InputError`."""
        try:
            packed = Archive.of(path)
            if int(packed.array("schema")) != VOCABULARY_SCHEMA:
                raise ValueError
            name, words, kind, seed = (packed.array(each) for each in ("name", "words", "features", "seed"))
            about = str(name), np.array(words, dtype=np.float32), str(kind), int(seed)
        except (InputError, ValueError, TypeError):
            advice = "Make one with VisualVocabulary.learnt(...).save(FILE)."
            raise InputError.of(name_of(path), ["is no vocabulary of visual words"], advice) from None
        return cls(*about)


@dataclass(frozen=True)
class BagOfWords(Named):
    """The ranker `bag-of-words`: 50 words, 3 % of them left out at both ends, tf-idf, cosine, as Brughi et al. 2014.

    `clip` is the share of words left out at each end. `points` dense takes local features on a grid, which is far
    better for scenes. `weight` tf compares plain shares by L1, tf-idf weighted ones by cosine; a picture without words
    is at distance 1 from all.
    """

    name: ClassVar[str] = "bag-of-words"
    source: ClassVar[str] = "Sivic and Zisserman 2003; Brughi et al. 2014"
    choices: ClassVar = {"points": ("found", "dense"), "weight": ("tf-idf", "tf")}
    least: ClassVar = {"words": 1, "clip": 0.0}

    words: int = 50
    clip: float = 0.03
    points: str = "found"
    weight: str = "tf-idf"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.clip >= 0.5:
            raise SettingError(f"{self.name}: clip must be below 0.5, or no word is left, got {self.clip!r}")

    def of(self, image: Image) -> LocalFeatures:
        return dense_features(image) if self.points == "dense" else local_features(image)

    def vocabulary(self, items: Iterable[LocalFeatures], seed: int = 0, sample: int = SAMPLE) -> VisualVocabulary:
        """A vocabulary learnt from the pictures of a collection, on a seeded sample of their local features."""
        kind = "dense-rootsift" if self.points == "dense" else "rootsift"
        return VisualVocabulary.learnt(
            [each.vectors for each in items], self.words, seed=seed, sample=sample, features=kind
        )

    def index(self, counts: IntArray) -> WordIndex:
        """The index of a collection, from how often each word occurs in each picture."""
        return WordIndex.of(counts, self.clip, idf=self.weight == "tf-idf")

    def ranks(self, counts: IntArray, labels: Iterable[Any], **options: Any) -> RelevantRanks:
        """Exact ranks of all class mates of every picture; `options` are those of `pairwise_ranks`."""
        index = self.index(counts)
        rows: Callable[[IntArray], FloatArray] = index.cosine if self.weight == "tf-idf" else index.city_block
        record = {"system": self.name, "settings": {"ranker": self.name, **asdict(self)}}
        return pairwise_ranks(rows, labels, **{**record, **options})


@dataclass(frozen=True, eq=False)
class WordIndex:
    """The weights of the words in each picture, kept by word: an inverted index.

    >>> index = WordIndex.of(np.array([[2, 0, 1], [1, 0, 1], [0, 3, 1]]), clip=0)
    >>> index.cosine(np.array([0])).round(6).tolist()  # the last word is in every picture and weighs nothing
    [[0.0, 0.0, 1.0]]
    """

    weights: Any  # scipy sparse, (pictures, words kept)
    kept: IntArray
    idf: FloatArray

    @classmethod
    def of(cls, counts: IntArray, clip: float = 0.03, idf: bool = True) -> WordIndex:
        """From counts: words clipped, shares of what is left, times ln(pictures / pictures with the word)."""
        from scipy.sparse import csr_array

        kept = kept_words(counts, clip)
        left = counts[:, kept]
        pictures_with = (left > 0).sum(axis=0)
        rarity = np.log(len(counts) / np.maximum(pictures_with, 1)) if idf else np.ones(kept.size)
        return cls(csr_array(row_shares(left) * rarity), kept, rarity)

    def cosine(self, queries: IntArray) -> FloatArray:
        """1 - cosine of the weights of some pictures with all, one row each; 1 where there are none."""
        from scipy.sparse import diags_array

        length = np.sqrt(np.asarray((self.weights**2).sum(axis=1)))
        unit = diags_array(1.0 / np.where(length > 0, length, 1.0)) @ self.weights
        return 1.0 - (unit.tocsr()[queries] @ unit.T).toarray()

    def city_block(self, queries: IntArray) -> FloatArray:
        """Summed absolute differences of the weights of some pictures from all, one row each."""
        from scipy.spatial.distance import cdist

        whole = self.weights.toarray()
        return cdist(whole[queries], whole, "cityblock")


def kept_words(counts: IntArray, clip: float) -> IntArray:
    """The words that stay when the most and the least frequent go: round(clip * words) at each end.

    >>> kept_words(np.array([[9, 1, 4, 5]]), .25)
    array([2, 3])
    """
    order = np.argsort(counts.sum(axis=0), kind="stable")
    cut = round(clip * order.size)
    return np.sort(order[cut : order.size - cut])


def row_shares(counts: IntArray) -> FloatArray:
    """Each row over its sum; a row of zeros stays so."""
    total = counts.sum(axis=1, keepdims=True)
    return counts / np.where(total > 0, total, 1)
