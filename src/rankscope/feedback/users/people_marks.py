"""What people said of items, as a user is compared with it: a table of marks, and what of it they agree on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.catalogue import did_you_mean
from rankscope.errors import SettingError


@dataclass(frozen=True)
class PersonMark:
    """One grade of one person; `again` where the same was asked a second time; None: the person would not say."""

    query: str
    item: str
    assessor: str
    grade: float | None
    again: bool = False


@dataclass(frozen=True, eq=False)
class AgreedMarks:
    """Pairs of query and item of which all people say the same, each with their mean grade."""

    query: IntArray
    item: IntArray
    grade: FloatArray
    relevant: BoolArray

    def __len__(self) -> int:
        return self.query.size


@dataclass(frozen=True, eq=False)
class PeopleMarks:
    """All marks; a grade of `rel` or more is relevant. `texts` are the queries in words, where they are known.

    >>> some = [PersonMark("q", "a", "ann", 1), PersonMark("q", "a", "ben", 0), PersonMark("q", "b", "ann", 0)]
    >>> people = PeopleMarks.of(some)
    >>> len(people.agreed()), people.differing(), [people.items[each] for each in people.agreed().item]
    (1, 1, ['b'])
    """

    queries: tuple[str, ...]
    items: tuple[str, ...]
    assessors: tuple[str, ...]
    query: IntArray
    item: IntArray
    assessor: IntArray
    grade: FloatArray  # NaN: would not say
    again: BoolArray
    rel: float = 1.0
    texts: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()  # whose marks are nobody's opinion, though they may be scored themselves

    @classmethod
    def of(
        cls,
        marks: Iterable[PersonMark],
        rel: float = 1.0,
        texts: Mapping[str, str] | None = None,
        machines: Iterable[str] = (),
    ) -> PeopleMarks:
        """From single marks."""
        listed = list(marks)
        if not listed:
            raise SettingError("there are no marks to compare a user with")
        names = [dict.fromkeys(getattr(each, of) for each in listed) for of in ("query", "item", "assessor")]
        numbers = [{name: number for number, name in enumerate(own)} for own in names]
        columns = [
            np.array([of[getattr(each, name)] for each in listed], dtype=np.int64)
            for of, name in zip(numbers, ("query", "item", "assessor"), strict=True)
        ]
        known = texts or {}
        return cls(
            queries=tuple(names[0]),
            items=tuple(names[1]),
            assessors=tuple(names[2]),
            query=columns[0],
            item=columns[1],
            assessor=columns[2],
            grade=np.array([np.nan if each.grade is None else each.grade for each in listed], dtype=np.float64),
            again=np.array([each.again for each in listed], dtype=np.bool_),
            rel=rel,
            texts=tuple(known.get(name) or name for name in names[0]),
            machines=tuple(machines),
        )

    @cached_property
    def pair(self) -> IntArray:
        """Query and item as one number."""
        return self.query * len(self.items) + self.item

    @cached_property
    def counted(self) -> BoolArray:
        """Marks that are people's opinions: first looks with a grade, of no machine."""
        machines = [place for place, name in enumerate(self.assessors) if name in self.machines]
        return ~self.again & ~np.isnan(self.grade) & ~np.isin(self.assessor, machines)

    def _others(self, without: str | None) -> BoolArray:
        """Marks that count, leaving out those of somebody who is scored himself."""
        return self.counted if without is None else self.counted & (self.assessor != self.number_of(without))

    def agreed(self, without: str | None = None) -> AgreedMarks:
        """The pairs on whose relevance all people agree, leaving one of them out where he is scored himself."""
        chosen = self._others(without)
        pair, place = np.unique(self.pair[chosen], return_inverse=True)
        grade = self.grade[chosen]
        count = np.bincount(place, minlength=pair.size)
        picked = np.bincount(place, weights=grade >= self.rel, minlength=pair.size)
        mean = np.bincount(place, weights=grade, minlength=pair.size) / np.maximum(count, 1)
        same = (picked == 0) | (picked == count)
        query, item = np.divmod(pair[same], len(self.items))
        return AgreedMarks(query=query, item=item, grade=mean[same], relevant=picked[same] > 0)

    def differing(self, without: str | None = None) -> int:
        """Pairs that people do not agree on: where one of them is scored himself, those he marked and others differ on.

        >>> marks = [("a", "ann", 1), ("a", "ben", 0), ("b", "ann", 1), ("b", "ben", 1), ("b", "cy", 0)]
        >>> people = PeopleMarks.of([PersonMark("q", item, who, grade) for item, who, grade in marks])
        >>> people.differing(), people.differing("ann"), people.differing("cy")
        (2, 1, 0)
        """
        pairs = np.unique(self.pair[self._others(without)])
        agreed = self.agreed(without)
        open_pairs = np.setdiff1d(pairs, agreed.query * len(self.items) + agreed.item)
        if without is not None:
            open_pairs = np.intersect1d(open_pairs, self.pair[(self.assessor == self.number_of(without)) & ~self.again])
        return open_pairs.size

    def number_of(self, assessor: str) -> int:
        """An assessor by name; one who is not there is a `SettingError`."""
        if assessor not in self.assessors:
            near, there = did_you_mean(assessor, self.assessors), ", ".join(self.assessors)
            raise SettingError(f"nobody called '{assessor}' has marked anything{near} There are: {there}")
        return self.assessors.index(assessor)

    def repeated(self, of: str | None = None, without: str | None = None) -> tuple[BoolArray, IntArray]:
        """Of what people were asked twice: whether both answers say the same, and the query of each.

        `of` is one who is asked alone, a machine perhaps; `without` one who is left out, as machines are.
        """
        key = self.pair * len(self.assessors) + self.assessor
        left_out = [*self.machines, without] if of is None else [name for name in self.assessors if name != of]
        numbers = [place for place, name in enumerate(self.assessors) if name in left_out]
        known = ~np.isnan(self.grade) & ~np.isin(self.assessor, numbers)
        first, second = (np.flatnonzero(known & each) for each in (~self.again, self.again))
        _, mine, theirs = np.intersect1d(key[first], key[second], return_indices=True)
        one, other = first[mine], second[theirs]
        return (self.grade[one] >= self.rel) == (self.grade[other] >= self.rel), self.query[one]

    def mutual(self, without: str | None = None) -> tuple[BoolArray, IntArray]:
        """Of every two people who marked the same: whether they say the same, and the query of each case.

        Where one of them is scored himself: of every two others.
        """
        chosen = np.flatnonzero(self._others(without))
        chosen = chosen[np.argsort(self.pair[chosen], kind="stable")]
        same, query = [], []
        for apart in range(1, len(self.assessors)):
            one, other = chosen[:-apart], chosen[apart:]
            both = self.pair[one] == self.pair[other]
            same.append((self.grade[one] >= self.rel)[both] == (self.grade[other] >= self.rel)[both])
            query.append(self.query[one][both])
        return np.concatenate([np.empty(0, np.bool_), *same]), np.concatenate([np.empty(0, np.int64), *query])
