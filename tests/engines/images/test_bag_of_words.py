"""Bags of visual words: by hand, against scikit-learn, and a saved vocabulary that gives the same words again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.arrays import IntArray
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.images.image import Image, read_image
from rankscope.engines.images.local_features import BagOfWords, VisualVocabulary, WordIndex, kept_words, row_shares
from rankscope.inputs.collections.collection import load
from rankscope.measures import AP
from rankscope.measures.quadruple import random_average_precision
from tests.data import data_folder

EVERY = 20


def some_counts(seed: int = 0, pictures: int = 30, words: int = 40) -> IntArray:
    rng = np.random.default_rng(seed)
    return rng.poisson(rng.gamma(0.3, 2, words), (pictures, words)).astype(np.int64)


def test_words_weigh_by_how_rare_they_are() -> None:
    counts = np.array([[3, 1, 0], [2, 0, 2], [4, 0, 0]])
    index = WordIndex.of(counts, clip=0)
    np.testing.assert_allclose(index.idf, [0.0, np.log(3), np.log(3)])
    np.testing.assert_allclose(index.weights.toarray(), [[0, np.log(3) / 4, 0], [0, 0, np.log(3) / 2], [0, 0, 0]])
    assert index.cosine(np.arange(3)).round(12).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 1]]


def test_cosines_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.metrics.pairwise import cosine_distances

    counts = some_counts()
    counts[:, counts.sum(axis=0) == 0] = 1
    theirs = TfidfTransformer(norm=None, smooth_idf=False).fit_transform(row_shares(counts)).toarray() - row_shares(
        counts
    )
    ours = WordIndex.of(counts, clip=0)
    np.testing.assert_allclose(ours.cosine(np.arange(30)), cosine_distances(theirs), atol=1e-12)


def test_the_most_and_the_least_frequent_words_go_and_shares_are_made_of_the_rest() -> None:
    counts = np.array([[9, 1, 4, 5, 0], [9, 0, 4, 6, 1]])
    assert kept_words(counts, 0.2).tolist() == [2, 3, 4]  # the first of two equally rare words goes
    index = WordIndex.of(counts, clip=0.2, idf=False)
    np.testing.assert_allclose(index.weights.toarray().sum(axis=1), 1)
    assert kept_words(some_counts(words=50), 0.03).size == 46
    assert kept_words(some_counts(words=10), 0.03).size == 10


@given(clip=st.floats(0, 0.49), words=st.integers(1, 60))
def test_as_many_words_go_at_each_end(clip: float, words: int) -> None:
    kept = kept_words(some_counts(words=words), clip)
    assert words - kept.size == 2 * round(clip * words)


def test_a_picture_without_words_is_at_distance_one_from_all() -> None:
    counts = some_counts()
    counts[3] = 0
    distances = WordIndex.of(counts).cosine(np.arange(30))
    assert (distances[3] == 1).all()
    assert (distances[:, 3] == 1).all()
    assert np.isfinite(distances).all()


def test_the_nearest_word_is_that_of_a_slow_loop() -> None:
    rng = np.random.default_rng(0)
    words, vectors = rng.random((20, 8)).astype(np.float32), rng.random((5000, 8)).astype(np.float32)
    found = VisualVocabulary("random", words).nearest(vectors)
    slow = ((vectors[:, None].astype(np.float64) - words) ** 2).sum(axis=2)
    assert (slow[np.arange(5000), found] <= slow.min(axis=1) + 1e-6).all()


@pytest.mark.thorough
def test_a_vocabulary_is_learnt_saved_and_read_again(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pictures = [rng.random((60, 8)).astype(np.float32) for _ in range(10)]
    vocabulary = VisualVocabulary.learnt(pictures, words=7, seed=3, name="mine")
    vocabulary.save(tmp_path / "mine.npz")
    again = VisualVocabulary.load(tmp_path / "mine.npz")
    assert (again.name, again.features, again.seed, again.digest) == ("mine", "rootsift", 3, vocabulary.digest)
    assert (again.counts(pictures) == vocabulary.counts(pictures)).all()
    assert vocabulary.counts(pictures).sum(axis=1).tolist() == [60] * 10
    assert vocabulary.digest == VisualVocabulary.learnt(pictures, words=7, seed=3).digest
    assert vocabulary.digest != VisualVocabulary.learnt(pictures, words=7, seed=4).digest


def test_what_is_no_vocabulary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("words")
    np.savez(tmp_path / "other.npz", words=np.zeros(3))
    for name in ("text.npz", "other.npz", "nowhere.npz"):
        with pytest.raises(InputError, match="is no vocabulary"):
            VisualVocabulary.load(tmp_path / name)
    with pytest.raises(SettingError, match="needs at least as many local features, got 3"):
        VisualVocabulary.learnt([np.zeros((3, 8))], words=4)


def test_settings_that_cannot_be_are_refused() -> None:
    assert (BagOfWords().words, BagOfWords().clip) == (50, 0.03)
    for wrong in ({"points": "many"}, {"weight": "idf"}, {"words": 0}, {"clip": 0.5}):
        with pytest.raises(SettingError, match="bag-of-words"):
            BagOfWords(**wrong)


def test_a_flat_picture_has_no_words() -> None:
    flat = BagOfWords().of(Image.of(np.zeros((40, 40))))
    assert VisualVocabulary("any", np.zeros((5, 128), dtype=np.float32)).counts([flat.vectors]).tolist() == [[0] * 5]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "ranker", [BagOfWords(), BagOfWords(words=20, points="dense", weight="tf")], ids=lambda each: each.points
)
def test_photos_of_one_class_share_words(ranker: BagOfWords) -> None:
    collection = load("corel1k", data_folder("corel1k"))
    assert collection.paths is not None
    items = [ranker.of(read_image(path)) for path in collection.paths[::EVERY]]
    counts = ranker.vocabulary(items, sample=4000).counts([each.vectors for each in items])
    ranks = ranker.ranks(counts, collection.labels[::EVERY])
    chance = random_average_precision(len(items) - 1, 1000 // EVERY // 10 - 1)
    assert AP().of(ranks).mean() > 1.5 * chance
    assert ranks.system == "bag-of-words"
