"""What earlier users marked, as methods that learn from a log take it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray

T = TypeVar("T")


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
        """What was made under this key, made now if it is the first time."""
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
