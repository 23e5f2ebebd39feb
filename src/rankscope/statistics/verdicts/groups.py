"""Groups of systems without significant differences, and their letters (compact letter display).

"Not "
"distinguished" is not transitive: A and B, B and C may be alike while A and C differ. A group is therefore a largest
set in which no two differ, and a system may belong to several. Two systems differ exactly if they share no letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_letters

import numpy as np

from rankscope.arrays import BoolArray
from rankscope.errors import SettingError


def groups_of(different: BoolArray) -> tuple[tuple[int, ...], ...]:
    """All largest sets of systems of which no two differ; `different` is a symmetric table of yes and no.

    Groups come in the order of their members: sort systems by their mean first, and the best group is the first.
    >>> groups_of(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ((0, 1), (1, 2))
    """
    if different.ndim != 2 or (different != different.T).any() or different.diagonal().any():
        raise SettingError("differences are a symmetric table, and no system differs from itself")
    alike = [set(np.flatnonzero(~row).tolist()) - {number} for number, row in enumerate(different)]
    return tuple(sorted(tuple(sorted(found)) for found in _largest(set(), set(range(len(alike))), set(), alike)))


def _largest(chosen: set[int], possible: set[int], done: set[int], alike: list[set[int]]) -> Iterator[set[int]]:
    """Bron and Kerbosch (1973) with a pivot: only systems unlike the pivot need to be tried."""
    if not possible and not done:
        if chosen:
            yield chosen
        return
    pivot = max(possible | done, key=lambda each: len(alike[each] & possible))
    for each in sorted(possible - alike[pivot]):
        yield from _largest(chosen | {each}, possible & alike[each], done & alike[each], alike)
        possible = possible - {each}
        done = done | {each}


def needed_groups(different: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Groups without those that say nothing new: every two of their members share another group too.

    >>> alike = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (1, 4), (2, 4), (0, 5), (2, 5)]
    >>> different = ~np.eye(6, dtype=bool)
    >>> for one, other in alike: different[one, other] = different[other, one] = False
    >>> len(groups_of(different)), needed_groups(different)
    (4, ((0, 1, 3), (0, 2, 5), (1, 2, 4)))
    """
    groups = groups_of(different)
    shared = np.zeros(different.shape, dtype=np.int64)
    for members in groups:
        shared[np.ix_(members, members)] += 1
    kept = []
    for members in sorted(groups, key=len):
        if (shared[np.ix_(members, members)] > 1).all():
            shared[np.ix_(members, members)] -= 1
        else:
            kept.append(members)
    return tuple(sorted(kept))


def letters_of(different: BoolArray) -> tuple[str, ...]:
    """The letters of each system, one for each group that is needed to say which systems differ.

    >>> letters_of(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ('a', 'ab', 'b')
    """
    texts = [""] * len(different)
    for number, members in enumerate(needed_groups(different)):
        for member in members:
            texts[member] += letter(number)
    return tuple(texts)


def letter(number: int) -> str:
    """a to z, A to Z, then a1, b1, ...

    >>> letter(0), letter(26), letter(53)
    ('a', 'A', 'b1')
    """
    again, place = divmod(number, len(ascii_letters))
    return ascii_letters[place] + (str(again) if again else "")
