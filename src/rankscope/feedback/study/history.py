"""What happened so far in a block of sessions: displays, marks, and the examples that are remembered."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import BoolArray, IntArray
from rankscope.feedback.study.marking import Marked, Marker
from rankscope.feedback.study.protocol import Protocol
from rankscope.feedback.users.drawn_sessions import Sessions
from rankscope.ranks.ragged import Ragged


class History:
    """Grows by one display a round. The query, and examples brought along, are remembered for good."""

    def __init__(self, sessions: Sessions, items: int, protocol: Protocol) -> None:
        self.sessions, self.items, self.protocol = sessions, items, protocol
        self.shown: list[IntArray] = []  # for each display, sessions x places
        self.picked: list[BoolArray] = []
        self.said: list[Marked] = []
        self.taken_back: list[IntArray] = []  # for each display, what users took back after it, as `given`
        asked = np.flatnonzero(sessions.query >= 0)
        row = np.concatenate([asked, sessions.given.row])
        item = np.concatenate([sessions.query[asked], sessions.given["item"]])
        mark = np.concatenate([np.ones(asked.size, np.int64), sessions.given["mark"]])
        self.given = row * items + item  # session and item as one number
        self.key, self.mark, self.grade = self.given, mark, mark.astype(np.float64)

    def add(self, shown: IntArray, marked: Marked, marker: Marker) -> None:
        """One more display with its marks; a later mark of the same item takes the place of the earlier one."""
        self.shown.append(shown)
        self.picked.append(marked.said > 0)
        self.said.append(marked)
        kept, back = np.ones(self.key.size, np.bool_), np.zeros(self.key.size, np.bool_)
        if self.protocol.remember == "latest":
            kept = np.isin(self.key, self.given)
        elif self.protocol.remember == "deletions":
            row, item = np.divmod(self.key, self.items)
            back = ~marker.agrees(self.sessions, row, item, self.mark, len(self.shown)) & ~np.isin(self.key, self.given)
        if marked.deleted is not None:
            back |= np.isin(self.key, marked.deleted[0] * self.items + marked.deleted[1])
        self.taken_back.append(self.key[back])
        kept &= ~back
        row, place = np.nonzero(marked.said)
        key = np.concatenate([self.key[kept], row * self.items + shown[row, place]])
        mark = np.concatenate([self.mark[kept], marked.said[row, place].astype(np.int64)])
        grade = np.concatenate([self.grade[kept], marked.grades[row, place]])
        order = np.argsort(key, kind="stable")
        last = np.append(key[order][1:] != key[order][:-1], True) if key.size else np.empty(0, np.bool_)
        self.key, self.mark, self.grade = (each[order][last] for each in (key, mark, grade))

    def side(self, sign: int) -> Ragged:
        """The positive (1) or negative (-1) examples of each session, ascending, with their grades."""
        chosen = np.flatnonzero(self.mark == sign)
        chosen = chosen[np.argsort(self.key[chosen], kind="stable")]
        row, item = np.divmod(self.key[chosen], self.items)
        return Ragged.from_rows(row, len(self.sessions), item=item, grade=self.grade[chosen])

    @property
    def given_items(self) -> tuple[IntArray, IntArray]:
        """Sessions and items of the query and of the examples brought along."""
        row, item = np.divmod(self.given, self.items)
        return row, item

    @property
    def seen(self) -> tuple[IntArray, IntArray]:
        """Sessions and items of everything that was shown, in the order of displays; an item may be there twice."""
        pairs = [np.nonzero(each >= 0) for each in self.shown]
        row = np.concatenate([np.empty(0, np.int64), *(pair[0] for pair in pairs)])
        item = [each[pair] for each, pair in zip(self.shown, pairs, strict=True)]
        return row, np.concatenate([np.empty(0, np.int64), *item])

    @property
    def displays(self) -> Ragged:
        """Every display with what was picked, as methods that learn from choices read it."""
        pairs = [np.nonzero(each >= 0) for each in self.shown]
        empty = np.empty(0, np.int64)
        row = np.concatenate([empty, *(pair[0] for pair in pairs)])
        number = np.concatenate([empty, *(np.full(pair[0].size, place) for place, pair in enumerate(pairs))])
        item = np.concatenate([empty, *(each[pair] for each, pair in zip(self.shown, pairs, strict=True))])
        picked = [each[pair] for each, pair in zip(self.picked, pairs, strict=True)]
        chosen = np.concatenate([np.empty(0, np.bool_), *picked])
        order = np.lexsort((number, row))
        return Ragged.from_rows(
            row[order], len(self.sessions), item=item[order], display=number[order], picked=chosen[order]
        )

    def first_places(self) -> tuple[IntArray, IntArray, IntArray]:
        """Session, item and place of everything shown, by where it was first shown: the frozen top of the list."""
        row, item = self.seen
        order = np.argsort(row, kind="stable")
        row, item = row[order], item[order]
        _, first = np.unique(row * self.items + item, return_index=True)
        first.sort()
        row, item = row[first], item[first]
        return row, item, Ragged.from_rows(row, len(self.sessions)).position
