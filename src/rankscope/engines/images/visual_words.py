"""A vocabulary of visual words: typical local features, learnt once, saved, and named."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.errors import InputError, SettingError
from rankscope.extras import import_extra
from rankscope.files import atomic
from rankscope.inputs.arrays_in_files import Archive
from rankscope.names import name_of

SAMPLE = 100_000
SCHEMA = 1
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
        """Write one .npz file."""
        with atomic(path, "wb") as file:
            name, kind, seed = np.array(self.name), np.array(self.features), np.array(self.seed)
            np.savez_compressed(file, words=self.words, schema=np.array(SCHEMA), name=name, features=kind, seed=seed)

    @classmethod
    def load(cls, path: str | Path) -> VisualVocabulary:
        """Read what `save` wrote; anything else is an `InputError`."""
        try:
            packed = Archive.of(path)
            if int(packed.array("schema")) != SCHEMA:
                raise ValueError
            name, words, kind, seed = (packed.array(each) for each in ("name", "words", "features", "seed"))
            about = str(name), np.array(words, dtype=np.float32), str(kind), int(seed)
        except (InputError, ValueError, TypeError):
            advice = "Make one with VisualVocabulary.learnt(...).save(FILE)."
            raise InputError.of(name_of(path), ["is no vocabulary of visual words"], advice) from None
        return cls(*about)
