"""The feedback loop: rank, show, mark, learn, and rank again; all rounds of a method over many sessions at once, and
what
is scored of a round: the list (full, residual, frozen or split), what the user saw, ties and a fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.threads import in_threads, in_threads_of_one_core
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scores import Scored, best_items
from rankscope.feedback.methods.method import Method, start_scores, tolerant_scores
from rankscope.feedback.study.experiment import Experiment, ListName, Marked, Marker, Protocol
from rankscope.feedback.users.users import Numbers, Sessions, mix_bits, seed_of
from rankscope.ranks.ragged import Ragged, divide
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.ranks.score_tables import ranks_from_scores

SESSIONS_AT_ONCE = 1024  # sessions in a block, at most


@dataclass(frozen=True, eq=False)
class Round:
    """One round of a block of sessions: the list that is scored, what was shown, and from how many examples."""

    number: int
    ranks: RelevantRanks
    shown: DisplayQuality
    displayed: IntArray  # sessions x places; -1 in empty ones
    unjudged: IntArray  # how many items of the display nobody has judged
    positives: IntArray
    negatives: IntArray
    seconds: FloatArray  # to the ranking, a session's share of its block
    flags: tuple[str, ...]
    failed: tuple[str, ...]


def block_size(items: Items, sessions: int | None = None) -> int:
    """So many sessions are worked on at once; of few sessions each core gets its share."""
    share = SESSIONS_AT_ONCE if sessions is None else -(-sessions // (os.cpu_count() or 1))
    return max(1, min(SESSIONS_AT_ONCE, items.sessions_at_once, share))


class SessionBlock:
    """A block of sessions on its way; `current` are the scores of the round that `rounds` gave last.

    A session that fails stays as it is and shows nothing more.
    """

    def __init__(self, method: Method, setting: Experiment, sessions: Sessions) -> None:
        self.method, self.setting, self.sessions = method, setting, sessions
        self.items, self.protocol, self.topics = setting.items, setting.protocol, setting.topics
        shape = (len(sessions), len(self.items))
        self.history = History(sessions, len(self.items), self.protocol)
        self.query, self.given, self.seen = (np.zeros(shape, np.bool_) for _ in range(3))
        asked = np.flatnonzero(sessions.query >= 0)
        self.query[asked, sessions.query[asked]] = True
        self.given[np.divmod(self.history.given, len(self.items))] = True
        self.half = None if setting.halves is None else setting.halves[sessions.topic]
        self.relevant = self.topics.members.take(sessions.scored)
        self.names = sessions.names(self.topics)
        self.asked = np.array([self.topics.names[row] for row in sessions.topic.tolist()], dtype=np.str_)
        self.units = [self.topics.units[row] for row in sessions.topic.tolist()]
        self.displays: list[IntArray] = []
        self.same: Scored | None = None  # scores that no feedback changes
        self.current = Scored.plain(np.empty((0, len(self.items))))
        self.state = method.block_state(self.items, len(sessions), self.protocol.examples_only_grow)

    def rounds(self) -> Iterator[Round]:
        """Round after round, from 0; `seen` is what was shown before the round given."""
        before: DisplayQuality | None = None
        for number in range(self.protocol.rounds + 1):
            examples = self._examples()
            began = perf_counter()
            self.current = scored = self._scored(number, examples)
            seconds = (perf_counter() - began) / max(len(self.sessions), 1)
            displayed = self._displayed(number, examples, scored)
            self.displays.append(displayed)
            places = np.maximum(displayed, 0)
            hit = self.topics.targets[self.sessions.scored[:, None], places]
            seen = np.take_along_axis(self.seen, places, axis=1)
            reachable = ~self.given[self.relevant.row, self.relevant["item"]]
            if self.half is not None:
                reachable &= self.half[self.relevant.row, self.relevant["item"]]
            judged = self.topics.is_judged(self.sessions.topic[:, None], places)
            before = display_quality(displayed, hit, seen, self.relevant.count(reachable), before)
            yield Round(
                number=number,
                ranks=self.listed(self.protocol.scored),
                shown=before,
                displayed=displayed,
                unjudged=((displayed >= 0) & ~judged).sum(axis=1),
                positives=examples.positives.lengths,
                negatives=examples.negatives.lengths,
                seconds=np.full(len(self.sessions), seconds),
                flags=scored.flags,
                failed=scored.failed,
            )
            if number < self.protocol.rounds:
                self._mark(displayed)

    def _examples(self) -> Examples:
        asked = self.sessions.query >= 0
        queries = None
        if asked.any():
            queries = self.items.matrix[np.maximum(self.sessions.query, 0)].astype(np.float64)
            queries[~asked] = np.nan
        tells_displays = "displays" in self.method.needs or self.protocol.display == "informative"
        examples = Examples(
            self.history.side(1),
            self.history.side(-1),
            self.sessions.seed,
            queries=queries,
            displays=self.history.displays if tells_displays and self.history.shown else None,
            asked=self.asked,
        )
        return self.state.complete_examples(examples)

    def _scored(self, number: int, examples: Examples) -> Scored:
        """The method's scores; before feedback those of the start, for all methods alike but the controls."""
        if "truth" in self.method.needs:
            self.same = self.same or self._by_topic()
            return self.same
        begun = self.setting.start.ranked(self.sessions) & (number == 0 and self.method.needs_positives)
        if begun.any() or not self.method.needs_positives or bool(examples.without_positives.any()):
            examples = replace(examples, start=self._start(examples))
        if begun.all():
            return Scored.plain(start_scores(self.items, examples))
        scored = self.state.scores(examples)
        if not begun.any():
            return scored
        flags, failed = (
            tuple("" if first else text for text, first in zip(texts, begun.tolist(), strict=True))
            for texts in (scored.flags, scored.failed)
        )
        values = np.where(begun[:, None], start_scores(self.items, examples), scored.values)
        return Scored(values, flags, failed)

    def _start(self, examples: Examples) -> FloatArray | None:
        """The ranking each session begins with; where it has none of its own, nearness to its query."""
        rows = self.setting.start.scores(self.sessions, len(self.items))
        if rows is None or not np.isnan(rows).any():
            return rows
        return np.where(np.isnan(rows), start_scores(self.items, examples), rows)

    def _by_topic(self) -> Scored:
        """Scores of a control that knows the truth: one row for each target serves all its sessions."""
        rows, number = np.unique(self.sessions.scored, return_inverse=True)
        truth = self.topics.members.take(rows).lists("item")
        seeds = [seed_of("truth", self.topics.labels[row]) for row in rows.tolist()]
        scores = tolerant_scores(self.method, self.items, Examples.of([[]] * rows.size, truth=truth, seeds=seeds))
        flags, failed = (tuple(texts[place] for place in number.tolist()) for texts in (scores.flags, scores.failed))
        return Scored(scores.values[number], flags, failed)

    def _displayed(self, number: int, examples: Examples, scored: Scored) -> IntArray:
        """What the user sees next; nothing where the session failed."""
        out = self.given if self.protocol.show_seen else self.given | self.seen
        out = out if self.half is None else out | ~self.half
        if self.protocol.display == "informative" and number > 0:
            # The method's own choice among the items that may be shown.
            open_only = Scored(np.where(out, -np.inf, scored.values), scored.flags, scored.failed)
            with np.errstate(invalid="ignore"):
                chosen = self.method.query(self.items, examples, open_only, self.protocol.scope)
            allowed = ~np.take_along_axis(out, np.maximum(chosen, 0), axis=1)
            wanted = np.where((chosen >= 0) & allowed, chosen, -1)
        else:
            wanted = best_items(scored.values, out, self.protocol.scope)
        return np.where(scored.good[:, None], wanted, -1)

    def listed(self, name: ListName, seen: BoolArray | None = None) -> RelevantRanks:
        """A list of the round that `rounds` gave last; `seen` takes the place of what this method has shown."""
        empty = np.empty(0, np.int64)
        places = self.history.first_places() if name == "frozen" else (empty, empty, empty)
        taken = self.seen if seen is None else seen
        return scored_list(
            name,
            self.current.values,
            Listed(
                relevant=self.relevant, query=self.query, given=self.given, seen=taken, places=places, half=self.half
            ),
            system=str(self.method),
            queries=self.names,
            classes=self.units,
            provenance=self.setting.provenance,
        )

    def _mark(self, displayed: IntArray) -> None:
        marked = self.setting.marker.marked(self.sessions, displayed)
        self.history.add(displayed, marked, self.setting.marker)
        row, place = np.nonzero(displayed >= 0)
        self.seen[row, displayed[row, place]] = True
        self.state.note_marks(*((marked.said == sign).sum(axis=1) for sign in (1, -1)))


@dataclass(frozen=True, eq=False)
class Simulated:
    """One method in all sessions: `rounds[t]` is round t."""

    method: str
    sessions: Sessions
    rounds: tuple[Round, ...]

    def ranks(self, number: int = -1) -> RelevantRanks:
        """The scored lists of a round, the last one unless told, as one system with queries in byte order."""
        return in_byte_order(self.rounds[number].ranks)


def in_byte_order(ranks: RelevantRanks) -> RelevantRanks:
    """The same rankings with queries in the order in which every other command has them."""
    order = sorted(range(len(ranks)), key=lambda row: ranks.queries[row].encode())
    return ranks.take(np.array(order, dtype=np.int64))


def simulate_rounds(method: Method, setting: Experiment, sessions: Sessions, block: int | None = None) -> Simulated:
    """Run the loop block by block on all cores and put the rounds together; the size of blocks changes no result."""
    blocks = list(sessions.blocks(block or block_size(setting.items, len(sessions))))
    parts = in_threads_of_one_core(lambda each: list(SessionBlock(method, setting, each).rounds()), blocks)
    return Simulated(str(method), sessions, tuple(_joined_rounds(each) for each in zip(*parts, strict=True)))


def _joined_rounds(parts: Sequence[Round]) -> Round:
    if len(parts) == 1:
        return parts[0]
    counts = [each.name for each in fields(DisplayQuality) if each.name != "scope"]
    shown = [np.concatenate([getattr(each.shown, name) for each in parts]) for name in counts]
    arrays = ("displayed", "unjudged", "positives", "negatives", "seconds")
    return Round(
        number=parts[0].number,
        ranks=RelevantRanks.join([each.ranks for each in parts]),
        shown=DisplayQuality(parts[0].shown.scope, *shown),
        flags=tuple(flag for each in parts for flag in each.flags),
        failed=tuple(reason for each in parts for reason in each.failed),
        **{name: np.concatenate([getattr(each, name) for each in parts]) for name in arrays},
    )


def rounds_to_recall(recall: FloatArray, level: float) -> FloatArray:
    """The first round in which each session has seen so much; infinite if it never does. `recall` is sessions x rounds.

    >>> rounds_to_recall(np.array([[0.1, 0.5, 0.9], [0.0, 0.1, 0.2]]), 0.5)
    array([ 1., inf])
    """
    reached = recall >= level - 1e-9
    return np.where(reached.any(axis=1), reached.argmax(axis=1).astype(np.float64), np.inf)


def area_over_rounds(values: FloatArray) -> FloatArray:
    """The mean height of each session's curve over rounds, by trapezia; the value itself where there is one round.

    >>> area_over_rounds(np.array([[0.0, 1.0, 1.0]]))
    array([0.75])
    """
    if values.shape[1] == 1:
        return values[:, 0].astype(np.float64)
    return (values[:, 1:] + values[:, :-1]).sum(axis=1) / (2 * (values.shape[1] - 1))


# The residual list of two methods: what either of them has shown is taken out for both.

MethodPair = tuple[Method, Method]


def shared_rounds(pair: MethodPair, setting: Experiment, sessions: Sessions) -> Iterator[tuple[Round, RelevantRanks]]:
    """All rounds of the first method, each with its ranking of what neither method has shown before."""
    first, second = (SessionBlock(each, setting, sessions) for each in pair)
    for own, _ in zip(first.rounds(), second.rounds(), strict=True):
        yield own, first.listed("residual", first.seen | second.seen)


def shared_ranks(pair: MethodPair, setting: Experiment, sessions: Sessions) -> RelevantRanks:
    """The ranking by the first method, in the last round, of what neither has shown; queries in byte order."""
    blocks = sessions.blocks(block_size(setting.items))
    return in_byte_order(RelevantRanks.join([list(shared_rounds(pair, setting, each))[-1][1] for each in blocks]))


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
    def seen(self) -> tuple[IntArray, IntArray]:
        """Sessions and items of everything that was shown, in the order of displays; an item may be there twice."""
        pairs = [np.nonzero(each >= 0) for each in self.shown]
        row = np.concatenate([np.empty(0, np.int64), *(pair[0] for pair in pairs)])
        item = [each[pair] for each, pair in zip(self.shown, pairs, strict=True)]
        return row, np.concatenate([np.empty(0, np.int64), *item])

    @property
    def displays(self) -> Ragged:
        """Every display with what was picked, as methods that learn from choices read it."""
        row, item = self.seen
        there = [each >= 0 for each in self.shown]
        number = np.repeat(np.arange(len(there)), np.array([each.sum() for each in there], np.int64))
        picked = [each[own] for each, own in zip(self.picked, there, strict=True)]
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


@dataclass(frozen=True, eq=False)
class Listed:
    """What every list of a block of sessions is made from.

    `relevant` has the target of each session as column `item`. `query` and `given` mark what the user began with,
    `half` the items feedback may come from (None: all), `seen` what was shown, and `places` where it was first shown:
    session, item and place. All masks are sessions x items.
    """

    relevant: Ragged
    query: BoolArray
    given: BoolArray
    seen: BoolArray
    places: tuple[IntArray, IntArray, IntArray]
    half: BoolArray | None = None

    def out(self, name: ListName) -> BoolArray:
        """The items that are not ranked anew in a list of this name."""
        if name == "full":
            return self.query
        if name == "split" and self.half is not None:
            return self.half | self.given | self.query
        return self.seen | self.given | self.query


def scored_list(
    name: ListName,
    values: FloatArray,
    listed: Listed,
    *,
    system: str = "feedback",
    queries: Sequence[str],
    classes: Sequence[str] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> RelevantRanks:
    """The list of each session as ranks of its relevant items; equal scores stand in the order of the items.

    full: all items but the query. residual: without what was given or shown, c and d smaller by it. frozen: what was
    shown keeps the place where it was first shown, the rest follows in the new order. split: the other half of all
    items. A row of NaN, a session that failed, has no list, or ends with what was shown where that is in it.
    """
    out = listed.out(name)
    ranks = ranks_from_scores(
        values,
        listed.relevant,
        ~out,
        system=system,
        queries=queries,
        classes=classes,
        provenance={} if provenance is None else provenance,
        each=in_threads,
    )
    return _frozen_list(ranks, listed) if name == "frozen" else ranks


def _frozen_list(ranks: RelevantRanks, listed: Listed) -> RelevantRanks:
    """The new order moved down below what was shown, whose relevant items stand where they were shown."""
    row, item, place = listed.places
    count, width = len(ranks), listed.seen.shape[1]
    hit = np.isin(row * width + item, listed.relevant.row * width + listed.relevant["item"])
    shown = np.bincount(row, minlength=count)
    rows = np.concatenate([row[hit], ranks.judged.row])
    rank = np.concatenate([place[hit], ranks.judged["rank"] + shown[ranks.judged.row]])
    order = np.lexsort((rank, rows))
    depth = ranks.depth + shown
    return RelevantRanks.assemble(
        ranks.queries,
        Ragged.from_rows(rows[order], count, rank=rank[order]),
        relevant=ranks.relevant + np.bincount(row[hit], minlength=count),
        depth=depth,
        answered=ranks.answered | (depth > 0),
        collection=ranks.collection + shown,
        ties=ranks.ties.with_columns(start=ranks.ties["start"] + shown[ranks.ties.row]),
        system=ranks.system,
        classes=ranks.classes,
        provenance=ranks.provenance,
    )


# What the user gets to see, round by round: hits, new hits, and all so far (after Luo & Nascimento 2004).

SHARES = (
    "actual precision",
    "actual recall",
    "new precision",
    "new recall",
    "cumulative precision",
    "cumulative recall",
    "new precision of unseen",
    "new recall of the rest",
)
OF_ONE_DISPLAY = tuple(name for name in SHARES if not name.startswith("cumulative"))


@dataclass(frozen=True, eq=False)
class DisplayQuality:
    """One display of each session: how much is on it, how much of that is relevant, new, and both; and the same so far.

    A display that is not full keeps the scope as its divisor; what cannot be divided is NaN.
    """

    scope: int
    relevant: IntArray  # that can be found in all
    hits: IntArray
    unseen: IntArray
    new_hits: IntArray
    seen: IntArray  # different items seen so far, this display included
    seen_hits: IntArray

    def shares(self) -> dict[str, FloatArray]:
        """Precision and recall, in every way of counting, by the names of `SHARES`."""
        before = self.seen_hits - self.new_hits
        result = (
            self.hits / self.scope,
            divide(self.hits, self.relevant),
            self.new_hits / self.scope,
            divide(self.new_hits, self.relevant),
            divide(self.seen_hits, self.seen),
            divide(self.seen_hits, self.relevant),
            divide(self.new_hits, self.unseen),
            divide(self.new_hits, self.relevant - before),
        )
        return dict(zip(SHARES, result, strict=True))


def display_quality(
    shown: IntArray, hit: BoolArray, seen: BoolArray, relevant: IntArray, before: DisplayQuality | None
) -> DisplayQuality:
    """Count one display: sessions x places, -1 in empty ones; whether each is relevant, and whether seen before."""
    there = shown >= 0
    new = there & ~seen
    unseen, new_hits = new.sum(axis=1), (new & hit).sum(axis=1)
    total, total_hits = (0, 0) if before is None else (before.seen, before.seen_hits)
    hits = (there & hit).sum(axis=1)
    return DisplayQuality(
        scope=shown.shape[1],
        relevant=relevant,
        hits=hits,
        unseen=unseen,
        new_hits=new_hits,
        seen=total + unseen,
        seen_hits=total_hits + new_hits,
    )


def trace_displays(
    displays: Sequence[Sequence[str]], target: ArrayLike, scope: int | None = None
) -> list[DisplayQuality]:
    """The displays of one session, given by the names of the items shown.

    >>> one, two = trace_displays(["aXYbZ", "abcWZ"], list("abcdef"))
    >>> two.shares()["cumulative precision"].round(6), two.shares()["new precision of unseen"]
    (array([0.428571]), array([0.5]))
    """
    wanted = set(np.asarray(target).tolist())
    size = max(map(len, displays)) if scope is None else scope
    known: set[str] = set()
    qualities: list[DisplayQuality] = []
    for display in displays:
        names = [*display, *[""] * (size - len(display))]
        shown = np.array([[0 if name else -1 for name in names]])
        hit, seen = (np.array([[name in some for name in names]]) for some in (wanted, known))
        qualities.append(
            display_quality(shown, hit, seen, np.array([len(wanted)]), qualities[-1] if qualities else None)
        )
        known |= set(display)
    return qualities


def fingerprints(displayed: IntArray, ranks: Ragged) -> Numbers:
    """One number per session: the same where the same items are shown and relevant items have the same ranks.

    >>> one, two, three = fingerprints(np.array([[4, 7], [4, 7], [7, 4]]), Ragged.of([[1, 5]] * 3, "rank"))
    >>> bool(one == two), bool(one == three)
    (True, False)
    """
    places = np.arange(displayed.shape[1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        total: Numbers = mix_bits(mix_bits((displayed + 1).astype(np.uint64)) + places).sum(axis=1, dtype=np.uint64)
        np.add.at(total, ranks.row, mix_bits(ranks["rank"].astype(np.uint64)))
    return total


def tied_pairs(ranks: RelevantRanks) -> IntArray:
    """Of each session: pairs of a relevant and an irrelevant item with equal scores; the order of items decides them.

    >>> tied_pairs(ranks_from_scores([[0.5, 0.5, 0.5, 0.2], [4, 3, 2, 1]], [True, False, False, True]))
    array([2, 0])
    """
    first, size, row = ranks.ties["start"], ranks.ties["size"], ranks.ties.row
    found = Ragged(ranks.judged.offsets, {"rank": ranks.judged["rank"]})
    hits = rank_counts(found, row, first + size - 1) - rank_counts(found, row, first - 1)
    return np.bincount(row, hits * (size - hits), minlength=len(ranks)).astype(np.int64)
