"""Pictures as bags of visual words, ranked as texts are: rare words weigh more, and an inverted index finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.images.image import Image
from rankscope.engines.images.sift import LocalFeatures, dense_features, local_features
from rankscope.engines.images.visual_words import SAMPLE, VisualVocabulary
from rankscope.engines.pairwise import pairwise_ranks
from rankscope.errors import SettingError
from rankscope.notation import Named
from rankscope.ranks.relevant_ranks import RelevantRanks


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
        return cls(csr_array(shares(left) * rarity), kept, rarity)

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


def shares(counts: IntArray) -> FloatArray:
    """Each row over its sum; a row of zeros stays so."""
    total = counts.sum(axis=1, keepdims=True)
    return counts / np.where(total > 0, total, 1)
