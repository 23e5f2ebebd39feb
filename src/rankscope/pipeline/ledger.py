"""The ledger of a pipeline: every relevant item followed by id through the stages, and the loss divided among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import IntArray
from rankscope.displayed import Tabular
from rankscope.errors import SettingError
from rankscope.number_texts import how_many
from rankscope.pipeline.account import Account, account_of
from rankscope.pipeline.fates import WHOLE_LIST, ItemStates, states_of
from rankscope.pipeline.statement import Statement, statement_of
from rankscope.pipeline.words import coverage_notes, ledger_sentences
from rankscope.ranks.item_ranks import ItemRanks

if TYPE_CHECKING:
    import polars as pl

    from rankscope.pipeline.worst import WorstQuery

RECALL, P_IS_R = "recall", "p = r"


@dataclass(frozen=True, eq=False)
class Ledger(Tabular):
    """Where relevant items went: one statement a quantity, the one that was asked for first.

    `items` are the relevant ones alone, with their rank at each stage. `str(...)` has the sentence, `entries` of a
    statement the numbers, `frame` every item at every stage.
    """

    items: ItemRanks
    statements: tuple[Statement, ...]
    scope: IntArray  # of the first statement, for each query
    classes: tuple[str, ...] | None = None  # of the queries
    by_class: tuple[Statement, ...] = ()  # of the first quantity
    notes: tuple[str, ...] = ()

    @property
    def main(self) -> Statement:
        """The statement that was asked for: recall within the scope."""
        return self.statements[0]

    @property
    def stages(self) -> tuple[str, ...]:
        """Their names, in order."""
        return self.items.runs

    @property
    def queries(self) -> tuple[str, ...]:
        """Those that have a relevant item."""
        return self.items.queries

    @cached_property
    def states(self) -> ItemStates:
        """Of each item at each stage: absent, below the scope or within it."""
        return states_of(self.items.rank, self.scope[self.items.query_row])

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the numbers say."""
        return ledger_sentences(self.main)

    def statement(self, quantity: str) -> Statement:
        """The statement of one quantity: recall, p = r, recall@10."""
        found = {each.name: each for each in self.statements}
        if quantity not in found:
            raise SettingError(f"no quantity '{quantity}' in this ledger; there are: {', '.join(found)}")
        return found[quantity]

    def worst(self, count: int = 10) -> tuple[WorstQuery, ...]:
        """The queries that lose most, with the items that they lose and where."""
        from rankscope.pipeline.worst import worst_queries

        return worst_queries(self, count)

    def frame(self) -> pl.DataFrame:
        """Every relevant item at every stage: rank, what the stage did with it, and what became of it in the end."""
        from rankscope.pipeline.item_table import item_table

        return item_table(self)

    def __repr__(self) -> str:
        """The sentence and the values of the stages."""
        path = " > ".join(f"{each.stage} {each.value:.3f}" for each in self.main.entries[:-1])
        return f"Ledger of {self.main.name}, {how_many(len(self.queries))}: {path}\n{self.sentences[0]}"


def ledger_of(
    ranks: ItemRanks,
    *,
    rel: float = 1,
    scope: int | None = None,
    classes: Mapping[str, str] | None = None,
    unit: str = "queries",
    intervals: str = "auto",
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> Ledger:
    """The ledger of items whose ranks at each stage are known; see `rankscope.ledger`."""
    items = _relevant_items(ranks, rel)
    size = np.bincount(items.query_row, minlength=len(items.queries)).astype(np.int64)
    accounts = [_account(items, size, name, limit) for name, limit in _scopes(size, scope).items()]
    labels = None if classes is None else tuple(classes.get(query, "") for query in items.queries)
    drawn = labels if unit == "classes" else None
    choices: dict[str, Any] = {"how": intervals, "level": level, "resamples": resamples, "seed": seed}
    ledger = Ledger(
        items=items,
        statements=tuple(statement_of(account, drawn, **choices) for account in accounts),
        scope=next(iter(_scopes(size, scope).values())),
        classes=labels,
        notes=_notes(ranks, items, size, scope),
    )
    if labels is None:
        return ledger
    parts = {label: _rows_of(labels, label) for label in sorted(set(labels))}
    by_class = [
        statement_of(accounts[0].take(rows), [label] * rows.size if drawn else None, label, **choices)
        for label, rows in parts.items()
    ]
    return replace(ledger, by_class=tuple(by_class))


def main_quantity(scope: int | None) -> str:
    """The name of recall within a scope; that of as many items as are relevant is p = r.

    >>> main_quantity(10), main_quantity(None)
    ('recall@10', 'p = r')
    """
    return P_IS_R if scope is None else f"recall@{scope}"


def _relevant_items(ranks: ItemRanks, rel: float) -> ItemRanks:
    """The relevant items and the queries that have some."""
    items = ranks.take(np.flatnonzero(ranks.grade >= rel))
    kept, row = np.unique(items.query_row, return_inverse=True)
    if not kept.size:
        raise SettingError(f"no query has a relevant item at grade {rel:g}: there is nothing to follow")
    queries = tuple(ranks.queries[each] for each in kept.tolist())
    return replace(items, queries=queries, query_row=row.astype(np.int64), answered=ranks.answered[kept])


def _scopes(size: IntArray, scope: int | None) -> dict[str, IntArray]:
    """The scope of each query for each quantity, the one that was asked for first."""
    asked = {} if scope is None else {main_quantity(scope): np.full(size.size, scope, dtype=np.int64)}
    return {**asked, P_IS_R: size, RECALL: np.full(size.size, WHOLE_LIST)}


def _account(items: ItemRanks, size: IntArray, name: str, scope: IntArray) -> Account:
    states = states_of(items.rank, scope[items.query_row])
    return account_of(name, items.runs, states, items.query_row, size, scope)


def _rows_of(labels: tuple[str, ...], label: str) -> IntArray:
    return np.flatnonzero(np.array(labels) == label)


def _notes(ranks: ItemRanks, items: ItemRanks, size: IntArray, scope: int | None) -> tuple[str, ...]:
    """What was left out, and what is counted as lost though no stage dropped it item by item."""
    missing = ~items.answered
    return coverage_notes(
        stages=items.runs,
        missing=missing.sum(axis=0).tolist(),
        missed_items=[int(size[column].sum()) for column in missing.T],
        not_judged=ranks.not_judged,
        no_relevant=len(ranks.queries) - len(items.queries),
        too_large=0 if scope is None else int((size > scope).sum()),
        scope=scope,
        queries=len(items.queries),
    )
