"""The items a feedback method ranks: their features, and what several methods need to know about them, made once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import InputError, SettingError
from rankscope.feedback.examples.earlier_sessions import EarlierSessions
from rankscope.feedback.examples.kept_matrix import KeptMatrix, matrix_digest
from rankscope.feedback.examples.neighbours import mutual_graph, nearest_others
from rankscope.feedback.examples.scaling import Scaling, ScalingName, unit
from rankscope.number_texts import how_many
from rankscope.running.recent import Recent

T = TypeVar("T")
PAIRS = 10_000  # random pairs that tell the typical distance
BINS = 4  # aspects made of one feature
ROOM = 32 << 20  # bytes of what methods keep lately
SCORES_AT_ONCE = 1 << 21  # scores of one batch: 16 MB, which stay near the processor


@dataclass(frozen=True, eq=False)
class Items:
    """A matrix with one row of features per item, float64, or float32 where the caller wants speed.

    `groups` are slices of features that belong together (colour, texture, ...). `log` has one row for each earlier
    session: +1 for the items then relevant, -1 for those not, 0 for the rest. `given_aspects` are yes-no properties.
    >>> items = Items.of([[0, 0], [1, 0], [0, 2]], scaling="none")
    >>> len(items), items.features, items.gamma
    (3, 2, 0.8571428571428571)
    """

    matrix: NDArray[Any]
    scaling: Scaling
    groups: tuple[slice, ...]
    log: NDArray[Any] | None = None
    given_aspects: BoolArray | None = None
    kept: KeptMatrix | None = None  # where workers find the matrix, which then does not travel with the rest
    _made: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        matrix: ArrayLike,
        *,
        scaling: ScalingName = "none",
        dtype: DTypeLike = np.float64,
        groups: Sequence[slice] | None = None,
        log: ArrayLike | None = None,
        aspects: ArrayLike | None = None,
    ) -> Items:
        """Checked items; `dtype` float32 makes products twice as fast and right to about six digits."""
        rows = np.asarray(matrix)
        if rows.ndim != 2 or 0 in rows.shape or rows.dtype.kind not in "buif" or not np.isfinite(rows).all():
            raise InputError.of("items", [f"features must be a table of finite numbers, got {rows.dtype} {rows.shape}"])
        if np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise SettingError(f"features are float32 or float64, not {np.dtype(dtype)}")
        fitted = Scaling.fitted(scaling, rows)
        scaled = np.ascontiguousarray(fitted(rows), dtype=dtype) + 0.0  # -0 and 0 are one value
        yes_no = None if aspects is None else _table("aspects", np.asarray(aspects, dtype=np.bool_), 0, len(rows))
        logged = None if log is None else _table("the log", np.asarray(log, dtype=np.int8), 1, len(rows))
        whole = (slice(0, rows.shape[1]),)
        return cls(
            matrix=scaled, scaling=fitted, groups=tuple(groups) if groups else whole, log=logged, given_aspects=yes_no
        )

    def __getstate__(self) -> dict[str, Any]:
        if self.kept is None:
            return vars(self)
        self.kept.write(self.matrix)
        light = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "matrix"}
        return light | {"_made": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kept = state["kept"]
        self.__dict__.update(state if kept is None else state | {"matrix": kept.read()})

    def __len__(self) -> int:
        return self.matrix.shape[0]

    def take(self, chosen: IntArray) -> Items:
        """Some of the items, with their features as they are scaled now.

        >>> Items.of([[0.0], [4.0], [8.0]]).take(np.array([0, 2])).matrix.ravel()
        array([0., 8.])
        """
        log = None if self.log is None else self.log[:, chosen]
        aspects = None if self.given_aspects is None else self.given_aspects[chosen]
        rows = np.ascontiguousarray(self.matrix[chosen])
        return Items(matrix=rows, scaling=self.scaling, groups=self.groups, log=log, given_aspects=aspects)

    @property
    def recent(self) -> Recent[NDArray[Any]]:
        """Rows of numbers that methods made lately of these items, as long as there is room."""
        return self.remember("recent", lambda: Recent(ROOM, _bytes_of))

    @property
    def features(self) -> int:
        """How many features there are: m."""
        return self.matrix.shape[1]

    @property
    def single(self) -> bool:
        """Whether features are float32, and scores right to about six digits."""
        return self.matrix.dtype == np.float32

    @property
    def group_sizes(self) -> tuple[int, ...]:
        """How many features each group has.

        >>> Items.of([[0, 1, 2]], groups=slices_of([1, 2])).group_sizes
        (1, 2)
        """
        return tuple(len(range(*group.indices(self.features))) for group in self.groups)

    @property
    def narrowest(self) -> int:
        """How many features the smallest group has."""
        return min(self.group_sizes)

    @property
    def sessions_at_once(self) -> int:
        """So many sessions make a batch of scores of 16 MB."""
        return max(1, SCORES_AT_ONCE // len(self))

    @cached_property
    def mean(self) -> FloatArray:
        """The mean of each feature."""
        return self.matrix.mean(axis=0, dtype=np.float64)

    @cached_property
    def sd(self) -> FloatArray:
        """The standard deviation of each feature over all items."""
        return self.matrix.std(axis=0, dtype=np.float64)

    @cached_property
    def variance(self) -> float:
        """The variance over all entries of the matrix."""
        return float(self.matrix.var(dtype=np.float64))

    @property
    def gamma(self) -> float:
        """The usual width of the kernel: 1 / (features * variance); 1 where all entries are equal."""
        return 1.0 / (self.features * self.variance) if self.variance > 0 else 1.0

    @cached_property
    def shift(self) -> FloatArray:
        """Taken from all rows before distances: the mean where it is large compared with the spread, else nothing.

        Distances stay the same; less is lost where large numbers are subtracted.
        """
        far = float(self.mean @ self.mean) > float(self.sd @ self.sd)
        return self.mean.astype(self.matrix.dtype).astype(np.float64) if far else np.zeros(self.features)

    @cached_property
    def moved(self) -> NDArray[Any]:
        """The matrix less `shift`."""
        return (self.matrix - self.shift.astype(self.matrix.dtype)) if self.shift.any() else self.matrix

    @cached_property
    def squares(self) -> NDArray[Any]:
        """The squared length of each row of `moved`."""
        return np.einsum("ij,ij->i", self.moved, self.moved, dtype=np.float64).astype(self.matrix.dtype)

    @cached_property
    def powers(self) -> NDArray[Any]:
        """The square of each entry of `moved`, for weighted distances."""
        return np.square(self.moved)

    @cached_property
    def unit(self) -> NDArray[Any]:
        """The rows divided by their length."""
        return unit(self.matrix)

    @cached_property
    def first_alike(self) -> IntArray:
        """For each item the first one that has the same features: itself, unless it is a copy."""
        rows = np.ascontiguousarray(self.matrix).view(np.dtype((np.void, self.matrix.itemsize * self.features)))
        _, first, inverse = np.unique(rows.ravel(), return_index=True, return_inverse=True)
        return first[inverse.ravel()].astype(np.int64)

    @cached_property
    def copies(self) -> IntArray:
        """The items that are copies of an earlier one."""
        return np.flatnonzero(self.first_alike != np.arange(len(self)))

    @cached_property
    def typical_distance(self) -> float:
        """The mean distance between two different items, from 10,000 random pairs; 1 where all items are alike."""
        chance = np.random.default_rng(0)
        one = chance.integers(0, len(self), PAIRS)
        other = (one + chance.integers(1, max(len(self), 2), PAIRS)) % len(self)
        distance = np.linalg.norm(self.matrix[one] - self.matrix[other], axis=1).mean(dtype=np.float64)
        return float(distance) if distance > 0 else 1.0

    @cached_property
    def aspects(self) -> BoolArray:
        """Yes-no properties: those given, or one for each quarter of each feature's values, equal values together."""
        if self.given_aspects is not None:
            return self.given_aspects
        return (quarters(self.matrix)[:, :, None] == np.arange(BINS)).reshape(len(self), -1)

    @cached_property
    def earlier(self) -> EarlierSessions:
        """The log, as methods take it; without sessions where there is no log."""
        return EarlierSessions(np.zeros((0, len(self)), np.int8) if self.log is None else self.log)

    def with_log(self, log: ArrayLike) -> Self:
        """The same items with what was marked in earlier sessions: sessions x items, +1, -1 or 0.

        What is known of the features is not made again.
        >>> Items.of([[0.0], [1.0]]).with_log([[1, -1]]).log
        array([[ 1, -1]], dtype=int8)
        """
        _ = self.copies, self.squares, self.gamma  # made here once, they are there in every twin
        logged = _table("the log", np.asarray(log, dtype=np.int8), 1, len(self))
        known = {name: value for name, value in vars(self).items() if name != "earlier"}
        twin = object.__new__(type(self))
        vars(twin).update(known, log=logged, _made={})
        return twin

    def fingerprint(self) -> str:
        """SHA-256 of all that decides scores."""
        digest = matrix_digest(self.matrix)
        if self.log is None:
            return digest
        return hashlib.sha256(f"{digest} {matrix_digest(self.log)}".encode()).hexdigest()

    def neighbours(self, k: int) -> tuple[IntArray, FloatArray]:
        """The `k` nearest other items of each item by cosine, and how alike they are."""
        return self.remember(("neighbours", k), lambda: nearest_others(self.unit, k))

    def graph(self, k: int, gamma: float) -> Any:
        """The normalised graph of mutual neighbours, a sparse matrix."""
        return self.remember(("graph", k, gamma), lambda: mutual_graph(self.unit, k, gamma))

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made under this key, made now if it is the first time."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


def slices_of(sizes: Sequence[int]) -> tuple[slice, ...]:
    """Groups of features that follow each other, from how many each has.

    >>> slices_of([12, 52])
    (slice(0, 12, None), slice(12, 64, None))
    """
    ends = np.cumsum(sizes).tolist()
    return tuple(slice(end - size, end) for end, size in zip(ends, sizes, strict=True))


def quarters(matrix: NDArray[Any]) -> IntArray:
    """In which quarter of its feature's values each entry stands, from 0: that of its mid-rank.

    Equal values share the mean of their ranks, and so a quarter. Of two different values each has its own, however rare
    one is; a value that a quarter of all items have, and none is less, has one for itself (the 0 of sparse histograms).
    >>> quarters(np.array([[0], [0], [0], [0], [0], [1]])).ravel(), quarters(np.array([[0], [0], [3], [5]])).ravel()
    (array([1, 1, 1, 1, 1, 3]), array([1, 1, 2, 3]))
    """
    from scipy.stats import rankdata

    below = (rankdata(matrix, axis=0) - 0.5) / len(matrix)
    return (below * BINS).astype(np.int64)


def _bytes_of(array: NDArray[Any]) -> int:
    return array.nbytes


def _table(what: str, table: NDArray[Any], axis: int, items: int) -> NDArray[Any]:
    if table.ndim != 2 or table.shape[axis] != items:
        raise InputError.of(
            "items", [f"{what} must be a table with {how_many(items, 'items')} on axis {axis}, got {table.shape}"]
        )
    return table
