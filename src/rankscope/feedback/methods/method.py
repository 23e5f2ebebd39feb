"""What a feedback method is: examples of many sessions in, a score for every item out; and the rules all share.

Rules: a session without a positive example keeps its start ranking; a method of positives and negatives that has no
negative falls back on the query point, or on random unjudged items; a session that cannot be scored says why and
stops no other. Each is told in the flags, or in the reasons of failure. Equal scores stand in the order of the items,
and scores are compared to 13 digits (6 where features are float32), so that rounding breaks no tie.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import RankscopeError
from rankscope.core.notation import Named
from rankscope.core.threads import in_threads
from rankscope.feedback.examples.examples import Examples, Session, item_lists
from rankscope.feedback.examples.geometry import means, squared_nearness
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scores import Scored, best, drop_rounding
from rankscope.inputs.problems import Problems
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.score_tables import finite_rows, numbered_names, ranks_from_scores

START_KEPT = "start ranking kept: no positive example"
QUERY_POINT = "fallback: query point, no negative example"
BACKGROUND = "fallback: background negatives, no negative example"
MEAN_AS_QUERY = "no query: the mean of the positives stands for it"
NO_LOG = "no log of earlier sessions: learnt from this one alone"
NOT_FINITE = "scores are not finite"

Part = tuple[IntArray, Examples, str]  # which sessions, what the method sees of them, what to tell about them


class CannotScore(Exception):  # noqa: N818  (it is a verdict on one session, not an error of the program)
    """Why a session has no scores: a singular matrix, a parameter that does not fit its examples.

    `sessions` says which ones, by their place in the batch; None: not known, each is then tried alone.
    """

    def __init__(self, reason: str, sessions: IntArray | None = None) -> None:
        super().__init__(reason)
        self.sessions = sessions


def refuse(bad: Any, reason: str) -> None:
    """Raise `CannotScore` for the sessions that are bad, if any is."""
    if bad.any():
        raise CannotScore(reason, np.flatnonzero(bad))


@dataclass(frozen=True)
class Method(Named, ABC):
    """A feedback method with its parameters; two with equal parameters are equal.

    A new method writes `score_one` (one session) or `score_many` (all at once, faster): each is made from the other.
    `dagger`: our reading of the published idea, to be compared with the original before its name is used in a claim.
    """

    source: ClassVar[str]
    dagger: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()  # in addition to examples: query, truth, displays, log, counts, words
    needs_positives: ClassVar[bool] = True
    pointwise: ClassVar[bool] = True  # items with equal features have equal scores
    active: ClassVar[bool] = False  # `query` shows other items than the best

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """One score per item; `session` has at least one positive example. Raises `CannotScore` with a reason."""
        raise NotImplementedError(f"{type(self).__name__} writes neither score_one nor score_many")

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Sessions x items; a session that cannot be scored may raise or be a row of NaN."""
        values = np.empty((len(examples), len(items)))
        for row, session in enumerate(examples):
            values[row] = self.score_one(items, session)
        return values

    def scores(self, items: Items, examples: Examples) -> Scored:
        """Scores of every item in every session. Sessions x items are held at once: see `Examples.batches`."""
        _check_numbers(items, examples)
        if not len(examples):
            return Scored.plain(np.empty((0, len(items))))
        parts = list(self.parts(items, examples))
        if len(parts) == 1 and parts[0][0].size == len(examples):
            return self._scored(items, parts[0][1], parts[0][2])
        values = np.empty((len(examples), len(items)))
        flags, failed = [""] * len(examples), [""] * len(examples)
        for rows, part, flag in parts:
            scores = self._scored(items, part, flag)
            values[rows] = scores.values
            for row, told, reason in zip(rows.tolist(), scores.flags, scores.failed, strict=True):
                flags[row], failed[row] = told, reason
        return Scored(values, tuple(flags), tuple(failed))

    def query(self, items: Items, examples: Examples, scored: Scored, k: int) -> IntArray:
        """The `k` items to show next, sessions x k: the most urgent that are not judged yet; -1 where items run out."""
        return best(self.urgency(items, examples, scored), k, examples.judged(len(items)))

    def urgency(self, items: Items, examples: Examples, scored: Scored) -> FloatArray:
        """How much the method wants to be told of each item, sessions x items: of the best most, unless it says."""
        return scored.values

    def block_state(self, items: Items, sessions: int, growing: bool) -> BlockState:
        """What the method keeps from round to round of so many sessions; `growing`: no example is ever taken back."""
        return BlockState(self, items)

    def parts(self, items: Items, examples: Examples) -> Iterator[Part]:
        """The sessions by the rule that holds for them."""
        empty = examples.without_positives if self.needs_positives else np.zeros(len(examples), np.bool_)
        if empty.any():
            yield np.flatnonzero(empty), examples.take(np.flatnonzero(empty)), START_KEPT
        rest = np.flatnonzero(~empty)
        if rest.size:
            yield from self.usual_parts(items, examples if rest.size == len(examples) else examples.take(rest), rest)

    def usual_parts(self, items: Items, examples: Examples, rows: IntArray) -> Iterator[Part]:
        """Sessions with positives; where a method needs a query and has none, the mean of the positives stands in."""
        if "query" not in self.needs or examples.has_query.all():
            yield rows, examples, NO_LOG if "log" in self.needs and items.log is None else ""
            return
        there = examples.has_query
        if there.any():
            yield rows[there], examples.take(np.flatnonzero(there)), ""
        lacking = examples.take(np.flatnonzero(~there))
        yield rows[~there], replace(lacking, queries=means(items, lacking.positives)), MEAN_AS_QUERY

    def _scored(self, items: Items, examples: Examples, flag: str) -> Scored:
        """Scores of sessions under one rule, copies of an item with the score of the first, failures with reasons."""
        flags = (flag,) * len(examples)
        if flag == START_KEPT:
            return Scored(start_scores(items, examples), flags, ("",) * len(examples))
        values, failed = self._tried(items, examples, flag)
        if self.pointwise and items.copies.size:
            values[:, items.copies] = values[:, items.first_alike[items.copies]]
        return Scored(drop_rounding(values, items.single), flags, tuple(failed))

    def _tried(self, items: Items, examples: Examples, flag: str) -> tuple[FloatArray, list[str]]:
        """All sessions at once; those that fail are NaN, with the reason, and the others are scored again.

        Where it is not known which ones fail, each session is tried alone.
        """
        try:
            with np.errstate(all="ignore"):
                if flag == QUERY_POINT:
                    found = squared_nearness(items, means(items, examples.positives))
                else:
                    found = self.score_many(items, examples)
                values = found.astype(np.float64, copy=False)
        except (CannotScore, np.linalg.LinAlgError) as trouble:
            reason, known = str(trouble), getattr(trouble, "sessions", None)
        else:
            good = finite_rows(values)
            values[~good] = np.nan
            return values, ["" if each else NOT_FINITE for each in good.tolist()]
        values, failed = np.full((len(examples), len(items)), np.nan), [reason] * len(examples)
        rest = np.arange(len(examples)) if known is None else np.setdiff1d(np.arange(len(examples)), known)
        if len(examples) == 1 or not rest.size:
            return values, failed
        for rows in [rest] if known is not None else rest[:, None]:
            values[rows], reasons = self._tried(items, examples.take(rows), flag)
            for row, reason in zip(rows.tolist(), reasons, strict=True):
                failed[row] = reason
        return values, failed


@dataclass(frozen=True)
class TwoSided(Method):
    """A method that learns from positives and negatives; without a negative it falls back.

    `fallback`: `query_point` (the mean of the positives), or `background` (100 random unjudged items as negatives).
    """

    fallback: Literal["query_point", "background"] = field(default="query_point", kw_only=True)
    background: ClassVar[int] = 100

    def usual_parts(self, items: Items, examples: Examples, rows: IntArray) -> Iterator[Part]:
        """Sessions with negatives as they are, the others by the fallback."""
        lacking = examples.without_negatives
        if not lacking.any():
            yield from super().usual_parts(items, examples, rows)
            return
        if not lacking.all():
            yield from super().usual_parts(items, examples.take(np.flatnonzero(~lacking)), rows[~lacking])
        drawing = lacking & (examples.positives.lengths < len(items)) & (self.fallback == "background")
        by_mean = lacking & ~drawing
        if by_mean.any():
            yield rows[by_mean], examples.take(np.flatnonzero(by_mean)), QUERY_POINT
        if drawing.any():
            without = examples.take(np.flatnonzero(drawing))
            every = np.arange(len(items))
            drawn = [  # random items that are no examples, always the same for the same seed
                np.random.default_rng(each.seed).permutation(np.setdiff1d(every, each.positives))[: self.background]
                for each in without
            ]
            yield rows[drawing], replace(without, negatives=item_lists(drawn, None, -1.0)), BACKGROUND


def start_scores(items: Items, examples: Examples) -> FloatArray:
    """The ranking before any feedback: the scores given, else nearness to the query, else all items equal."""
    if examples.start is not None:
        return np.broadcast_to(examples.start, (len(examples), len(items))).copy()
    there = examples.has_query
    if examples.queries is not None and there.all():
        return drop_rounding(squared_nearness(items, examples.queries).astype(np.float64, copy=False), items.single)
    values = np.zeros((len(examples), len(items)))
    if examples.queries is not None and there.any():
        values[there] = squared_nearness(items, examples.queries[there])
    return drop_rounding(values, items.single)


def _check_numbers(items: Items, examples: Examples) -> None:
    """Every item number, query and start score fits the items."""
    problems = Problems("examples")
    for lists in (examples.positives, examples.negatives, examples.truth, examples.displays):
        if lists is not None and lists.size and not 0 <= lists["item"].min() <= lists["item"].max() < len(items):
            problems.add("", f"items are numbered 0 to {len(items) - 1}, got {lists['item'].max()}")
    if examples.queries is not None and examples.queries.shape[1] != items.features:
        problems.add("", f"queries have {examples.queries.shape[1]} features, the items {items.features}")
    if examples.start is not None and examples.start.shape[-1] != len(items):
        problems.add("", f"start scores of {examples.start.shape[-1]} items, but there are {len(items)}")
    if examples.log_rows is not None and examples.log_rows.size:
        logged = 0 if items.log is None else len(items.log)
        if examples.log_rows["row"].max() >= logged:
            problems.add("", f"rows of the log up to {examples.log_rows['row'].max()}, but it has {logged}")
    problems.raise_if_any()


def rank_sessions(
    method: Method,
    items: Items,
    examples: Examples,
    target: BoolArray,
    counted: BoolArray,
    *,
    topic: str = "",
    classes: Sequence[str] | None = None,
    system: str = "",
) -> RelevantRanks:
    """The rankings a method makes of all sessions of one topic, so many at a time that memory suffices.

    `counted` is sessions x items. Queries are named after the topic; `classes` are topics unless given.
    """
    if topic and examples.asked is None:
        examples = replace(examples, asked=np.full(len(examples), topic))  # methods on words know its words by its name
    names = numbered_names(f"{topic}/" if topic else "", len(examples))
    kinds = [topic] * len(examples) if classes is None else classes
    step, parts = items.sessions_at_once, []
    for start, part in zip(range(0, len(examples), step), examples.batches(step), strict=True):
        rows = slice(start, start + len(part))
        scored = method.scores(items, part).values
        parts.append(
            ranks_from_scores(
                scored,
                target,
                counted[rows],
                queries=names[rows],
                classes=kinds[rows],
                system=system or str(method),
                each=in_threads,
            )
        )
    return RelevantRanks.join(parts)


def name_with_size(method: Method, size: tuple[int, int]) -> str:
    """A method at one size of example sets, as its rankings are called: `svm, 4 + 4`."""
    return f"{method}, {size[0]} + {size[1]}"


def list_ranks(values: FloatArray, inside: BoolArray) -> IntArray:
    """The rank of every item of each list, from 1; items that are not in it stand behind.

    >>> list_ranks(np.array([[0.1, 0.9, 0.9]]), np.array([[True, True, True]]))
    array([[3, 1, 2]])
    """
    order = np.argsort(np.where(inside, -values, np.inf), axis=1, kind="stable")
    rank = np.empty(order.shape, np.int64)
    np.put_along_axis(rank, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    return rank


class BlockState:
    """A method at work on one block of sessions: the loop asks it for scores and tells it what was marked.

    This one keeps nothing. A method that learns more from the rounds than its examples hold, or that computes faster
    from what it knew before, gives its own in `Method.block_state`.
    """

    def __init__(self, method: Method, items: Items) -> None:
        self.method, self.items = method, items

    def complete_examples(self, examples: Examples) -> Examples:
        """The examples with what the method has kept for itself."""
        return examples

    def scores(self, examples: Examples) -> Scored:
        """Scores of every item in every session of the block."""
        return tolerant_scores(self.method, self.items, examples)

    def note_marks(self, hits: IntArray, misses: IntArray) -> None:
        """Take in how many items of the last display each user marked as good and as bad."""


def tolerant_scores(method: Method, items: Items, examples: Examples) -> Scored:
    """Scores as the method gives them; where it raises what it should not, session by session, with the reason.

    What rankscope raises on purpose (a package that is not installed) is for the caller, and passes.
    """
    try:
        return method.scores(items, examples)
    except RankscopeError:
        raise
    except Exception as error:
        if len(examples) == 1:
            reason = f"{type(error).__name__}: {error}"
            return Scored(np.full((1, len(items)), np.nan), ("",), (reason,))
        parts = [tolerant_scores(method, items, examples.take(np.array([row]))) for row in range(len(examples))]
        return Scored(
            np.concatenate([part.values for part in parts]),
            tuple(flag for part in parts for flag in part.flags),
            tuple(reason for part in parts for reason in part.failed),
        )
