"""Pictures as bags of visual words, ranked as texts are, and the vocabulary of these words."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.caching import import_extra
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import atomic
from rankscope.core.names import name_of
from rankscope.core.notation import Named
from rankscope.engines.images.image import Image
from rankscope.engines.images.local_features import LocalFeatures, dense_features, local_features
from rankscope.engines.pairwise import pairwise_ranks
from rankscope.inputs.array_files import Archive
from rankscope.ranks.relevant_ranks import RelevantRanks

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


# Pictures as bags of visual words, ranked as texts are: rare words weigh more, and an inverted index finds them.


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
        """The local features of one picture."""
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
