"""The items that a feedback method ranks: features, their scaling, near neighbours, the log of earlier sessions.

What several methods need to know about the items is made once and kept with them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.caching import Recent
from rankscope.core.catalogue import Catalogue
from rankscope.core.errors import InputError, SettingError
from rankscope.core.files import atomic
from rankscope.core.wording import how_many
from rankscope.feedback.examples.scores import best
from rankscope.inputs.array_files import read_npy

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
        return self.remember("recent", lambda: Recent(ROOM, attrgetter("nbytes")))

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


def _table(what: str, table: NDArray[Any], axis: int, items: int) -> NDArray[Any]:
    if table.ndim != 2 or table.shape[axis] != items:
        raise InputError.of(
            "items", [f"{what} must be a table with {how_many(items, 'items')} on axis {axis}, got {table.shape}"]
        )
    return table


ScalingName = Literal["none", "standardise", "l2"]
SCALINGS = Catalogue.of_words("scaling", get_args(ScalingName))


@dataclass(frozen=True, eq=False)
class Scaling:
    """A scaling learnt from a collection, so that queries can be put where its items are.

    A feature that is the same for all items has no spread; it is moved to 0 and not divided.
    >>> Scaling.fitted("standardise", np.array([[1.0, 5.0], [3.0, 5.0]]))([[5.0, 6.0]])
    array([[3., 1.]])
    """

    name: ScalingName
    mean: FloatArray
    spread: FloatArray

    @classmethod
    def fitted(cls, name: ScalingName, matrix: NDArray[Any]) -> Scaling:
        """The scaling that fits the rows of a matrix."""
        name = cast(ScalingName, SCALINGS.find(name))
        width = matrix.shape[1]
        if name != "standardise":
            return cls(name, np.zeros(width), np.ones(width))
        spread = matrix.std(axis=0, dtype=np.float64)
        return cls(name, matrix.mean(axis=0, dtype=np.float64), np.where(spread > 0, spread, 1.0))

    def __call__(self, vectors: ArrayLike) -> NDArray[Any]:
        """Vectors as the scaled collection has them; rows of NaN and rows of zeros under `l2` stay."""
        rows = np.asarray(vectors)
        if self.name == "standardise":
            return (rows - self.mean) / self.spread
        return unit(rows) if self.name == "l2" else rows


def unit(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows divided by their length; a row of zeros stays as it is.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    length = np.sqrt(np.einsum("...j,...j->...", rows, rows, dtype=np.float64))[..., None]
    return (rows / np.where(length > 0, length, 1.0)).astype(rows.dtype if rows.dtype.kind == "f" else np.float64)


class EarlierSessions:
    """A log of marks: one row for each earlier session, +1, -1 or 0 for each item.

    >>> log = EarlierSessions(np.array([[1, 1, -1, -1, -1], [0, 0, -1, 0, 0]]))
    >>> log.balanced.toarray().round(2).tolist()
    [[1.0, 1.0, -0.67, -0.67, -0.67], [0.0, 0.0, 0.0, 0.0, 0.0]]
    """

    def __init__(self, marks: NDArray[Any]) -> None:
        self.marks = marks
        self._made: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self.marks)

    @cached_property
    def balanced(self) -> Any:
        """Sessions x items, sparse: 1 for what was relevant, minus (relevant / irrelevant ones, at most 1) else.

        The irrelevant items of a session need have nothing in common: so they do not weigh more than the relevant
        ones. A session that found nothing relevant says nothing.
        """
        from scipy.sparse import csr_array

        liked, rejected = ((self.marks == sign).sum(axis=1) for sign in (1, -1))
        worth = np.minimum(liked / np.maximum(rejected, 1), 1.0)
        row, item = np.nonzero(self.marks)
        values = np.where(self.marks[row, item] > 0, 1.0, -worth[row])
        result = csr_array((values, (row, item)), shape=self.marks.shape)
        result.eliminate_zeros()
        return result

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def visible(self, rows: IntArray | None) -> EarlierSessions:
        """The sessions with these numbers, made once; None: all."""
        if rows is None:
            return self
        return self.remember(("rows", rows.tobytes()), lambda: EarlierSessions(self.marks[rows]))

    @cached_property
    def columns(self) -> Any:
        """As `balanced`, each item's column divided by its length: products are cosines between items."""
        from scipy.sparse import diags_array

        length = np.sqrt(np.asarray(self.balanced.multiply(self.balanced).sum(axis=0)).ravel())
        return (self.balanced @ diags_array(1.0 / np.where(length > 0, length, 1.0))).tocsr()

    @cached_property
    def agreement(self) -> FloatArray:
        """Sessions x sessions: the cosines between their marks, 1 with themselves."""
        rows = self.balanced
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        scaled = np.where(length > 0, length, 1.0)
        result = np.asarray((rows @ rows.T).toarray()) / scaled / scaled[:, None]
        np.fill_diagonal(result, 1.0)
        return np.clip((result + result.T) / 2, -1.0, 1.0)

    @cached_property
    def known(self) -> IntArray:
        """The items that some session tells about, ascending."""
        return np.unique(self.balanced.indices).astype(np.int64)


# The nearest other items of every item by cosine, and the graph of those that are near each other.

SIMILARITIES_AT_ONCE = 1 << 22  # similarities computed in one block


def nearest_others(rows: NDArray[Any], k: int) -> tuple[IntArray, FloatArray]:
    """The `k` items most like each item, best first, and how alike they are; an item is no neighbour of itself.

    Rows have length 1. There are fewer where the collection has fewer; equal ones are taken by position.
    >>> nearest_others(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), 1)
    (array([[1],
           [0],
           [1]]), array([[0.8],
           [0.8],
           [0.6]]))
    """
    count = len(rows)
    k = min(k, count - 1)
    item, alike = np.empty((count, k), np.int64), np.empty((count, k))
    step = max(1, SIMILARITIES_AT_ONCE // count)
    for start in range(0, count, step):
        block = np.arange(start, min(start + step, count))
        products = rows[block] @ rows.T
        products[np.arange(block.size), block] = -np.inf
        item[block] = best(products, k)
        alike[block] = np.take_along_axis(products, item[block], axis=1)
    return item, alike


def mutual_graph(rows: NDArray[Any], k: int, gamma: float) -> Any:
    """D^-1/2 W D^-1/2 as a sparse matrix: W is similarity^gamma between items that are among each other's `k` nearest.

    Negative similarities count as 0. An item without such a neighbour has an empty row.
    """
    from scipy.sparse import csr_array, diags_array

    item, alike = nearest_others(rows, k)
    count = len(rows)
    places = (np.repeat(np.arange(count), item.shape[1]), item.ravel())
    one_way = csr_array((np.maximum(alike.ravel(), 0.0) ** gamma, places), shape=(count, count))
    weights = one_way.minimum(one_way.T)
    degree = np.asarray(weights.sum(axis=1)).ravel()
    scale = diags_array(1.0 / np.sqrt(np.where(degree > 0, degree, 1.0)))
    return (scale @ weights @ scale).tocsr()


# A large matrix in a file: where work goes to others, its path and digest go with it in place of the numbers.

WORKERS_ADVICE = "Features above 100 MB go to workers as a file: write the output into a folder that all workers reach"


@dataclass(frozen=True)
class KeptMatrix:
    """Where the matrix lies, or will lie once it is asked for, and the digest of its numbers."""

    path: Path
    digest: str

    def write(self, matrix: NDArray[Any]) -> None:
        """Write the file, unless it is there: it appears whole, and its name tells what is in it."""
        if not self.path.exists():
            with atomic(self.path, "wb") as stream:
                np.lib.format.write_array(stream, np.ascontiguousarray(matrix), allow_pickle=False)

    def read(self) -> NDArray[Any]:
        """The matrix, mapped from the file; an `InputError` where that is not there or is another one."""
        try:
            matrix = np.asarray(read_npy(self.path))
        except InputError as error:
            reason = error.reports[0].problems[0].what
            raise InputError.of(str(self.path), [f"a worker cannot read it: {reason}"], WORKERS_ADVICE) from None
        if matrix_digest(matrix) != self.digest:
            raise InputError.of(str(self.path), ["a worker finds other features there"], WORKERS_ADVICE)
        return matrix


def matrix_digest(values: NDArray[Any]) -> str:
    """SHA-256 of type, shape and values, equal on every machine.

    >>> matrix_digest(np.array([[0.0, 1.0]]))[:8]
    '4c56d06f'
    """
    matrix = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    result = hashlib.sha256(f"{matrix.dtype.str} {matrix.shape}\n".encode())
    result.update(matrix.reshape(-1).view(np.uint8).data)
    return result.hexdigest()


def features_digest(items: Items) -> str:
    """SHA-256 of type, shape and values of the features as the methods see them, and of texts where there are any.

    >>> features_digest(Items.of([[0.0, 1.0]]))[:8]
    '4c56d06f'
    """
    return items.remember("digest", items.fingerprint)


def target_digest(target: BoolArray) -> str:
    """SHA-256 of the number of items and of those that are relevant."""
    result = hashlib.sha256(f"{target.size}\n".encode())
    result.update(np.packbits(target).data)
    return result.hexdigest()
