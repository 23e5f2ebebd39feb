"""A collection looked through: in an order, by nearness to an item or to one more picture, by words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.names import name_of
from rankscope.engines.images.describing import Described, shrink_to
from rankscope.engines.images.image import Image
from rankscope.engines.nearest.metrics import shown_scores, space_of, values_of
from rankscope.engines.nearest.space import Space
from rankscope.workbench.store.events import Item

# The items of a collection in an order to look through: by class, at random, from near to far.


def order_by_class(items: Sequence[Item], class_: str | None = None) -> IntArray:
    """Places, class after class, those without one at the end; or of one class only.

    >>> items = [Item(0, "a", "fox"), Item(1, "b", ""), Item(2, "c", "ant"), Item(3, "d", "fox")]
    >>> order_by_class(items).tolist(), order_by_class(items, "fox").tolist()
    ([2, 0, 3, 1], [0, 3])
    """
    if class_ is not None:
        return np.array([each.place for each in items if each.class_ == class_], dtype=np.int64)
    ordered = sorted(items, key=lambda each: (each.class_ == "", each.class_, each.place))
    return np.array([each.place for each in ordered], dtype=np.int64)


def random_order(count: int, seed: int) -> IntArray:
    """Places shuffled: the same for the same seed."""
    return np.random.default_rng(seed).permutation(count)


def class_sizes(items: Sequence[Item]) -> dict[str, int]:
    """How many items each class has, by name; items without a class are not counted."""
    found: dict[str, int] = {}
    for each in items:
        if each.class_:
            found[each.class_] = found.get(each.class_, 0) + 1
    return dict(sorted(found.items()))


# The first items of a ranking by nearness: exact, and without ranking the rest.


class Nearest(NamedTuple):
    """Places of items, the nearest first, with scores as people know them; equal ones in the order of the places."""

    places: IntArray
    scores: FloatArray


class Neighbourhood:
    """The features of a collection under one metric, ready to be asked.

    >>> near = Neighbourhood("l1", np.array([[0, 0], [3, 0], [1, 0], [1, 0]]))
    >>> found = near.like_item(0, 2)
    >>> found.places, found.scores
    (array([2, 3]), array([-1., -1.]))
    """

    def __init__(self, metric: str, matrix: NDArray[Any]) -> None:
        self.metric, self.matrix = metric, matrix
        self._space = space_of(metric, matrix)
        self._shown = shown_scores(metric)

    def like_item(self, place: int, count: int) -> Nearest:
        """The items nearest to one of them, which is not among them itself."""
        return self._best(self._space, place, count, without=place)

    def like_vector(self, vector: NDArray[Any], count: int) -> Nearest:
        asked = np.asarray(vector, dtype=self.matrix.dtype)[None]
        known = values_of(self.metric, np.concatenate([self.matrix, asked]))
        return self._best(space_of(self.metric, self.matrix, known).asking(asked), 0, count)

    def _best(self, space: Space, query: int, count: int, without: int | None = None) -> Nearest:
        places, scores = _in_question(space, query, count + (without is not None))
        if without is not None:
            kept = places != without
            places, scores = places[kept], scores[kept]
        order = np.argsort(-scores, kind="stable")[:count]  # places come in rising order
        return Nearest(places[order], self._shown(scores[order]))


def _in_question(space: Space, query: int, count: int) -> tuple[IntArray, FloatArray]:
    """Items among which the first `count` are, with the scores that count."""
    one, every = np.array([query]), len(space)
    screened = space.scores(one, slice(0, every))[0]
    if space.exact:
        return np.arange(every), screened.astype(np.float64)
    if count >= every:
        places = np.arange(every)
    else:
        last = np.partition(screened, -count)[-count:][:1].astype(np.float64)
        places = np.flatnonzero(screened >= space.lowered(one, last)[0])
    return places, space.reference(np.full(places.size, query), places)


# One more picture, described as those of a feature file were: what its vector would have been.

RECIPE_NAMES: Final = ("descriptor", "about")


@dataclass(frozen=True, eq=False)
class VectorRecipe:
    """How the vectors of a file were made: descriptor, scaling, and the size that pictures were shrunk to."""

    described: Described
    size: int | None

    @classmethod
    def of(cls, path: str | Path) -> VectorRecipe:
        """As the file says; a `SettingError` where it does not say it."""
        from rankscope.engines.images.descriptors import DESCRIPTORS
        from rankscope.inputs.array_files import Archive

        stored = Archive.of(path) if Path(path).suffix.lower() == ".npz" else None
        if stored is None or any(name not in stored for name in RECIPE_NAMES):
            raise SettingError(
                f"{name_of(path)} does not say how its vectors were made, so no other picture can be compared with "
                "them: make features with rankscope describe"
            )
        kept = {name: stored.array(name) for name in (*RECIPE_NAMES, "mean", "sd") if name in stored}
        about = json.loads(str(kept["about"]))
        described = Described(
            descriptor=DESCRIPTORS.parse(str(kept["descriptor"])),
            raw=np.empty((0, 0)),
            mean=kept.get("mean"),
            sd=kept.get("sd"),
            shares=bool(about.get("shares")),
        )
        return cls(described, about.get("settings", {}).get("size"))

    def vector(self, rgb: NDArray[np.uint8]) -> NDArray[Any]:
        """Of a picture's pixels, rows by columns by RGB."""
        return self.described.like(shrink_to(Image.of(rgb), self.size))


# Items by words: where there is no index, those whose id, class or title has all of them.


def items_with_words(items: Sequence[Item], words: str, title_of: Callable[[str], str]) -> list[int]:
    """Places of the items in whose id, class or title every word occurs, in upper or lower case.

    >>> items = [Item(0, "foxes/one.png", "foxes"), Item(1, "dogs/two.png", "dogs")]
    >>> items_with_words(items, "FOX one", lambda item: ""), items_with_words(items, "o", lambda item: "")
    ([0], [0, 1])
    """
    wanted = words.casefold().split()
    if not wanted:
        return []
    return [
        each.place
        for each in items
        if all(word in f"{each.id} {each.class_} {title_of(each.id)}".casefold() for word in wanted)
    ]
